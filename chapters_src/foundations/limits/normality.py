"""Is it normal? The third and fourth moment of a sample, a test made of both, and the Q–Q plot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "NormalityTest",
    "excess_kurtosis",
    "jarque_bera",
    "normal_quantiles",
    "quantile_band",
    "skewness",
]


class NormalityTest(NamedTuple):
    """A statistic, and how probable one at least as large is for a large sample of normal draws."""

    statistic: float
    p_value: float


def _standard_scores(values: ndarray) -> ndarray:
    off = values - values.mean()
    size = np.abs(off).max()
    if not size > 1e-12 * np.abs(values).max():
        refuse("values", "vary", f"{values[0]:g} throughout")
    off = off / size  # so that no power overflows
    return np.asarray(off / np.sqrt(np.mean(off**2)))


@checked
def skewness(values: Float[ndarray, "n"]) -> float:
    """How lopsided a sample is: 0 if symmetric, positive if its long tail is on the right.

    (1/n) Σₖ ((xₖ − x̄)/s)³                             {eq}`eq-limits-skewness`
    """
    return float(np.mean(_standard_scores(values) ** 3))


@checked
def excess_kurtosis(values: Float[ndarray, "n"]) -> float:
    """How heavy the tails of a sample are: 0 for normal draws in the limit, positive for heavier tails.

    (1/n) Σₖ ((xₖ − x̄)/s)⁴ − 3
    """
    return float(np.mean(_standard_scores(values) ** 4) - 3)


@checked
def jarque_bera(values: Float[ndarray, "n"]) -> NormalityTest:
    """A test of normality made of skewness S and excess kurtosis K; its p-value holds for large n.

    n (S²/6 + K²/24),  chi-squared with two degrees of freedom, whose tail is e^{−x/2}
    """
    z = _standard_scores(values)
    S, K = np.mean(z**3), np.mean(z**4) - 3
    statistic = float(len(z) * (S**2 / 6 + K**2 / 24))
    return NormalityTest(statistic, float(np.exp(-statistic / 2)))


@checked(n=at_least(1))
def normal_quantiles(n: int) -> Float[ndarray, "m"]:
    """Where the n draws of a standard normal variable lie about, in order: the horizontal axis of a Q–Q plot.

    Φ⁻¹((k − ½)/n)                                      {eq}`eq-limits-quantiles`
    """
    return np.asarray(ndtri((np.arange(1, n + 1) - 0.5) / n))


@checked(n=at_least(1))
def quantile_band(n: int) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"]]:
    """For each of n standard normal draws in order, the two bounds that it keeps 95 times out of a hundred.

    The k-th smallest of n uniform draws has the Beta(k, n + 1 − k) distribution; Φ⁻¹ makes it normal.
    """
    k = np.arange(1, n + 1)
    low, high = (np.asarray(ndtri(betaincinv(k, n + 1 - k, share))) for share in (0.025, 0.975))
    return low, high
