"""Approximate posteriors: mean field, gradients from samples, and walks that visit a density."""

from chapters_src.generative.variational.estimators import (
    leave_one_out_baseline,
    reparameterised_gradient,
    score_function_gradient,
    total_variance,
)
from chapters_src.generative.variational.mean_field import (
    MeanField,
    NormalGamma,
    correlated_mean_field,
    fit_mean_field,
    mean_field_elbo,
    normal_gamma,
    normal_gamma_evidence,
    normal_gamma_posterior,
)
from chapters_src.generative.variational.metropolis import (
    Chain,
    autocorrelation,
    effective_sample_size,
    metropolis_hastings,
    random_walk,
)

__all__ = [
    "Chain",
    "MeanField",
    "NormalGamma",
    "autocorrelation",
    "correlated_mean_field",
    "effective_sample_size",
    "fit_mean_field",
    "leave_one_out_baseline",
    "mean_field_elbo",
    "metropolis_hastings",
    "normal_gamma",
    "normal_gamma_evidence",
    "normal_gamma_posterior",
    "random_walk",
    "reparameterised_gradient",
    "score_function_gradient",
    "total_variance",
]
