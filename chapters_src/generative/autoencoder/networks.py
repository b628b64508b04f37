"""Autoencoders: through a few numbers and back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, refuse
from chapters_src.core.device import Device
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.autoencoder.rows import of_model, widths

__all__ = ["Autoencoder", "mlp"]


@checked(widths=widths)
def mlp(widths: Sequence[int], *, generator: torch.Generator, device: Device = None) -> nn.Sequential:
    """Linear layers of these widths, input first, with a ReLU between two of them.

    Weights and biases are uniform on ±1/√inputs and come from ``generator``: nothing global is drawn from.
    """
    if len(widths) < 2:
        refuse("widths", "be two numbers or more, input first", widths)
    layers: list[nn.Module] = []
    for a, b in pairwise(widths):
        linear: Any = nn.utils.skip_init(nn.Linear, a, b, device=torch.device(device or "cpu"))
        with torch.no_grad():
            for tensor in (linear.weight, linear.bias):
                tensor.uniform_(-(a**-0.5), a**-0.5, generator=generator)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Autoencoder(nn.Module):
    """An encoder to ``latent`` numbers and a decoder back, both `mlp`s; the hidden widths are mirrored.

    x̂ = g(f(x))                                                  {eq}`eq-vae-autoencoder`

    With ``hidden=()`` both are linear and the best of them spans the principal components.
    """

    @checked(d=at_least(1), latent=at_least(1), hidden=widths)
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
        self.encoder = mlp(layers, generator=generator, device=device)
        self.decoder = mlp(layers[::-1], generator=generator, device=device)

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
