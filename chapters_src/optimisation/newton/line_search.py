"""How far to go along a direction: to its lowest point, or until two conditions hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Limits
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.descent import Landscape, downhill_slope, value_or_infinity

__all__ = ["exact", "golden_section", "wolfe"]


@checked
def exact(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"], p: Float[ndarray, "d"]) -> float:
    """The rate at which f is least along p, from values alone: bracket it, then `golden_section`.

    η = argmin f(θ + ηp)                              {eq}`eq-newton-exact`

    On a function with several valleys along p it is the bottom of one of them.
    """
    downhill_slope(g, p)

    def along(eta: float) -> float:
        return value_or_infinity(f, theta + eta * p)

    here, high = f.value(theta), 1.0
    while not along(high) < here:
        high /= 2
        if (theta + high * p == theta).all():
            return high  # θ is a minimum as far as values can tell
    while along(2 * high) < along(high):
        high *= 2
        require(high <= 2.0**200, "f", "stop falling along p", "a value that falls for ever")
    return golden_section(along, 0.0, 2 * high)


@checked(tolerance=Limits(above=0, below=1))
def golden_section(phi: Callable[[float], float], low: float, high: float, tolerance: float = 1e-9) -> float:
    """Where a function with one valley in [low, high] is least, by cutting the bracket at the golden ratio.

    Each round asks for one value and keeps 62 % of the bracket, until it is ``tolerance`` of what it was.
    Values cannot tell two places near a minimum apart: expect half of the digits, about eight.
    """
    require(high > low, "high", f"be above {low:g}", high)
    keep, width = (np.sqrt(5) - 1) / 2, high - low
    left, right = high - keep * width, low + keep * width
    at_left, at_right = phi(left), phi(right)
    while high - low > tolerance * width and low < left < right < high:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - keep * (high - low)
            at_left = phi(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + keep * (high - low)
            at_right = phi(right)
    return float(left if at_left <= at_right else right)


@checked(share=Limits(above=0, below=1), flatter=Limits(above=0, below=1))
def wolfe(
    f: Landscape,
    theta: Float[ndarray, "d"],
    g: Float[ndarray, "d"],
    p: Float[ndarray, "d"],
    share: float = 1e-4,
    flatter: float = 0.9,
) -> float:
    """A rate that earns its share and ends where the slope along p has risen; found by halving a bracket.

    f(θ + ηp) ≤ f(θ) + cη ∇f(θ)ᵀp,  ∇f(θ + ηp)ᵀp ≥ k ∇f(θ)ᵀp        {eq}`eq-newton-wolfe`

    c = ``share`` is to be below k = ``flatter``. A rise that rounding could have produced counts as none.
    """
    require(share < flatter, "share", f"be below flatter = {flatter:g}", share)
    slope, here = downhill_slope(g, p), f.value(theta)
    slack = 4 * np.finfo(float).eps * abs(here)
    too_short, too_long, eta = 0.0, np.inf, 1.0
    while too_short < eta < too_long:  # until rounding closes the bracket
        there = theta + eta * p
        if not value_or_infinity(f, there) <= here + share * eta * slope + slack:
            too_long = eta
        elif f.gradient(there) @ p < flatter * slope:
            too_short = eta
        else:
            break
        require(eta <= 2.0**200, "f", "stop falling along p", "a value that falls for ever")
        eta = (too_short + too_long) / 2 if too_long < np.inf else 2 * eta
    return eta
