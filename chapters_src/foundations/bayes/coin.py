"""A coin with an unknown share of heads: a Beta prior stays a Beta distribution."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least

__all__ = ["beta_log_evidence", "beta_mean", "beta_mode", "beta_posterior", "log_odds_mode"]


@checked(a=above(0), b=above(0), heads=at_least(0), tails=at_least(0))
def beta_posterior(a: float, b: float, heads: int, tails: int) -> tuple[float, float]:
    """The two parameters of the posterior, which is a Beta distribution as the prior is: add the counts.

    p(θ|D) = Beta(θ | a + n₁, b + n₀)                 {eq}`eq-bayes-coin`
    """
    return a + heads, b + tails


@checked(a=above(0), b=above(0))
def beta_mean(a: float, b: float) -> float:
    """The mean of Beta(a, b), which is also the probability that the next toss is a head.

    E[θ] = a / (a + b)                                {eq}`eq-bayes-succession`
    """
    return a / (a + b)


@checked(a=at_least(1), b=at_least(1))
def beta_mode(a: float, b: float) -> float:
    """Where the density of Beta(a, b) is highest: the most probable share (MAP).

    θ_MAP = (a − 1) / (a + b − 2)                     {eq}`eq-bayes-mode`
    """
    require(
        not (a == b == 1), "a", "exceed 1, or b must, because a flat density has no highest point", "two ones"
    )
    return (a - 1) / (a + b - 2)


@checked(a=above(0), b=above(0))
def log_odds_mode(a: float, b: float) -> float:
    """The most probable log-odds log θ/(1 − θ) if θ follows Beta(a, b): those of the mean, not of the mode.

    φ_MAP = log a/b                                   {eq}`eq-bayes-log-odds`
    """
    return float(np.log(a) - np.log(b))


@checked(a=above(0), b=above(0), heads=at_least(0), tails=at_least(0))
def beta_log_evidence(a: float, b: float, heads: int, tails: int) -> float:
    """The log-probability of one sequence of tosses, averaged over the prior.

    p(D) = ∫ θⁿ¹(1 − θ)ⁿ⁰ Beta(θ | a, b) dθ = B(a + n₁, b + n₀) / B(a, b)
    """
    return float(betaln(a + heads, b + tails) - betaln(a, b))
