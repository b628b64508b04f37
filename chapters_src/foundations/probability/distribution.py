"""What a distribution is: how probable each value is, its mean and variance, and how to draw from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Num, ndarray

__all__ = ["Distribution", "by_table", "on_support", "whole_numbers"]

Formula = Callable[[ndarray], ndarray]
Draw = Callable[[int, np.random.Generator], ndarray]
WIDEST = 10**7  # values in a table


@dataclass(frozen=True)
class Distribution:
    """A distribution of numbers or of vectors.

    ``mean`` and ``variance`` are numbers, or a vector and a covariance matrix. What does not exist is NaN, or
    infinite where the integral grows without bound.
    """

    log_formula: Formula
    mean: Any
    variance: Any
    draw: Draw
    discrete: bool = False

    @checked
    def log_density(self, x: Float[ndarray, "..."]) -> Float[ndarray, "..."]:
        """The logarithm of the mass or density at each x; −∞ where x cannot occur."""
        d = np.shape(self.mean)
        if d and x.shape[-1:] != d:
            refuse("x", f"have {d[0]} columns, one per entry of a draw", f"shape {x.shape}")
        return np.asarray(self.log_formula(x), dtype=float)

    @checked
    def density(self, x: Float[ndarray, "..."]) -> Float[ndarray, "..."]:
        """The mass or density at each x."""
        return np.asarray(np.exp(self.log_density(x)))

    @checked(n=at_least(1))
    def sample(self, n: int, rng: np.random.Generator) -> Num[ndarray, "n *d"]:
        """n independent draws, one per row."""
        return self.draw(n, rng)


def on_support(inside: Callable[[ndarray], Any], formula: Formula, place: float) -> Formula:
    """A log-density that is −∞ outside its support, where the formula is asked about ``place`` instead."""

    def log_density(x: ndarray) -> ndarray:
        held = inside(x)
        return np.where(held, formula(np.where(held, x, place)), -np.inf)

    return log_density


def whole_numbers(formula: Formula, high: float = np.inf) -> Formula:
    """A log-mass on 0, 1, … up to ``high``."""
    return on_support(lambda x: (x >= 0) & (x <= high) & (x == np.floor(x)), formula, 0.0)


def by_table(log_mass: Formula, mean: float, variance: float, high: float = np.inf) -> Draw:
    """Inverse sampling from a table of the likely values: the first whose cumulative mass exceeds u.

    Forty standard deviations either way hold all that a uniform number of 53 bits can tell apart, also for a
    geometric tail.
    """

    def draw(n: int, rng: np.random.Generator) -> ndarray:
        reach = 40 * np.sqrt(variance) + 40
        first, last = max(0.0, np.floor(mean - reach)), min(high, np.ceil(mean + reach))
        require(
            last - first <= WIDEST,
            "n",
            f"come from a law of at most {WIDEST} likely values",
            f"about {last - first:.0f}",
        )
        cumulative = np.cumsum(np.exp(log_mass(np.arange(first, last + 1))))
        cumulative /= cumulative[-1]
        reached = cumulative[: np.searchsorted(cumulative, 1.0) + 1]
        return int(first) + np.searchsorted(reached, rng.random(n), side="right")

    return draw
