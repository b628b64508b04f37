"""Flow matching: a velocity learned by regression on straight ways from noise to data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import mlp
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like, like_weights
from chapters_src.generative.autoencoder import finite

__all__ = ["VelocityNetwork", "matching_loss", "straight_velocity"]


def _like_the_points(ask: Ask, t: Any) -> Any:
    """One time, or one for each point and of its type."""
    return like("x")(ask, t) if isinstance(t, torch.Tensor) else t


class VelocityNetwork(nn.Module):
    """v(x, t): a network that is given the point and the time."""

    @checked(d=at_least(1), hidden=at_least(1))
    def __init__(
        self,
        d: int,
        hidden: Sequence[int],
        generator: torch.Generator,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.d = d
        self.network = mlp([d + 1, *hidden, d], generator, nn.SiLU, uniform=True, device=device, dtype=dtype)

    @checked(x=like_weights, t=_like_the_points)
    def forward(
        self, x: Float[Tensor, "n {self.d}"], t: Float[Tensor, "n 1"] | float
    ) -> Float[Tensor, "n {self.d}"]:
        """The velocity of each row, all at one time or each at its own."""
        time = t if isinstance(t, torch.Tensor) else x.new_full((len(x), 1), t)
        return self.network(torch.cat([x, time], dim=1))


@checked(x=finite)
def matching_loss(
    model: Callable[..., Any], x: Float[Tensor, "n d"], generator: torch.Generator
) -> Float[Tensor, "n"]:
    """The squared error of the velocity at a random time on a straight way, for each row of the data.

    ‖v((1 − t)z + tx, t) − (x − z)‖²,  z ~ N(0, I),  t uniform on [0, 1]     {eq}`eq-flows-matching`
    """
    place = generator.device
    z = torch.randn(x.shape, generator=generator, device=place, dtype=x.dtype).to(x.device)
    t = torch.rand(len(x), 1, generator=generator, device=place, dtype=x.dtype).to(x.device)
    return ((model((1 - t) * z + t * x, t) - (x - z)) ** 2).sum(dim=1)


@checked
def straight_velocity(
    centres: Float[Tensor, "m d"],
) -> Callable[[Float[Tensor, "n d"], float], Float[Tensor, "n d"]]:
    """The velocity that has the least `matching_loss` if the data are these points, for times below 1.

    v(x, t) = Σᵢ wᵢ(x, t)·(xᵢ − x)/(1 − t),  w = softmax(−‖x − txᵢ‖²/2(1 − t)²)     {eq}`eq-flows-average`
    """

    def velocity(x: Tensor, t: float) -> Tensor:
        away = torch.cdist(x, t * centres) ** 2
        weights = torch.softmax(-away / (2 * (1 - t) ** 2), dim=1)
        return (weights @ centres - x) / (1 - t)

    return velocity
