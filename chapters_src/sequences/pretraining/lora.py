"""Fine-tuning a few numbers: a frozen layer, and beside it a product of two thin matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import above, at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights

__all__ = ["LowRank", "adapt", "merge"]


def narrow_side(seen: dict[str, Any]) -> int:
    """The most that the rank of the layer's matrix can be."""
    return min(seen["layer"].weight.shape)


class LowRank(nn.Module):
    """A linear layer that stays as it is, plus a correction of low rank that is learned.

    y = xWᵀ + b + s·(xAᵀ)Bᵀ,  A is r×d_in, B is d_out×r and starts at 0     {eq}`eq-pretraining-low-rank`

    At first nothing is changed, because B = 0; A is random, for with both at 0 neither would get a gradient.
    r·(d_in + d_out) numbers are learned in place of d_in·d_out.
    """

    @checked(rank=within(1, narrow_side), scale=above(0))
    def __init__(self, layer: nn.Linear, rank: int, generator: torch.Generator, scale: float = 1.0) -> None:
        super().__init__()
        self.layer, self.scale, self.inputs = layer.requires_grad_(False), scale, layer.in_features
        place = (layer.weight.device, layer.weight.dtype)
        drawn = normal_weights((rank, self.inputs), 1 / math.sqrt(self.inputs), generator, *place)
        self.A = nn.Parameter(drawn)
        self.B = nn.Parameter(torch.zeros(layer.out_features, rank, device=place[0], dtype=place[1]))

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "*batch {self.inputs}"]) -> Float[Tensor, "*batch o"]:
        return self.layer(x) + self.scale * (x @ self.A.T) @ self.B.T

    def merged(self) -> nn.Linear:
        """One plain layer that does the same: W + s·BA. Nothing is slower for having been adapted."""
        layer = self.layer
        made = nn.Linear(layer.in_features, layer.out_features, layer.bias is not None, device="meta")
        made = made.to_empty(device=self.A.device).to(self.A.dtype)
        with torch.no_grad():
            made.weight.copy_(layer.weight + self.scale * self.B @ self.A)
            if layer.bias is not None:
                made.bias.copy_(layer.bias)
        return made


@checked(rank=at_least(1), scale=above(0))
def adapt(
    model: nn.Module,
    rank: int,
    generator: torch.Generator,
    names: Sequence[str] = ("qkv",),
    scale: float = 1.0,
) -> list[nn.Parameter]:
    """Freeze a model in place, put `LowRank` around its linear layers of these names, return what learns."""
    found = [(owner, name) for owner, name, child in _children(model) if name in names]
    found = [(owner, name) for owner, name in found if isinstance(getattr(owner, name), nn.Linear)]
    require(found, "names", "name linear layers of the model", repr(tuple(names))[:60])
    model.requires_grad_(False)
    learned: list[nn.Parameter] = []
    for owner, name in found:
        wrapped = LowRank(getattr(owner, name), rank, generator, scale)
        setattr(owner, name, wrapped)
        learned += [wrapped.A, wrapped.B]
    return learned


@checked
def merge(model: nn.Module) -> nn.Module:
    """Replace every `LowRank` of a model, in place, by the plain layer it amounts to; all may learn again."""
    for owner, name, child in _children(model):
        if isinstance(child, LowRank):
            setattr(owner, name, child.merged())
    return model.requires_grad_(True)


def _children(model: nn.Module) -> list[tuple[nn.Module, str, Any]]:
    return [(owner, name, child) for owner in model.modules() for name, child in owner.named_children()]
