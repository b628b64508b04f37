"""Approximate posteriors: mean field, walks that visit a density, and gradients from samples."""

from chapters_src.generative.variational.diagnostics import (
    autocorrelation,
    effective_sample_size,
    split_r_hat,
)
from chapters_src.generative.variational.estimators import (
    leave_one_out_baseline,
    reparameterised_gradient,
    score_function_gradient,
    total_variance,
)
from chapters_src.generative.variational.gibbs import gibbs_sampler
from chapters_src.generative.variational.hamiltonian import hamiltonian_walk, leapfrog
from chapters_src.generative.variational.mean_field import (
    NormalGamma,
    correlated_mean_field,
    fit_mean_field,
    mean_field_elbo,
    normal_gamma,
    normal_gamma_evidence,
    normal_gamma_posterior,
)
from chapters_src.generative.variational.metropolis import Chain, metropolis_hastings, random_walk

__all__ = [
    "Chain",
    "NormalGamma",
    "autocorrelation",
    "correlated_mean_field",
    "effective_sample_size",
    "fit_mean_field",
    "gibbs_sampler",
    "hamiltonian_walk",
    "leapfrog",
    "leave_one_out_baseline",
    "mean_field_elbo",
    "metropolis_hastings",
    "normal_gamma",
    "normal_gamma_evidence",
    "normal_gamma_posterior",
    "random_walk",
    "reparameterised_gradient",
    "score_function_gradient",
    "split_r_hat",
    "total_variance",
]
