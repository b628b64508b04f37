"""What other chapters may import from here."""

from chapters_src.models.logistic.regression import (
    fit_logistic,
    fit_logistic_descent,
    logistic_gradient,
    logistic_hessian,
    logistic_loss,
    separates,
    standard_errors,
)
from chapters_src.models.logistic.scores import (
    accuracy,
    binary_cross_entropy,
    binary_cross_entropy_gradient,
    class_labels,
    cross_entropy,
    cross_entropy_gradient,
    entropy,
    logit,
    logsumexp,
    one_hot,
    sigmoid,
    softmax,
    yes_or_no,
)

__all__ = [
    "accuracy",
    "binary_cross_entropy",
    "binary_cross_entropy_gradient",
    "class_labels",
    "cross_entropy",
    "cross_entropy_gradient",
    "entropy",
    "fit_logistic",
    "fit_logistic_descent",
    "logistic_gradient",
    "logistic_hessian",
    "logistic_loss",
    "logit",
    "logsumexp",
    "one_hot",
    "separates",
    "sigmoid",
    "softmax",
    "standard_errors",
    "yes_or_no",
]
