"""Several networks of one shape, computed at once: what depends on luck needs more than one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights

__all__ = ["SideBySide", "Stack"]

Stack = list[tuple[torch.Tensor, torch.Tensor]]


def stacked(ask: Ask, value: Any) -> Stack:
    """Layers (W, b) of several networks: W has the axes network, input, unit, and b network, 1, unit."""
    rule = "be a list of pairs (W, b) of tensors with shapes (runs, inputs, units) and (runs, 1, units)"
    ask.require(isinstance(value, list) and bool(value), rule, type(value).__name__)
    for pair in value:
        fits = isinstance(pair, tuple) and len(pair) == 2 and all(map(torch.is_tensor, pair))
        fits = fits and pair[0].ndim == 3 and pair[1].shape == (len(pair[0]), 1, pair[0].shape[2])
        ask.require(fits, rule, "another pair")
    return value


class SideBySide(nn.Module):
    """Networks that share nothing but their widths: H ← φ(HW + b) in each, without φ after the last layer.

    The gradient of a sum of losses is that of each network alone, so by a rule that works entry by entry,
    such as SGD or Adam, each is trained as if it were the only one.
    """

    @checked(layers=stacked)
    def __init__(self, layers: Stack, phi: Callable[[torch.Tensor], torch.Tensor] = torch.relu) -> None:
        super().__init__()
        self.W = nn.ParameterList(nn.Parameter(W.clone()) for W, _ in layers)
        self.b = nn.ParameterList(nn.Parameter(b.clone()) for _, b in layers)
        self.phi = phi

    @checked(X=like_weights)
    def forward(
        self,
        X: Float[Tensor, "*runs n {self.W[0].shape[1]}"],
        between: Callable[[torch.Tensor], torch.Tensor] = lambda H: H,
    ) -> Float[Tensor, "{len(self.W[0])} n k"]:
        """One batch for all networks, or one for each; ``between`` is put behind every hidden layer."""
        runs = len(self.W[0])
        require(X.shape[:-2] in {(), (runs,)}, "X", f"be one batch for all or {runs} batches", tuple(X.shape))
        H = X.expand(runs, *X.shape[-2:])
        for W, b in zip(self.W[:-1], self.b[:-1], strict=True):
            H = between(self.phi(torch.baddbmm(b, H, W)))
        return torch.baddbmm(self.b[-1], H, self.W[-1])
