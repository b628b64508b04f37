"""What other chapters may import from here."""

from chapters_src.generative.elbo.bounds import (
    Bound,
    LinearGaussian,
    discrete_kl,
    elbo,
    gaussian_elbo,
    gaussian_entropy,
    gaussian_kl,
    gaussian_posterior,
    linear_gaussian,
    log_evidence,
    multivariate_gaussian_kl,
)
from chapters_src.generative.elbo.climbing import (
    Banana,
    GaussianFit,
    GridPosterior,
    banana,
    fit_gaussian,
    grid_posterior,
)

__all__ = [
    "Banana",
    "Bound",
    "GaussianFit",
    "GridPosterior",
    "LinearGaussian",
    "banana",
    "discrete_kl",
    "elbo",
    "fit_gaussian",
    "gaussian_elbo",
    "gaussian_entropy",
    "gaussian_kl",
    "gaussian_posterior",
    "grid_posterior",
    "linear_gaussian",
    "log_evidence",
    "multivariate_gaussian_kl",
]
