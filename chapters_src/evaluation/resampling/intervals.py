"""Intervals for a share and for any other statistic, and how often they contain the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, Limits, at_least, between
from chapters_src.core.shapes import Float, Num, ndarray

__all__ = ["bootstrap_interval", "coverage", "wald_interval", "wilson_interval"]

LEVEL = Limits(above=0, below=1)


def _counts(ask: Ask, right: ndarray) -> ndarray:
    ask.require(np.all(right == np.round(right)), "be whole numbers", right)
    ask.require(np.all((right >= 0) & (right <= ask.arguments["n"])), "lie between 0 and n", right)
    return right


@checked(right=_counts, n=at_least(1), level=LEVEL)
def wald_interval(
    right: Float[ndarray, "*counts"], n: int, level: float = 0.95
) -> Float[ndarray, "2 *counts"]:
    """The share of right answers, plus and minus c standard errors estimated from that share.

    p̂ ± c √(p̂(1 − p̂)/n),  c = Φ⁻¹((1 + level)/2)          {eq}`eq-resampling-wald`
    """
    c, share = ndtri((1 + level) / 2), right / n
    half = c * np.sqrt(share * (1 - share) / n)
    return np.array([share - half, share + half])


@checked(right=_counts, n=at_least(1), level=LEVEL)
def wilson_interval(
    right: Float[ndarray, "*counts"], n: int, level: float = 0.95
) -> Float[ndarray, "2 *counts"]:
    """All shares p from which the observed one is at most c of p's own standard errors away.

    (p̂ + c²/2n ± c √(p̂(1 − p̂)/n + c²/4n²)) / (1 + c²/n)    {eq}`eq-resampling-wilson`
    """
    c, share = ndtri((1 + level) / 2), right / n
    centre = share + c**2 / (2 * n)
    half = c * np.sqrt(share * (1 - share) / n + c**2 / (4 * n**2))
    low, high = np.array([centre - half, centre + half]) / (1 + c**2 / n)
    return np.array([np.where(right == 0, 0.0, low), np.where(right == n, 1.0, high)])  # rounding aside


@checked(p=between(0, 1))
def coverage(
    low: Float[ndarray, "m"], high: Float[ndarray, "m"], p: Float[ndarray, "k"]
) -> Float[ndarray, "k"]:
    """How often an interval contains the true share p, if entry r belongs to r right answers in n = m − 1.

    Σᵣ Bin(r | n, p) 1[lowᵣ ≤ p ≤ highᵣ]                  {eq}`eq-resampling-coverage`
    """
    right, n = np.arange(len(low)), len(low) - 1
    require(n >= 1, "low", "have an entry for each count from 0 to n ≥ 1", f"{len(low)} entries")
    holds = (low <= p[:, None]) & (p[:, None] <= high)  # (k, m)
    return np.minimum((binom.pmf(right, n, p[:, None]) * holds).sum(axis=1), 1.0)


@checked(draws=at_least(2), level=LEVEL)
def bootstrap_interval(
    statistic: Callable[..., Any],
    rows: Num[ndarray, "n *columns"],
    draws: int,
    rng: np.random.Generator,
    level: float = 0.95,
) -> tuple[float, float]:
    """The middle of what a statistic does on samples of n rows drawn from the n rows with replacement.

    The quantiles (1 − level)/2 and (1 + level)/2 of the statistic over the draws: the percentile interval.
    """
    n = len(rows)
    require(n >= 2, "rows", "be two or more", n)
    again = np.array([float(statistic(rows[rng.integers(n, size=n)])) for _ in range(draws)])
    low, high = np.quantile(again, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
