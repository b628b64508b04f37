"""Logistic regression: a probability from a linear model."""

from chapters_src.models.logistic.fast import fit_logistic_by_blocks
from chapters_src.models.logistic.probabilities import (
    accuracy,
    binary_cross_entropy,
    logit,
    sigmoid,
    softplus,
    zero_or_one,
)
from chapters_src.models.logistic.regression import (
    fit_logistic,
    fit_logistic_descent,
    has_no_minimum,
    logistic_gradient,
    logistic_hessian,
    logistic_loss,
    standard_errors,
)
from chapters_src.models.logistic.separation import grows_for_ever, may_run_away, separates

__all__ = [
    "accuracy",
    "binary_cross_entropy",
    "fit_logistic",
    "fit_logistic_by_blocks",
    "fit_logistic_descent",
    "grows_for_ever",
    "has_no_minimum",
    "logistic_gradient",
    "logistic_hessian",
    "logistic_loss",
    "logit",
    "may_run_away",
    "separates",
    "sigmoid",
    "softplus",
    "standard_errors",
    "zero_or_one",
]
