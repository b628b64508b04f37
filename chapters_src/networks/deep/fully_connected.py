"""A fully connected layer in torch, with the weight matrix the way round that the formula has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights
from chapters_src.networks.shallow import layer_widths

__all__ = ["FullyConnectedLayer", "fully_connected_network"]


class FullyConnectedLayer(nn.Module):
    """φ(XW + b), with W of shape (inputs, units) and b of shape (units,).   {eq}`eq-deep-layers`

    units·(inputs + 1) parameters. Weights are drawn with variance 2/inputs, which keeps the size of a signal
    through hinges; biases begin at 0. `nn.Linear` stores the transpose of W.
    """

    @checked(inputs=at_least(1), units=at_least(1))
    def __init__(
        self,
        inputs: int,
        units: int,
        activation: Callable[[torch.Tensor], torch.Tensor] | None = torch.relu,
        *,
        generator: torch.Generator,
        device: Device = None,
    ) -> None:
        super().__init__()
        self.W = nn.Parameter(normal_weights((inputs, units), 1.0, generator, device) * (2 / inputs) ** 0.5)
        self.b = nn.Parameter(torch.zeros(units, device=device))
        self.activation = activation

    @checked(X=like_weights)
    def forward(self, X: Float[Tensor, "n {self.W.shape[0]}"]) -> Float[Tensor, "n units"]:
        """One row in, one row out; the bias is added to every row."""
        A = X @ self.W + self.b  # (n, inputs) @ (inputs, units) + (units,) -> (n, units)
        return A if self.activation is None else self.activation(A)


@checked(widths=layer_widths)
def fully_connected_network(
    widths: Sequence[int],
    activation: Callable[[torch.Tensor], torch.Tensor] = torch.relu,
    *,
    generator: torch.Generator,
    device: Device = None,
) -> nn.Sequential:
    """Layers of these widths (inputs, hidden ones, outputs), with no activation after the last."""
    last = len(widths) - 2
    return nn.Sequential(
        *(
            FullyConnectedLayer(m, n, activation if k < last else None, generator=generator, device=device)
            for k, (m, n) in enumerate(pairwise(widths))
        )
    )
