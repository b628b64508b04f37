"""Two stochastic layers: the prior of the first code is a VAE of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.foundations.information import LOG_2PI
from chapters_src.generative.autoencoder import fit_epochs, of_model
from chapters_src.generative.vae.bounds import observable
from chapters_src.generative.vae.model import VAE, binarise, kl_to_prior, reparameterise

__all__ = ["TwoLevelTerms", "fit_two_level", "two_level_samples", "two_level_terms"]


class TwoLevelTerms(NamedTuple):
    """The three terms of the bound of two layers, in nats, for each example."""

    reconstruction: Float[Tensor, "n"]
    lower: Float[Tensor, "n"]
    upper: Float[Tensor, "n"]

    @property
    def elbo(self) -> Float[Tensor, "n"]:
        """The bound: what the pixels get, minus what both codes cost."""
        return self.reconstruction - self.lower - self.upper


def of_codes(ask: Ask, upper: Any) -> VAE:
    """Read a VAE of codes: Gaussian, as wide as the code below it, of its precision and on its device."""
    model = ask.arguments["model"]
    latent, theirs, ours = model.latent, model.log_variance, upper.log_variance
    ask.require(upper.likelihood == "gaussian", "have a gaussian likelihood", repr(upper.likelihood))
    same = (theirs.dtype, theirs.device) == (ours.dtype, ours.device)
    ask.require(same, f"be {theirs.dtype} on {theirs.device}, as model is", f"{ours.dtype} on {ours.device}")
    ask.require(upper.d == latent, f"be a VAE of {latent} numbers, the code of model", upper.d)
    return upper


@checked(upper=of_codes, X=observable)
def two_level_terms(
    model: VAE, upper: VAE, X: Float[Tensor, "n {model.d}"], generator: torch.Generator
) -> TwoLevelTerms:
    """Estimate the three terms of each example from one path x → z₁ → z₂.

    E[log p(x|z₁)] − E[log q(z₁|x)/p(z₁|z₂)] − E[KL(q(z₂|z₁) ‖ p(z₂))]     {eq}`eq-vae-deep`

    `model` has the layers next to the picture; where it alone would take N(0, I) for the prior of z₁, the
    bound of `upper`, a VAE of z₁, stands for log p(z₁).
    """
    return _terms(model, upper, X, generator)


def _terms(model: VAE, upper: VAE, X: Tensor, generator: torch.Generator) -> TwoLevelTerms:
    mean, log_variance = model._encoded(X)
    z = reparameterise(mean, log_variance, generator)
    log_q = -0.5 * ((z - mean) ** 2 / log_variance.exp() + log_variance + LOG_2PI).sum(dim=1)
    mean_2, log_variance_2 = upper._encoded(z)
    log_p = upper.log_likelihood(z, reparameterise(mean_2, log_variance_2, generator))
    return TwoLevelTerms(
        model.log_likelihood(X, z), log_q - log_p, kl_to_prior(mean_2, log_variance_2).sum(dim=1)
    )


@checked(upper=of_codes, X=of_model, epochs=at_least(1))
def fit_two_level(
    model: VAE,
    upper: VAE,
    X: Float[Tensor, "n {model.d}"],
    epochs: int,
    *,
    generator: torch.Generator,
    **options: Any,
) -> Float[ndarray, "{epochs}"]:
    """Maximise the mean bound of two layers in place; return that mean for each epoch. See `fit_vae`."""
    if grey := model.likelihood == "bernoulli":
        binarise(X, generator)  # says what is wrong before a minute is spent

    def loss(rows: Tensor) -> Tensor:
        rows = torch.bernoulli(rows, generator=generator) if grey else rows
        return -_terms(model, upper, rows, generator).elbo

    both = torch.nn.ModuleList([model, upper])
    return -fit_epochs(both, X, loss, epochs, generator=generator, **options)


@checked(upper=of_codes, n=at_least(1), m=at_least(1))
@torch.no_grad()
def two_level_samples(
    model: VAE, upper: VAE, n: int, generator: torch.Generator, m: int = 1
) -> Float[Tensor, "n m d"]:
    """Draw z₂, then ``m`` times z₁ given that z₂, and return E[x|z₁]: from the top down.

    z₂ ~ N(0, I),  z₁ ~ p(z₁|z₂),  x ~ p(x|z₁)                    {eq}`eq-vae-downwards`
    """
    like = upper.log_variance
    options: Any = {"generator": generator, "device": like.device, "dtype": like.dtype}
    centre = upper.decode(torch.randn(n, upper.latent, **options))
    eps = torch.randn(n, m, model.latent, **options)
    z = centre[:, None] + (0.5 * like).exp() * eps  # (n, m, latent)
    return model.decode(z.reshape(n * m, -1)).reshape(n, m, -1)
