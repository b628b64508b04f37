"""Why a model does well on data it has not seen: bias and variance, capacity, and fits beyond it."""

from chapters_src.evaluation.generalisation.capacity import cover_count, labellings, linear_rademacher
from chapters_src.evaluation.generalisation.decomposition import (
    Decomposition,
    bias_variance,
    linear_bias_variance,
    optimism,
    vote_error,
)
from chapters_src.evaluation.generalisation.interpolation import cosine_features, minimum_norm_risk
from chapters_src.evaluation.generalisation.minima import rescaled, sharpness
from chapters_src.evaluation.generalisation.networks import error_rate, fit_labels, noisy_labels, squared_loss

__all__ = [
    "Decomposition",
    "bias_variance",
    "cosine_features",
    "cover_count",
    "error_rate",
    "fit_labels",
    "labellings",
    "linear_bias_variance",
    "linear_rademacher",
    "minimum_norm_risk",
    "noisy_labels",
    "optimism",
    "rescaled",
    "sharpness",
    "squared_loss",
    "vote_error",
]
