"""Newton's method: how far to go along a direction, and directions that know or learn the curvature."""

from chapters_src.optimisation.newton.directions import downhill_newton, newton
from chapters_src.optimisation.newton.line_search import exact, golden_section, wolfe
from chapters_src.optimisation.newton.quasi_newton import BFGS, LBFGS, bfgs_update, lbfgs_product

__all__ = [
    "BFGS",
    "LBFGS",
    "bfgs_update",
    "downhill_newton",
    "exact",
    "golden_section",
    "lbfgs_product",
    "newton",
    "wolfe",
]
