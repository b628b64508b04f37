"""A deep network of blocks of one width, with or without what skips them."""

from __future__ import annotations

from collections.abc import Collection
from math import sqrt
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights

__all__ = ["ResidualNetwork"]


class ResidualNetwork(nn.Module):
    """A linear layer, blocks h ← skip·h + branch·f(h) with f(h) = W ReLU(h) + b, a linear layer on ReLU(h).

    With skip 0 and branch 1 it is a plain network; with skip 1 a residual one, {eq}`eq-residual-block`.
    """

    @checked(inputs=at_least(1), width=at_least(1), outputs=at_least(1), blocks=at_least(0))
    def __init__(
        self,
        inputs: int,
        width: int,
        outputs: int,
        blocks: int,
        generator: torch.Generator,
        skip: float = 1.0,
        branch: float = 1.0,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.inputs, self.skip, self.branch = inputs, skip, branch
        made: Any = {"device": device, "dtype": dtype}
        self.first = linear(inputs, width, generator, **made)
        self.blocks = nn.ModuleList(linear(width, width, generator, sqrt(2), **made) for _ in range(blocks))
        self.last = linear(width, outputs, generator, **made)

    @checked(x=like_weights)
    def forward(
        self, x: Float[Tensor, "n {self.inputs}"], left_out: Collection[int] = ()
    ) -> Float[Tensor, "n k"]:
        """The outputs; a block that is left out hands on what it is given."""
        h = self.first(x)
        for number, f in enumerate(self.blocks):
            if number not in left_out:
                h = self.skip * h + self.branch * f(torch.relu(h))
        return self.last(torch.relu(h))

    @checked(x=like_weights)
    def branch_jacobians(self, x: Float[Tensor, "{self.inputs}"]) -> list[torch.Tensor]:
        """The Jacobian of every branch, branch·∂f/∂h, at the h that this input reaches it with."""
        require(len(self.blocks) > 0, "blocks", "be at least 1", 0)
        with torch.no_grad():
            h, jacobians = self.first(x), []
            for f in self.blocks:
                assert isinstance(f, nn.Linear)
                jacobians.append(self.branch * f.weight * (h > 0))  # column j belongs to input j
                h = self.skip * h + self.branch * f(torch.relu(h))
        return jacobians
