"""Autoencoders: through a few numbers and back."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.modules import mlp
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.autoencoder.rows import of_model

__all__ = ["Autoencoder"]


class Autoencoder(nn.Module):
    """An encoder to ``latent`` numbers and a decoder back, both `mlp`s; the hidden widths are mirrored.

    x̂ = g(f(x))                                                  {eq}`eq-vae-autoencoder`

    With ``hidden=()`` both are linear and the best of them spans the principal components.
    """

    @checked(d=at_least(1), latent=at_least(1), hidden=at_least(1))
    def __init__(
        self,
        d: int,
        latent: int,
        hidden: Sequence[int] = (),
        *,
        generator: torch.Generator,
        device: Device = None,
    ) -> None:
        super().__init__()
        self.d, self.latent = d, latent
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
        return self.decoder(z)

    @checked(X=of_model)
    def squared_error(self, X: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n"]:
        """‖x − g(f(x))‖² of each row, summed over its pixels."""
        return ((self.decoder(self.encoder(X)) - X) ** 2).sum(dim=1)
