"""Gradient descent: a direction that goes down, and how far to go."""

from chapters_src.optimisation.descent.landscapes import (
    Landscape,
    bowl,
    double_well,
    logistic_landscape,
    quadratic,
    rosenbrock,
    saddle,
)
from chapters_src.optimisation.descent.rates import (
    best_rate,
    convergence_factor,
    rate_bound,
)
from chapters_src.optimisation.descent.walks import (
    Calls,
    Walk,
    backtracking,
    descend,
    downhill_slope,
    steepest,
    value_or_infinity,
)

__all__ = [
    "Calls",
    "Landscape",
    "Walk",
    "backtracking",
    "best_rate",
    "bowl",
    "convergence_factor",
    "descend",
    "double_well",
    "downhill_slope",
    "logistic_landscape",
    "quadratic",
    "rate_bound",
    "rosenbrock",
    "saddle",
    "steepest",
    "value_or_infinity",
]
