"""The bounds that train a VAE and judge it, its training, and samples from it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.generative.autoencoder import fit_epochs, of_model
from chapters_src.generative.vae.model import VAE, binarise, kl_to_prior, reparameterise

__all__ = ["Terms", "ancestral_samples", "elbo", "elbo_terms", "fit_vae", "iwae_bound", "observable"]


class Terms(NamedTuple):
    """The two terms of the bound, in nats, for each example."""

    reconstruction: Float[Tensor, "n"]
    kl: Float[Tensor, "n"]


def observable(ask: Ask, X: Any) -> Any:
    """Read rows that the model gives a probability: a Bernoulli gives none to grey values."""
    X = of_model(ask, X)
    bernoulli = ask.arguments["model"].likelihood == "bernoulli"
    if bernoulli and X.device.type != "meta" and not bool(((X == 0) | (X == 1)).all()):
        rule = "hold 0 and 1 alone, because a Bernoulli gives grey values no probability: binarise it"
        ask.fail(rule, "other values")
    return X


@checked(X=observable, samples=at_least(1))
def elbo_terms(
    model: VAE, X: Float[Tensor, "n {model.d}"], generator: torch.Generator, samples: int = 1
) -> Terms:
    """Reconstruction and KL of each example: the first estimated from ``samples`` draws, the second exact."""
    return _terms(model, X, generator, samples)


def _terms(model: VAE, X: Tensor, generator: torch.Generator, samples: int) -> Terms:
    mean, log_variance = model._encoded(X)
    logs = [model.log_likelihood(X, reparameterise(mean, log_variance, generator)) for _ in range(samples)]
    return Terms(torch.stack(logs).mean(dim=0), kl_to_prior(mean, log_variance).sum(dim=1))


@checked(X=observable, samples=at_least(1), beta=at_least(0))
def elbo(
    model: VAE,
    X: Float[Tensor, "n {model.d}"],
    generator: torch.Generator,
    samples: int = 1,
    beta: float = 1.0,
) -> Float[Tensor, "n"]:
    """The evidence lower bound of each example in nats, estimated without bias. Higher is better.

    E_q[log p(x|z)] − β KL(q(z|x) ‖ p(z)) ≤ log p(x)              {eq}`eq-vae-elbo`

    It is a bound only with β ≥ 1. Maximise its mean; an optimiser that minimises is given −elbo.
    """
    terms = _terms(model, X, generator, samples)
    return terms.reconstruction - beta * terms.kl


@checked(X=observable, samples=at_least(1))
def iwae_bound(
    model: VAE, X: Float[Tensor, "n {model.d}"], generator: torch.Generator, samples: int
) -> Float[Tensor, "n"]:
    """The importance-weighted bound with K = ``samples`` on log p(x) of each example, in nats.

    E[log (1/K) Σₖ wₖ] ≤ log p(x),  wₖ = p(x|zₖ)p(zₖ)/q(zₖ|x)     {eq}`eq-vae-iwae`

    K = 1 estimates the ELBO; the bound rises with K and reaches log p(x) in the limit.
    """
    mean, log_variance = model._encoded(X)
    logs = []
    for _ in range(samples):
        z = reparameterise(mean, log_variance, generator)
        squares = (z - mean) ** 2 / log_variance.exp() - z**2  # log p(z) − log q(z|x), constants cancel
        logs.append(model.log_likelihood(X, z) + 0.5 * (squares + log_variance).sum(dim=1))
    return torch.logsumexp(torch.stack(logs), dim=0) - math.log(samples)


@checked(X=of_model, epochs=at_least(1), beta=at_least(0))
def fit_vae(
    model: VAE,
    X: Float[Tensor, "n {model.d}"],
    epochs: int,
    *,
    generator: torch.Generator,
    beta: float = 1.0,
    **options: Any,
) -> Float[ndarray, "{epochs}"]:
    """Maximise the mean ELBO with Adam, one z per example, in place; return that mean for each epoch.

    Under a Bernoulli likelihood the grey values of X are binarised anew in every batch. See
    `fit_epochs` for the options.
    """
    if grey := model.likelihood == "bernoulli":
        binarise(X, generator)  # says what is wrong before a minute is spent

    def loss(rows: torch.Tensor) -> torch.Tensor:
        rows = torch.bernoulli(rows, generator=generator) if grey else rows
        terms = _terms(model, rows, generator, 1)
        return beta * terms.kl - terms.reconstruction

    return -fit_epochs(model, X, loss, epochs, generator=generator, **options)


@checked(n=at_least(1))
@torch.no_grad()
def ancestral_samples(
    model: VAE, n: int, generator: torch.Generator, noise: bool = True
) -> Float[Tensor, "n d"]:
    """Draw z from the prior, decode it, draw x from the likelihood; without ``noise`` stop at E[x|z].

    z ~ N(0, I),  x ~ p(x|z)                                      {eq}`eq-vae-ancestral`
    """
    like = model.log_variance
    z = torch.randn(n, model.latent, generator=generator, device=like.device, dtype=like.dtype)
    x = model.decode(z)
    if not noise:
        return x
    if model.likelihood == "bernoulli":
        return torch.bernoulli(x, generator=generator)
    eps = torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)
    return x + (0.5 * model.log_variance).exp() * eps
