"""Variational autoencoders: the decoder is a likelihood, the encoder a posterior; one bound trains both."""

from chapters_src.generative.vae.bounds import (
    Terms,
    ancestral_samples,
    elbo,
    elbo_terms,
    fit_vae,
    iwae_bound,
)
from chapters_src.generative.vae.model import VAE, binarise, kl_to_prior, reparameterise
from chapters_src.generative.vae.two_level import (
    TwoLevelTerms,
    fit_two_level,
    two_level_samples,
    two_level_terms,
)

__all__ = [
    "VAE",
    "Terms",
    "TwoLevelTerms",
    "ancestral_samples",
    "binarise",
    "elbo",
    "elbo_terms",
    "fit_two_level",
    "fit_vae",
    "iwae_bound",
    "kl_to_prior",
    "reparameterise",
    "two_level_samples",
    "two_level_terms",
]
