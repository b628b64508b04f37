"""Fitting a linear model: the squared error, its exact minimum, and the way down to it."""

from chapters_src.models.least_squares.descent import fit_gradient_descent, step_size_bound
from chapters_src.models.least_squares.fast import least_squares_by_blocks, reduced_rows
from chapters_src.models.least_squares.solutions import least_squares, normal_equations
from chapters_src.models.least_squares.squared_error import (
    mean_squared_error,
    mean_squared_error_hessian,
    noise_variance,
    polynomial_features,
    r_squared,
    sum_squared_error,
    with_bias,
)

__all__ = [
    "fit_gradient_descent",
    "least_squares",
    "least_squares_by_blocks",
    "mean_squared_error",
    "mean_squared_error_hessian",
    "noise_variance",
    "normal_equations",
    "polynomial_features",
    "r_squared",
    "reduced_rows",
    "step_size_bound",
    "sum_squared_error",
    "with_bias",
]
