"""What the chapter measures: batches to train on, the size of signals, how long a step may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any

import torch
from torch import nn

from chapters_src.core.array_shapes import outline
from chapters_src.core.contract import checked, require
from chapters_src.core.modules import linear
from chapters_src.core.readers import above, at_least
from chapters_src.core.row_batches import row_batches
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.training import loss_of

__all__ = ["longest_falling_step", "mean_squares", "shuffled_batches"]


@checked(size=at_least(1))
def shuffled_batches(
    X: Float[Tensor, "n d"], y: Int[Tensor, "n"], size: int, generator: torch.Generator
) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches of one size without end; each epoch has a new order and leaves out what fills no batch."""
    require(size <= len(X), "size", f"be at most the {len(X)} rows of X", size)
    return ((X[rows], y[rows]) for rows in row_batches(len(X), size, generator, full=True, device=X.device))


@checked(blocks=at_least(1), scale=above(0))
def mean_squares(
    X: Float[Tensor, "n d"],
    norm: Callable[[int], nn.Module],
    blocks: int,
    generator: torch.Generator,
    scale: float = sqrt(2),
    residual: bool = False,
) -> list[float]:
    """The mean square of the signal after each of many layers with random weights from N(0, scale²/d).

    h ← φ(norm(hW)) in a plain network, h ← h + φ(norm(h))W in a residual one, with φ a ReLU.
    """
    h, found, d = X, [], X.shape[1]
    with torch.no_grad():
        for _ in range(blocks):
            weights, bring = linear(d, d, generator, scale, device=X.device, dtype=X.dtype), norm(d).to(X)
            h = h + weights(bring(h).relu()) if residual else bring(weights(h)).relu()
            found.append(h.square().mean().item())
    return found


@checked(rates=above(0))
def longest_falling_step(
    model: nn.Module,
    loss: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    rates: Sequence[float],
) -> float:
    """The last of these rates, in their order, before a gradient step of that rate no longer lowers the loss.

    The model keeps its parameters; 0 if the first rate is too long already.
    """
    weights = list(model.parameters())
    here, longest = loss_of(model, loss, batch), 0.0
    differentiable = isinstance(here, Tensor) and here.numel() == 1 and here.requires_grad
    require(differentiable, "loss", "give one number with a graph", outline(here))
    gradients = torch.autograd.grad(here, weights)
    start = [w.detach().clone() for w in weights]
    with torch.no_grad():
        for rate in rates:
            for w, w_0, g in zip(weights, start, gradients, strict=True):
                w.copy_(w_0 - rate * g)
            if not loss(model, batch) < here:
                break
            longest = rate
        for w, w_0 in zip(weights, start, strict=True):
            w.copy_(w_0)
    return longest
