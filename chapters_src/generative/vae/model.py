"""Variational autoencoders: the decoder is a likelihood, the encoder a posterior; one bound trains both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from chapters_src.core import checks
from chapters_src.core import device as devices
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.generative.autoencoder.networks import Device, batch, fit, mlp, torch_generator

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

LIKELIHOODS = ("bernoulli", "gaussian")
LOG_2PI = math.log(2 * math.pi)


class VAE(nn.Module):
    """p(z) = N(0, I), a decoder p(x|z) and an encoder q(z|x) = N(μ(x), diag σ²(x)), both `mlp`s.

    bernoulli:  p(x|z) = ∏ⱼ pⱼ^xⱼ (1−pⱼ)^(1−xⱼ),  p = σ(decoder(z)),  x in {0, 1}    {eq}`eq-vae-bernoulli`
    gaussian:   p(x|z) = N(x; decoder(z), s²I)                                     {eq}`eq-vae-gaussian`

    The decoder's variance s² is ``variance``, or learned where that is None. Given the data's ``average``,
    the decoder's last bias starts there and training need not find it.
    """

    def __init__(
        self,
        d: int,
        latent: int,
        hidden: Sequence[int] = (),
        *,
        likelihood: str = "bernoulli",
        variance: float | None = None,
        average: Float[Tensor, "d"] | None = None,
        generator: torch.Generator,
        device: Device = None,
    ) -> None:
        super().__init__()
        self.d = checks.integer("VAE", "d", d, at_least=1)
        self.latent = checks.integer("VAE", "latent", latent, at_least=1)
        if likelihood not in LIKELIHOODS:
            checks.fail("VAE", "likelihood", "be 'bernoulli' or 'gaussian'", repr(likelihood))
        if likelihood == "bernoulli" and variance is not None:
            checks.fail("VAE", "variance", "go with a gaussian likelihood", repr(variance))
        self.likelihood = likelihood
        place = devices.pick("cpu" if device is None else device)
        start = 1.0 if variance is None else checks.number("VAE", "variance", variance, above=0)
        log_variance = torch.full((), math.log(start), device=place)
        learned = likelihood == "gaussian" and variance is None
        self.log_variance = nn.Parameter(log_variance, requires_grad=learned)
        self.encoder = mlp([self.d, *hidden, 2 * self.latent], generator=generator, device=place)
        self.decoder = mlp([self.latent, *reversed(hidden), self.d], generator=generator, device=place)
        if average is not None:
            row = average[None] if isinstance(average, torch.Tensor) else average
            row = batch("VAE", row, self.d, "average")
            grey = row.device.type == "meta" or bool(((row >= 0) & (row <= 1)).all())
            if likelihood == "bernoulli" and not grey:
                checks.fail("VAE", "average", "hold probabilities from 0 to 1", "others")
            start_bias = torch.logit(row[0], eps=0.005) if likelihood == "bernoulli" else row[0]
            last: Any = self.decoder[-1]
            with torch.no_grad():
                last.bias.copy_(start_bias)

    def encode(self, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n k"], Float[Tensor, "n k"]]:
        """μ and log σ² of q(z|x), one row each. A logarithm can be any number; a variance cannot."""
        return self._encoded(batch("encode", X, self.d))

    def _encoded(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """`encode` for rows that have been looked at."""
        mean, log_variance = self.encoder(X).chunk(2, dim=1)  # (n, 2k) -> two of (n, k)
        return mean, log_variance

    def decode(self, z: Float[Tensor, "n k"]) -> Float[Tensor, "n d"]:
        """E[x|z]: pixel probabilities, or the mean of the Gaussian."""
        out = self.decoder(batch("decode", z, self.latent, "z", "latent dimension"))
        return torch.sigmoid(out) if self.likelihood == "bernoulli" else out

    def log_likelihood(self, X: Float[Tensor, "n d"], z: Float[Tensor, "n k"]) -> Float[Tensor, "n"]:
        """log p(x|z) in nats, *summed* over pixels: a mean would change what the KL term weighs."""
        out = self.decoder(z)
        if self.likelihood == "bernoulli":  # log σ(a) = −log(1 + e⁻ᵃ), so no probability is ever rounded to 0
            return (X * out - nn.functional.softplus(out)).sum(dim=1)
        squares = (X - out) ** 2 / self.log_variance.exp()
        return -0.5 * (squares + self.log_variance + LOG_2PI).sum(dim=1)


def binarise(X: Float[Tensor, "n d"], generator: torch.Generator) -> Float[Tensor, "n d"]:
    """Toss a coin for every pixel: 1 with the probability that its grey value states."""
    X = batch("binarise", X, X.shape[-1] if isinstance(X, torch.Tensor) and X.ndim else 0)
    if X.device.type != "meta" and not bool(((X >= 0) & (X <= 1)).all()):
        checks.fail("binarise", "X", "hold grey values from 0 to 1", "others")
    return torch.bernoulli(X, generator=torch_generator("binarise", generator))


def kl_to_prior(mean: Float[Tensor, "n k"], log_variance: Float[Tensor, "n k"]) -> Float[Tensor, "n k"]:
    """KL(N(μ, σ²) ‖ N(0, 1)) of every latent dimension; their sum over a row is that of the example.

    ½(μ² + σ² − 1 − log σ²)                                       {eq}`eq-vae-kl`
    """
    _same_shape("kl_to_prior", mean, log_variance)
    return 0.5 * (mean**2 + torch.expm1(log_variance) - log_variance)  # e^v − 1 without cancelling


def reparameterise(
    mean: Float[Tensor, "n k"], log_variance: Float[Tensor, "n k"], generator: torch.Generator
) -> Float[Tensor, "n k"]:
    """Draw z ~ N(μ, σ²) as a differentiable function of μ and log σ²; the randomness is in ε alone.

    z = μ + σ ⊙ ε,  σ = exp(½ log σ²),  ε ~ N(0, I)               {eq}`eq-vae-reparameterise`
    """
    _same_shape("reparameterise", mean, log_variance)
    torch_generator("reparameterise", generator)
    eps = torch.randn(mean.shape, generator=generator, device=mean.device, dtype=mean.dtype)
    return mean + (0.5 * log_variance).exp() * eps


def _same_shape(function: str, mean: Any, log_variance: Any) -> None:
    for name, value in (("mean", mean), ("log_variance", log_variance)):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            checks.fail(function, name, "be a tensor of floats", f"a {type(value).__name__}")
    if mean.shape != log_variance.shape:
        rule = f"have shape {tuple(mean.shape)}, the shape of mean"
        checks.fail(function, "log_variance", rule, tuple(log_variance.shape))


class Terms(NamedTuple):
    """The two terms of the bound, in nats, for each example."""

    reconstruction: Float[Tensor, "n"]
    kl: Float[Tensor, "n"]


def _terms(model: VAE, X: Any, generator: torch.Generator, samples: int) -> Terms:
    mean, log_variance = model._encoded(X)
    logs = [model.log_likelihood(X, reparameterise(mean, log_variance, generator)) for _ in range(samples)]
    return Terms(torch.stack(logs).mean(dim=0), kl_to_prior(mean, log_variance).sum(dim=1))


def _read(function: str, model: Any, X: Any, generator: Any, samples: Any) -> tuple[VAE, torch.Tensor]:
    if not isinstance(model, VAE):
        checks.fail(function, "model", "be a VAE", f"a {type(model).__name__}")
    X = batch(function, X, model.d)
    if model.likelihood == "bernoulli" and X.device.type != "meta" and not bool(((X == 0) | (X == 1)).all()):
        rule = "hold 0 and 1 alone, because a Bernoulli gives grey values no probability: binarise it"
        checks.fail(function, "X", rule, "other values")
    torch_generator(function, generator)
    checks.integer(function, "samples", samples, at_least=1)
    return model, X


def elbo_terms(model: VAE, X: Float[Tensor, "n d"], generator: torch.Generator, samples: int = 1) -> Terms:
    """Reconstruction and KL of each example: the first estimated from ``samples`` draws, the second exact."""
    return _terms(*_read("elbo_terms", model, X, generator, samples), generator, samples)


def elbo(
    model: VAE, X: Float[Tensor, "n d"], generator: torch.Generator, samples: int = 1, beta: float = 1.0
) -> Float[Tensor, "n"]:
    """The evidence lower bound of each example in nats, estimated without bias. Higher is better.

    E_q[log p(x|z)] − β KL(q(z|x) ‖ p(z)) ≤ log p(x)              {eq}`eq-vae-elbo`

    Only with β ≥ 1 is it a bound. Maximise its mean; an optimiser that minimises is given −elbo.
    """
    model, X = _read("elbo", model, X, generator, samples)
    beta = checks.number("elbo", "beta", beta, at_least=0)
    terms = _terms(model, X, generator, samples)
    return terms.reconstruction - beta * terms.kl


def iwae_bound(
    model: VAE, X: Float[Tensor, "n d"], generator: torch.Generator, samples: int
) -> Float[Tensor, "n"]:
    """The importance-weighted bound with K = ``samples`` on log p(x) of each example, in nats.

    E[log (1/K) Σₖ wₖ] ≤ log p(x),  wₖ = p(x|zₖ)p(zₖ)/q(zₖ|x)     {eq}`eq-vae-iwae`

    K = 1 estimates the ELBO; the bound rises with K and reaches log p(x) in the limit.
    """
    model, X = _read("iwae_bound", model, X, generator, samples)
    mean, log_variance = model._encoded(X)
    logs = []
    for _ in range(samples):
        z = reparameterise(mean, log_variance, generator)
        squares = (z - mean) ** 2 / log_variance.exp() - z**2  # log p(z) − log q(z|x), constants cancel
        logs.append(model.log_likelihood(X, z) + 0.5 * (squares + log_variance).sum(dim=1))
    return torch.logsumexp(torch.stack(logs), dim=0) - math.log(samples)


def fit_vae(
    model: VAE, X: Float[Tensor, "n d"], epochs: int, *, beta: float = 1.0, **options: Any
) -> Float[ndarray, "{epochs}"]:
    """Maximise the mean ELBO with Adam, one z an example, in place; return that mean for each epoch.

    Under a Bernoulli likelihood the grey values of X are binarised anew in every batch. See
    `autoencoder.fit` for the options (``generator`` is required).
    """
    generator = torch_generator("fit_vae", options.get("generator"))
    if not isinstance(model, VAE):
        checks.fail("fit_vae", "model", "be a VAE", f"a {type(model).__name__}")
    X = batch("fit_vae", X, model.d)
    beta = checks.number("fit_vae", "beta", beta, at_least=0)
    grey = model.likelihood == "bernoulli"
    if grey:
        binarise(X, generator)  # says what is wrong before a minute is spent

    def loss(rows: torch.Tensor) -> torch.Tensor:
        rows = torch.bernoulli(rows, generator=generator) if grey else rows
        terms = _terms(model, rows, generator, 1)
        return beta * terms.kl - terms.reconstruction

    return -fit(model, X, loss, epochs, **options)


@torch.no_grad()
def ancestral_samples(
    model: VAE, n: int, generator: torch.Generator, noise: bool = True
) -> Float[Tensor, "n d"]:
    """Draw z from the prior, decode it, draw x from the likelihood; without ``noise`` stop at E[x|z].

    z ~ N(0, I),  x ~ p(x|z)                                      {eq}`eq-vae-ancestral`
    """
    if not isinstance(model, VAE):
        checks.fail("ancestral_samples", "model", "be a VAE", f"a {type(model).__name__}")
    n = checks.integer("ancestral_samples", "n", n, at_least=1)
    torch_generator("ancestral_samples", generator)
    like = model.log_variance
    z = torch.randn(n, model.latent, generator=generator, device=like.device, dtype=like.dtype)
    x = model.decode(z)
    if not noise:
        return x
    if model.likelihood == "bernoulli":
        return torch.bernoulli(x, generator=generator)
    eps = torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)
    return x + (0.5 * model.log_variance).exp() * eps
