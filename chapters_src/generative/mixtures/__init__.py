"""Mixtures of Gaussians and probabilistic PCA: latent variables whose posterior has a formula."""

from chapters_src.generative.mixtures.choosing import bic, free_parameters, soft_assignment
from chapters_src.generative.mixtures.gaussian_mixture import (
    Mixture,
    fit_em,
    fit_mixture,
    log_likelihood,
    maximised,
    mixture,
    mixture_elbo,
    responsibilities,
    start_mixture,
)
from chapters_src.generative.mixtures.ppca import (
    diagonal_gap,
    direction_kl,
    fit_ppca,
    fit_ppca_em,
)

__all__ = [
    "Mixture",
    "bic",
    "diagonal_gap",
    "direction_kl",
    "fit_em",
    "fit_mixture",
    "fit_ppca",
    "fit_ppca_em",
    "free_parameters",
    "log_likelihood",
    "maximised",
    "mixture",
    "mixture_elbo",
    "responsibilities",
    "soft_assignment",
    "start_mixture",
]
