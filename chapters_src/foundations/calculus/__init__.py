"""How outputs answer to small changes of inputs: gradients, Jacobians, Taylor polynomials, convexity."""

from chapters_src.foundations.calculus.convexity import (
    chord_gap,
    least_curvature,
    subdifferential,
    tangent_gap,
)
from chapters_src.foundations.calculus.differences import (
    along_x,
    central_difference,
    difference_gradient,
    difference_hessian,
    difference_jacobian,
    float_point,
    forward_difference,
)
from chapters_src.foundations.calculus.models import linear_model, quadratic_model, taylor_polynomial

__all__ = [
    "along_x",
    "central_difference",
    "chord_gap",
    "difference_gradient",
    "difference_hessian",
    "difference_jacobian",
    "float_point",
    "forward_difference",
    "least_curvature",
    "linear_model",
    "quadratic_model",
    "subdifferential",
    "tangent_gap",
    "taylor_polynomial",
]
