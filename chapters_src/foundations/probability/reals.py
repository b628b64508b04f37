"""Distributions of one real number."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaln, gammaln, xlog1py, xlogy

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, beyond
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.probability.distribution import Distribution, on_support
from chapters_src.foundations.probability.gammas import log_standard_gamma, standard_gamma

__all__ = ["beta", "chi_squared", "exponential", "gamma", "normal", "student_t", "uniform"]

Vector = Float[ndarray, "n"]


@checked(high=beyond("low"))
def uniform(low: float = 0.0, high: float = 1.0) -> Distribution:
    """Equally likely everywhere between two numbers: what all other samplers start from.

    p(x) = 1/(b − a),  a ≤ x ≤ b
    """
    width = high - low
    log_density = on_support(
        lambda x: (x >= low) & (x <= high), lambda x: np.full(x.shape, -np.log(width)), low
    )
    return Distribution(
        log_density, (low + high) / 2, width**2 / 12, lambda n, rng: low + width * rng.random(n)
    )


@checked(variance=above(0))
def normal(mean: float = 0.0, variance: float = 1.0) -> Distribution:
    """The bell curve: a standard normal number, stretched and moved.

    p(x) = e^(−(x − μ)²/2σ²) / √(2πσ²)
    """
    spread = math.sqrt(variance)
    return Distribution(
        lambda x: -(((x - mean) / spread) ** 2) / 2 - np.log(2 * np.pi * variance) / 2,
        mean,
        variance,
        lambda n, rng: mean + spread * rng.standard_normal(n),
    )


@checked(rate=above(0))
def exponential(rate: float = 1.0) -> Distribution:
    """How long one waits for an event that is always equally near, by inverting 1 − e^(−λx).

    p(x) = λe^(−λx),  x ≥ 0                           {eq}`eq-probability-inverse`
    """
    log_density = on_support(lambda x: x >= 0, lambda x: np.log(rate) - rate * x, 0.0)
    return Distribution(log_density, 1 / rate, 1 / rate**2, lambda n, rng: -np.log(1 - rng.random(n)) / rate)


@checked(shape=above(0), rate=above(0))
def gamma(shape: float, rate: float = 1.0) -> Distribution:
    """How long one waits for event number a = ``shape``, which need not be whole.

    p(x) = bᵃxᵃ⁻¹e^(−bx)/Γ(a),  x ≥ 0,  b = ``rate``
    """
    log_density = on_support(
        lambda x: x >= 0,
        lambda x: shape * np.log(rate) + xlogy(shape - 1, x) - rate * x - gammaln(shape),
        1.0,
    )
    return Distribution(
        log_density, shape / rate, shape / rate**2, lambda n, rng: standard_gamma(shape, n, rng) / rate
    )


@checked(degrees=above(0))
def chi_squared(degrees: float) -> Distribution:
    """A sum of ν squared standard normal numbers, which is a gamma distribution.

    χ²_ν = Gamma(ν/2, ½)
    """
    return gamma(degrees / 2, 0.5)


@checked(a=above(0), b=above(0))
def beta(a: float, b: float) -> Distribution:
    """An unknown probability: the share of the first of two gamma numbers in their sum.

    p(x) = xᵃ⁻¹(1 − x)ᵇ⁻¹/B(a, b),  0 ≤ x ≤ 1
    """

    def draw(n: int, rng: np.random.Generator) -> Vector:
        if min(a, b) >= 1:
            one, other = standard_gamma(a, n, rng), standard_gamma(b, n, rng)
            return one / (one + other)
        # Small shapes give numbers that round to 0, so the share is taken of their logarithms.
        apart = log_standard_gamma(b, n, rng) - log_standard_gamma(a, n, rng)
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(apart))

    log_density = on_support(
        lambda x: (x >= 0) & (x <= 1), lambda x: xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b), 0.5
    )
    return Distribution(log_density, a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1)), draw)


@checked(degrees=above(0))
def student_t(degrees: float) -> Distribution:
    """A normal number over the root of an independent χ²/ν: heavier tails the smaller ν = ``degrees``.

    p(x) ∝ (1 + x²/ν)^(−(ν+1)/2);  a mean exists for ν > 1, a variance ν/(ν − 2) for ν > 2
    """
    v = degrees
    scale = gammaln((v + 1) / 2) - gammaln(v / 2) - np.log(v * np.pi) / 2

    def draw(n: int, rng: np.random.Generator) -> Vector:
        return rng.standard_normal(n) * np.exp(-(log_standard_gamma(v / 2, n, rng) - np.log(v / 2)) / 2)

    return Distribution(
        lambda x: scale - (v + 1) / 2 * np.log1p((x / math.sqrt(v)) ** 2),
        0.0 if v > 1 else math.nan,
        v / (v - 2) if v > 2 else math.inf if v > 1 else math.nan,
        draw,
    )
