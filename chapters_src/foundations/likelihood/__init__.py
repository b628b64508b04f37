"""From a model's outputs to a distribution, and from a distribution to a loss."""

from chapters_src.foundations.likelihood.losses import (
    bernoulli_nll,
    beta_nll,
    categorical_nll,
    gaussian_nll,
    poisson_nll,
)
from chapters_src.foundations.likelihood.network import MeanAndVariance, fit_mean_and_variance

__all__ = [
    "MeanAndVariance",
    "bernoulli_nll",
    "beta_nll",
    "categorical_nll",
    "fit_mean_and_variance",
    "gaussian_nll",
    "poisson_nll",
]
