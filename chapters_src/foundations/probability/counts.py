"""Distributions of counts: successes, failures, events."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least, between
from chapters_src.core.shapes import Num, ndarray
from chapters_src.foundations.probability.distribution import Distribution, by_table, whole_numbers

__all__ = ["bernoulli", "binomial", "geometric", "negative_binomial", "poisson"]


@checked(p=between(0, 1))
def bernoulli(p: float) -> Distribution:
    """One trial: 1 with probability p, otherwise 0. A uniform number falls below p with probability p.

    P(x) = pˣ(1 − p)¹⁻ˣ,  x ∈ {0, 1}                  {eq}`eq-probability-bernoulli`
    """

    def draw(n: int, rng: np.random.Generator) -> Num[ndarray, "n"]:
        return (rng.random(n) < p).astype(np.int64)

    log_mass = whole_numbers(lambda x: xlogy(x, p) + xlog1py(1 - x, -p), high=1)
    return Distribution(log_mass, p, p * (1 - p), draw, discrete=True)


@checked(trials=at_least(0), p=between(0, 1))
def binomial(trials: int, p: float) -> Distribution:
    """How many of n independent trials succeed.

    P(k) = C(n, k) pᵏ(1 − p)ⁿ⁻ᵏ,  k = 0, …, n = ``trials``    {eq}`eq-probability-binomial`
    """

    def log_formula(k: ndarray) -> ndarray:
        orders = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
        return orders + xlogy(k, p) + xlog1py(trials - k, -p)

    log_mass = whole_numbers(log_formula, high=trials)
    mean, variance = trials * p, trials * p * (1 - p)
    return Distribution(log_mass, mean, variance, by_table(log_mass, mean, variance, trials), discrete=True)


@checked(p=between(1e-15, 1))
def geometric(p: float) -> Distribution:
    """How many failures come before the first success, by inverting 1 − (1 − p)ᵏ.

    P(k) = p(1 − p)ᵏ,  k = 0, 1, …                    {eq}`eq-probability-negative-binomial`

    Other texts, and scipy's ``geom``, count the trials instead, one more.
    """

    def draw(n: int, rng: np.random.Generator) -> Num[ndarray, "n"]:
        with np.errstate(divide="ignore"):
            return np.floor(np.log(1 - rng.random(n)) / np.log1p(-p)).astype(np.int64)

    log_mass = whole_numbers(lambda k: np.log(p) + xlog1py(k, -p))
    return Distribution(log_mass, (1 - p) / p, (1 - p) / p**2, draw, discrete=True)


@checked(r=above(0), p=between(1e-15, 1))
def negative_binomial(r: float, p: float) -> Distribution:
    """How many failures come before success number r; as a formula it also serves an r that is not whole.

    P(k) = C(k + r − 1, r − 1) pʳ(1 − p)ᵏ             {eq}`eq-probability-negative-binomial`
    """

    def log_formula(k: ndarray) -> ndarray:
        orders = gammaln(k + r) - gammaln(r) - gammaln(k + 1)
        return orders + r * np.log(p) + xlog1py(k, -p)

    log_mass = whole_numbers(log_formula)
    mean, variance = r * (1 - p) / p, r * (1 - p) / p**2
    return Distribution(log_mass, mean, variance, by_table(log_mass, mean, variance), discrete=True)


@checked(rate=at_least(0))
def poisson(rate: float) -> Distribution:
    """How many rare, independent events happen where ``rate`` = λ are expected.

    P(k) = λᵏe^(−λ)/k!                                {eq}`eq-probability-poisson`
    """
    log_mass = whole_numbers(lambda k: xlogy(k, rate) - rate - gammaln(k + 1))
    return Distribution(log_mass, rate, rate, by_table(log_mass, rate, rate), discrete=True)
