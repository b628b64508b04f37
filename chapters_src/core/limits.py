"""The range that a number, or every entry of an array, must lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["ANY", "Limits", "above", "at_least", "at_most", "between"]


@dataclass(frozen=True)
class Limits:
    """The range of a number, or of every entry of an array."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None

    def __and__(self, other: Limits) -> Limits:
        return Limits(*(mine if mine is not None else yours for mine, yours in zip(self, other, strict=True)))

    def __iter__(self) -> Any:
        return iter((self.above, self.at_least, self.below, self.at_most))

    def __str__(self) -> str:
        words = ("above", "at least", "below", "at most")
        return " and ".join(
            f"{word} {bound:g}" for word, bound in zip(words, self, strict=True) if bound is not None
        )

    def hold(self, value: Any) -> Any:
        """Whether a value, or each entry of an array, is inside."""
        inside = True if isinstance(value, (int, float)) else np.ones(np.shape(value), bool)
        if self.above is not None:
            inside &= value > self.above
        if self.at_least is not None:
            inside &= value >= self.at_least
        if self.below is not None:
            inside &= value < self.below
        if self.at_most is not None:
            inside &= value <= self.at_most
        return inside


ANY = Limits()


def above(bound: float) -> Limits:
    """Greater than the bound."""
    return Limits(above=bound)


def at_least(bound: float) -> Limits:
    """The bound or more."""
    return Limits(at_least=bound)


def at_most(bound: float) -> Limits:
    """The bound or less."""
    return Limits(at_most=bound)


def between(low: float, high: float) -> Limits:
    """From one bound to the other, both included."""
    return Limits(at_least=low, at_most=high)
