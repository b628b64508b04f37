"""What other chapters may import from here."""

from chapters_src.optimisation.descent.landscapes import (
    Landscape,
    bowl,
    double_well,
    logistic_loss,
    quadratic,
    rosenbrock,
    saddle,
)
from chapters_src.optimisation.descent.walks import (
    Calls,
    Walk,
    backtracking,
    best_rate,
    convergence_factor,
    descend,
    downhill_newton,
    exact,
    golden_section,
    newton,
    rate_bound,
    steepest,
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
    "downhill_newton",
    "exact",
    "golden_section",
    "logistic_loss",
    "newton",
    "quadratic",
    "rate_bound",
    "rosenbrock",
    "saddle",
    "steepest",
]
