"""A fully connected layer in torch, with the weight matrix the way round that the formula has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import nn

from chapters_src.core import checks
from chapters_src.core.device import pick
from chapters_src.core.shapes import Float, Tensor

__all__ = ["FullyConnectedLayer", "fully_connected_network"]


class FullyConnectedLayer(nn.Module):
    """φ(XW + b), with W of shape (inputs, units) and b of shape (units,).   {eq}`eq-deep-layers`

    units·(inputs + 1) parameters. Weights are drawn with variance 2/inputs, which keeps the size of a signal
    through hinges; biases begin at 0. `nn.Linear` stores the transpose of W.
    """

    def __init__(
        self,
        inputs: int,
        units: int,
        activation: Callable[[torch.Tensor], torch.Tensor] | None = torch.relu,
        *,
        generator: torch.Generator,
        device: str | torch.device | None = None,
    ) -> None:
        super().__init__()
        name = "FullyConnectedLayer"
        inputs = checks.integer(name, "inputs", inputs, at_least=1)
        units = checks.integer(name, "units", units, at_least=1)
        if activation is not None and not callable(activation):
            checks.fail(name, "activation", "be a function or None", repr(activation))
        if not isinstance(generator, torch.Generator):
            checks.fail(name, "generator", "be a torch.Generator, as from device.seed(0)", repr(generator))
        place = torch.device("cpu") if device is None else pick(device)
        drawn = torch.randn(inputs, units, generator=generator, device=generator.device)
        self.W = nn.Parameter((drawn * (2 / inputs) ** 0.5).to(place))
        self.b = nn.Parameter(torch.zeros(units, device=place))
        self.activation = activation

    def forward(self, X: Float[Tensor, "n inputs"]) -> Float[Tensor, "n units"]:
        """One row in, one row out; the bias is added to every row."""
        if X.ndim != 2 or X.shape[1] != len(self.W):
            checks.fail(
                "FullyConnectedLayer", "X", f"have shape (n, {len(self.W)})", f"shape {tuple(X.shape)}"
            )
        A = X @ self.W + self.b  # (n, inputs) @ (inputs, units) + (units,) -> (n, units)
        return A if self.activation is None else self.activation(A)


def fully_connected_network(
    widths: Sequence[int],
    activation: Callable[[torch.Tensor], torch.Tensor] = torch.relu,
    *,
    generator: torch.Generator,
    device: str | torch.device | None = None,
) -> nn.Sequential:
    """Layers of these widths (inputs, hidden ones, outputs), with no activation after the last."""
    if not isinstance(widths, (list, tuple)) or len(widths) < 2:
        checks.fail(
            "fully_connected_network",
            "widths",
            "list the inputs, the hidden widths and the outputs",
            repr(widths),
        )
    for one in widths:
        checks.integer("fully_connected_network", "widths", one, at_least=1)
    last = len(widths) - 2
    return nn.Sequential(
        *(
            FullyConnectedLayer(m, n, activation if k < last else None, generator=generator, device=device)
            for k, (m, n) in enumerate(pairwise(widths))
        )
    )
