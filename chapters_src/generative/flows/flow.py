"""A normalising flow: standard normal noise, and layers that bend it into data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.foundations.information import LOG_2PI
from chapters_src.generative.autoencoder import of_model
from chapters_src.generative.flows.layers import Coupling, Mixing

__all__ = ["Flow", "coupling_flow", "standard_normal_log_density"]


@checked
def standard_normal_log_density(z: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    """log N(z; 0, I) of each row, in nats."""
    return -0.5 * (z**2 + LOG_2PI).sum(dim=1)


class Flow(nn.Module):
    """Layers one after the other, from noise to data; back through them goes the density.

    log p(x) = log N(z; 0, I) + Σₖ log|det ∂zₖ₋₁/∂zₖ|     {eq}`eq-flows-composition`
    """

    @checked
    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        require(len(layers) >= 1, "layers", "hold one layer or more", "none")
        self.layers = nn.ModuleList(layers)
        self.d = int(layers[0].d)  # type: ignore[arg-type]

    @checked(z=of_model)
    def forward(self, z: Float[Tensor, "n {self.d}"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n"]]:
        """x and log|det ∂x/∂z|."""
        total = z.new_zeros(len(z))
        for layer in self.layers:
            z, log_det = layer(z)
            total = total + log_det
        return z, total

    @checked(x=of_model)
    def inverse(self, x: Float[Tensor, "n {self.d}"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n"]]:
        """z and log|det ∂z/∂x|: the layers undone, last one first."""
        total = x.new_zeros(len(x))
        layers: Any = list(self.layers)
        for layer in reversed(layers):
            x, log_det = layer.inverse(x)
            total = total + log_det
        return x, total

    @checked(x=of_model)
    def log_density(self, x: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n"]:
        """log p(x) of each row in nats, exactly."""
        z, log_det = self.inverse(x)
        return standard_normal_log_density(z) + log_det

    @checked(n=at_least(1))
    def sample(self, n: int, generator: torch.Generator) -> Float[Tensor, "n d"]:
        """Draw noise where the generator is, and bend it."""
        first = next(self.parameters())
        z = torch.randn(n, self.d, generator=generator, device=generator.device, dtype=first.dtype)
        with torch.no_grad():
            return self(z.to(first.device))[0]


@checked(d=at_least(2), depth=at_least(1), hidden=at_least(1))
def coupling_flow(
    d: int,
    depth: int,
    hidden: Sequence[int],
    generator: torch.Generator,
    mixing: bool = False,
    device: Device = None,
    dtype: Dtype = None,
) -> Flow:
    """``depth`` couplings that keep every other coordinate, the even and the odd ones by turns.

    With ``mixing`` a learned `Mixing` stands before each coupling, so that the split is not always the same.
    """
    layers: list[nn.Module] = []
    for k in range(depth):
        if mixing:
            layers.append(Mixing(d, generator, device, dtype))
        layers.append(Coupling([(i + k) % 2 == 0 for i in range(d)], hidden, generator, device, dtype))
    return Flow(layers)
