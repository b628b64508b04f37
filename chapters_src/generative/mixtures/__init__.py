"""Mixtures of Gaussians and probabilistic PCA: latent variables whose posterior has a formula."""

from chapters_src.generative.mixtures.gaussian_mixture import (
    EM,
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
    PPCA,
    diagonal_gap,
    direction_kl,
    fit_ppca,
    log_evidence,
    posterior,
)

__all__ = [
    "EM",
    "PPCA",
    "Mixture",
    "diagonal_gap",
    "direction_kl",
    "fit_em",
    "fit_mixture",
    "fit_ppca",
    "log_evidence",
    "log_likelihood",
    "maximised",
    "mixture",
    "mixture_elbo",
    "posterior",
    "responsibilities",
    "start_mixture",
]
