"""Sums of independent draws: their exact distribution, and how far it is from a normal one."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from chapters_src.core.contract import checked, require
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Num, ndarray

__all__ = [
    "berry_esseen_bound",
    "characteristic_function",
    "normal_gap",
    "standardised",
    "sum_distribution",
]

BERRY_ESSEEN = 0.4748  # Shevtsova (2011); no constant below 0.4097 would do
LONGEST = 10**7  # values that a sum may have


@checked(p=sums_to_one)
def characteristic_function(
    t: Float[ndarray, "m"], x: Float[ndarray, "k"], p: Float[ndarray, "k"]
) -> Num[ndarray, "m"]:
    """The mean of a point that turns on the unit circle by the angle t·X.

    ψ(t) = E[e^{itX}] = Σₖ pₖ e^{itxₖ}                   {eq}`eq-limits-characteristic`
    """
    return np.asarray(np.exp(1j * np.outer(t, x)) @ p)


@checked(p=sums_to_one, n=at_least(1))
def sum_distribution(p: Float[ndarray, "k"], n: int) -> Float[ndarray, "m"]:
    """The probabilities of 0, 1, 2, … for the sum of n independent draws, each j with probability pⱼ.

    ψ of the sum is ψⁿ                                  {eq}`eq-limits-product`

    The discrete Fourier transform of p is ψ on a grid of angles: take its power, and transform back. Rounding
    leaves an error of about 1e-16 on each probability, so tails below that are noise.
    """
    length = n * (len(p) - 1) + 1
    require(length <= LONGEST, "n", f"keep the sum to {LONGEST:,} values", n)
    return np.maximum(np.fft.irfft(np.fft.rfft(p, length) ** n, length), 0.0)


@checked(p=sums_to_one)
def standardised(x: Float[ndarray, "k"], p: Float[ndarray, "k"]) -> Float[ndarray, "k"]:
    """The values of X in standard deviations from the mean.

    z = (x − μ) / σ
    """
    return _standardised(x, p)


def _standardised(x: ndarray, p: ndarray) -> ndarray:
    off = x - p @ x
    deviation = np.sqrt(p @ off**2)
    require(
        deviation > 1e-12 * np.abs(x).max(),
        "x",
        "vary, with more than one value of positive probability",
        "one value",
    )
    return np.asarray(off / deviation)


@checked(p=sums_to_one)
def normal_gap(x: Float[ndarray, "k"], p: Float[ndarray, "k"]) -> float:
    """The largest error of a cumulative probability when X is replaced by a normal variable.

    sup_z |P((X − μ)/σ ≤ z) − Φ(z)|                     {eq}`eq-limits-gap`

    The cumulative probability jumps at each value, so both ends of each jump are looked at.
    """
    values, place = np.unique(x, return_inverse=True)
    p = np.bincount(place, weights=p)
    after = np.cumsum(p)
    Phi = ndtr(_standardised(values, p))
    return float(max(np.abs(after - Phi).max(), np.abs(after - p - Phi).max()))


@checked(p=sums_to_one, n=at_least(1))
def berry_esseen_bound(x: Float[ndarray, "k"], p: Float[ndarray, "k"], n: int) -> float:
    """What the gap of the sum of n independent copies of X cannot exceed.

    C · E|X − μ|³ / (σ³√n)  with C = 0.4748             {eq}`eq-limits-berry-esseen`
    """
    return float(BERRY_ESSEEN * (p @ np.abs(_standardised(x, p)) ** 3) / np.sqrt(n))
