"""Variational autoencoders: the decoder is a likelihood, the encoder a posterior; one bound trains both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device
from chapters_src.core.modules import mlp
from chapters_src.core.readers import Ask, above, at_least, one_of
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights
from chapters_src.foundations.information import LOG_2PI
from chapters_src.generative.autoencoder import finite, grey_values, of_model

__all__ = ["VAE", "binarise", "kl_to_prior", "reparameterise"]


class VAE(nn.Module):
    """p(z) = N(0, I), a decoder p(x|z) and an encoder q(z|x) = N(μ(x), diag σ²(x)), both `mlp`s.

    bernoulli:  p(x|z) = ∏ⱼ pⱼ^xⱼ (1−pⱼ)^(1−xⱼ),  p = σ(decoder(z)),  x in {0, 1}    {eq}`eq-vae-bernoulli`
    gaussian:   p(x|z) = N(x; decoder(z), s²I)                                     {eq}`eq-vae-gaussian`

    The decoder's variance s² is ``variance``, or learned where that is None. Given the data's ``average``,
    the decoder's last bias starts there and training need not find it.
    """

    @checked(
        d=at_least(1),
        latent=at_least(1),
        hidden=at_least(1),
        likelihood=one_of(["bernoulli", "gaussian"]),
        variance=above(0),
        average=finite,
    )
    def __init__(
        self,
        d: int,
        latent: int,
        hidden: Sequence[int] = (),
        *,
        likelihood: str = "bernoulli",
        variance: float | None = None,
        average: Float[Tensor, "{d}"] | None = None,
        generator: torch.Generator,
        device: Device = None,
    ) -> None:
        super().__init__()
        require(
            likelihood != "bernoulli" or variance is None,
            "variance",
            "go with a gaussian likelihood",
            variance,
        )
        self.d, self.latent, self.likelihood = d, latent, likelihood
        log_variance = torch.full((), math.log(variance or 1.0), device=torch.device(device or "cpu"))
        learned = likelihood == "gaussian" and variance is None
        self.log_variance = nn.Parameter(log_variance, requires_grad=learned)
        self.encoder = mlp([d, *hidden, 2 * latent], generator, uniform=True, device=device)
        self.decoder = mlp([latent, *reversed(hidden), d], generator, uniform=True, device=device)
        if average is not None:
            if likelihood == "bernoulli":
                average = torch.logit(grey_values(Ask("average"), average), eps=0.005)
            last: Any = self.decoder[-1]
            with torch.no_grad():
                last.bias.copy_(average)

    @checked(X=of_model)
    def encode(self, X: Float[Tensor, "n {self.d}"]) -> tuple[Float[Tensor, "n k"], Float[Tensor, "n k"]]:
        """μ and log σ² of q(z|x), one row each. A logarithm can be any number; a variance cannot."""
        return self._encoded(X)

    def _encoded(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """`encode` without a look at the numbers, for training."""
        mean, log_variance = self.encoder(X).chunk(2, dim=1)  # (n, 2k) -> two of (n, k)
        return mean, log_variance

    @checked(z=of_model)
    def decode(self, z: Float[Tensor, "n {self.latent}"]) -> Float[Tensor, "n d"]:
        """E[x|z]: pixel probabilities, or the mean of the Gaussian."""
        out = self.decoder(z)
        return torch.sigmoid(out) if self.likelihood == "bernoulli" else out

    @checked(X=like_weights, z=like_weights)
    def log_likelihood(
        self, X: Float[Tensor, "n {self.d}"], z: Float[Tensor, "n {self.latent}"]
    ) -> Float[Tensor, "n"]:
        """log p(x|z) in nats, *summed* over pixels: a mean would change what the KL term weighs."""
        out = self.decoder(z)
        if self.likelihood == "bernoulli":  # log σ(a) = −log(1 + e⁻ᵃ), so no probability is ever rounded to 0
            return (X * out - nn.functional.softplus(out)).sum(dim=1)
        squares = (X - out) ** 2 / self.log_variance.exp()
        return -0.5 * (squares + self.log_variance + LOG_2PI).sum(dim=1)


@checked(X=grey_values)
def binarise(X: Float[Tensor, "n d"], generator: torch.Generator) -> Float[Tensor, "n d"]:
    """Toss a coin for every pixel: 1 with the probability that its grey value states."""
    return torch.bernoulli(X, generator=generator)


@checked
def kl_to_prior(mean: Float[Tensor, "n k"], log_variance: Float[Tensor, "n k"]) -> Float[Tensor, "n k"]:
    """KL(N(μ, σ²) ‖ N(0, 1)) of every latent dimension; their sum over a row is that of the example.

    ½(μ² + σ² − 1 − log σ²)                                       {eq}`eq-vae-kl`
    """
    return 0.5 * (mean**2 + torch.expm1(log_variance) - log_variance)  # e^v − 1 without cancelling


@checked
def reparameterise(
    mean: Float[Tensor, "n k"], log_variance: Float[Tensor, "n k"], generator: torch.Generator
) -> Float[Tensor, "n k"]:
    """Draw z ~ N(μ, σ²) as a differentiable function of μ and log σ²; the randomness is in ε alone.

    z = μ + σ ⊙ ε,  σ = exp(½ log σ²),  ε ~ N(0, I)               {eq}`eq-vae-reparameterise`
    """
    eps = torch.randn(mean.shape, generator=generator, device=mean.device, dtype=mean.dtype)
    return mean + (0.5 * log_variance).exp() * eps
