"""What other chapters may import from here."""

from chapters_src.models.least_squares.fast import triangle
from chapters_src.models.least_squares.regression import (
    Descent,
    fit_gradient_descent,
    gaussian_log_likelihood,
    least_squares,
    mean_squared_error,
    mean_squared_error_gradient,
    mean_squared_error_hessian,
    noise_variance,
    normal_equations,
    polynomial_features,
    r_squared,
    step_size_bound,
    sum_squared_error,
    with_bias,
)

__all__ = [
    "Descent",
    "fit_gradient_descent",
    "gaussian_log_likelihood",
    "least_squares",
    "mean_squared_error",
    "mean_squared_error_gradient",
    "mean_squared_error_hessian",
    "noise_variance",
    "normal_equations",
    "polynomial_features",
    "r_squared",
    "step_size_bound",
    "sum_squared_error",
    "triangle",
    "with_bias",
]
