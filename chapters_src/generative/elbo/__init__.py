"""The evidence lower bound: what a posterior that is only approximate still says about the evidence."""

from chapters_src.generative.elbo.bounds import (
    Bound,
    LinearGaussian,
    elbo,
    gaussian_elbo,
    gaussian_posterior,
    linear_gaussian,
    log_evidence,
    whole_model,
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
    "elbo",
    "fit_gaussian",
    "gaussian_elbo",
    "gaussian_posterior",
    "grid_posterior",
    "linear_gaussian",
    "log_evidence",
    "whole_model",
]
