"""What noise in the gradient does to a walk in one direction of a bowl, as an exact mean over all runs."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["mean_squared_distances", "noise_floor"]


@checked(start=at_least(0), curvature=above(0), variance=at_least(0))
def mean_squared_distances(
    start: float, rates: Float[ndarray, "t"], curvature: float, variance: float
) -> Float[ndarray, "_"]:
    """E θ² before the first step and after each step, one rate per step, around a minimum at 0.

    V ← (1−ηλ)²V + η²s²                                       {eq}`eq-stochastic-recursion`
    """
    squares = [start]
    for eta in rates:
        squares.append((1 - eta * curvature) ** 2 * squares[-1] + eta**2 * variance)
    return np.array(squares)


@checked(rate=above(0), curvature=above(0), variance=at_least(0))
def noise_floor(rate: float, curvature: float, variance: float) -> float:
    """The E θ² that a fixed rate approaches and stays at.

    V* = ηs² / (λ(2−ηλ)),  if ηλ < 2
    """
    bound = 2 / curvature
    require(rate < bound, "rate", f"be below 2/curvature = {bound:.4g}", rate)
    return rate * variance / (curvature * (2 - rate * curvature))
