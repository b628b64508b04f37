"""Autoencoders: through a few numbers and back."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.modules import mlp
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.autoencoder.rows import grey_of_model, of_model

__all__ = ["Autoencoder"]


class Autoencoder(nn.Module):
    """An encoder to ``latent`` numbers and a decoder back, both `mlp`s; the hidden widths are mirrored.

    x̂ = g(f(x))                                                  {eq}`eq-autoencoder-loss`

    The last layer gives x̂ itself where the likelihood is gaussian, and its log-odds where it is bernoulli.
    With ``hidden=()`` both maps are linear and the best of them spans the principal components.
    """

    @checked(
        d=at_least(1),
        latent=at_least(1),
        hidden=at_least(1),
        likelihood=one_of(["gaussian", "bernoulli"]),
    )
    def __init__(
        self,
        d: int,
        latent: int,
        hidden: Sequence[int] = (),
        *,
        likelihood: str = "gaussian",
        generator: torch.Generator,
        device: Device = None,
    ) -> None:
        super().__init__()
        self.d, self.latent, self.likelihood = d, latent, likelihood
        layers = [d, *hidden, latent]
        self.encoder = mlp(layers, generator, uniform=True, device=device)
        self.decoder = mlp(layers[::-1], generator, uniform=True, device=device)

    @checked(X=of_model)
    def encode(self, X: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n k"]:
        """The code of each row."""
        return self.encoder(X)

    @checked(z=of_model)
    def decode(self, z: Float[Tensor, "n {self.latent}"]) -> Float[Tensor, "n d"]:
        """What each code stands for."""
        return self._decoded(z)

    def _decoded(self, z: Tensor) -> Tensor:
        out = self.decoder(z)
        return torch.sigmoid(out) if self.likelihood == "bernoulli" else out

    @checked(X=of_model)
    def squared_error(self, X: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n"]:
        """‖x − g(f(x))‖² of each row, summed over its pixels."""
        return ((self._decoded(self.encoder(X)) - X) ** 2).sum(dim=1)

    @checked(X=grey_of_model)
    def cross_entropy(self, X: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n"]:
        """−Σⱼ xⱼ log x̂ⱼ + (1 − xⱼ) log(1 − x̂ⱼ) of each row, where x̂ are probabilities.

        From the log-odds a it is log(1 + eᵃ) − xa, so that no probability is rounded to 0.
        """
        return self._cross_entropy(X)

    def _cross_entropy(self, X: Tensor) -> Tensor:
        out = self.decoder(self.encoder(X))
        if self.likelihood == "gaussian":  # means, not log-odds: those outside 0 … 1 are no probabilities
            out = torch.logit(out, eps=1e-3)
        return (nn.functional.softplus(out) - X * out).sum(dim=1)

    def training_loss(self, X: Tensor) -> Tensor:
        """What training makes small: −log p(x|z), without what no weight can change. Nothing is checked."""
        if self.likelihood == "bernoulli":
            return self._cross_entropy(X)
        return ((self.decoder(self.encoder(X)) - X) ** 2).sum(dim=1)
