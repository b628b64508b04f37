"""Softmax regression: K classes, and a temperature."""

from chapters_src.models.softmax.probabilities import (
    class_numbers,
    cross_entropy,
    cross_entropy_gradient,
    logsumexp,
    one_hot,
    sample_classes,
    smoothed_cross_entropy,
    smoothed_targets,
    softmax,
)
from chapters_src.models.softmax.regions import class_region
from chapters_src.models.softmax.regression import (
    fit_softmax,
    fit_softmax_descent,
    softmax_gradient,
    softmax_hessian,
    softmax_loss,
)

__all__ = [
    "class_numbers",
    "class_region",
    "cross_entropy",
    "cross_entropy_gradient",
    "fit_softmax",
    "fit_softmax_descent",
    "logsumexp",
    "one_hot",
    "sample_classes",
    "smoothed_cross_entropy",
    "smoothed_targets",
    "softmax",
    "softmax_gradient",
    "softmax_hessian",
    "softmax_loss",
]
