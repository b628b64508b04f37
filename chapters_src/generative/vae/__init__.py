"""What other chapters may import from here."""

from chapters_src.generative.vae.model import (
    VAE,
    Terms,
    ancestral_samples,
    binarise,
    elbo,
    elbo_terms,
    fit_vae,
    iwae_bound,
    kl_to_prior,
    reparameterise,
)

__all__ = [
    "VAE",
    "Terms",
    "ancestral_samples",
    "binarise",
    "elbo",
    "elbo_terms",
    "fit_vae",
    "iwae_bound",
    "kl_to_prior",
    "reparameterise",
]
