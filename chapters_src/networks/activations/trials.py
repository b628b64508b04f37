"""Several networks of one shape trained at once, each with its own data, start and learning rate."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from chapters_src.core.contract import checked, require
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import above, at_least
from chapters_src.core.row_batches import row_batches
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.side_by_side import SideBySide
from chapters_src.core.training import train

__all__ = ["start_together", "train_together"]


@checked(widths=at_least(1), scale=at_least(0))
def start_together(
    widths: Sequence[int],
    generators: Sequence[torch.Generator],
    phi: Callable[[torch.Tensor], torch.Tensor] = torch.relu,
    scale: float = math.sqrt(2),
) -> SideBySide:
    """One network per generator: weights from N(0, scale²/inputs), drawn layer by layer, and biases 0."""
    layers = [
        (
            torch.stack([normal_weights((d, k), scale / math.sqrt(d), one) for one in generators]),
            torch.zeros(len(generators), 1, k),
        )
        for d, k in pairwise(widths)
    ]
    return SideBySide(layers, phi)


@checked(rates=above(0), epochs=at_least(0), batch_size=at_least(1), momentum=at_least(0))
def train_together(
    start: SideBySide,
    X: Float[Tensor, "runs n d"],
    y: Int[Tensor, "runs n"],
    rates: Sequence[float],
    epochs: int,
    batch_size: int,
    generator: torch.Generator,
    momentum: float = 0.0,
    after: Callable[[SideBySide], object] = lambda model: None,
    progress: bool | None = None,
) -> SideBySide:
    """Trained copies of the networks: SGD on the cross-entropy, v ← momentum·v − rate·∇, θ ← θ + v.

    A loss times a number has a gradient times that number: this gives each network a rate of its own.
    """
    require(len(rates) == len(X), "rates", f"be {len(X)} numbers, one per network", len(rates))
    model, rate = copy.deepcopy(start), torch.tensor(list(rates), dtype=X.dtype)

    def loss(model: nn.Module, rows: torch.Tensor) -> torch.Tensor:
        logits = model(X[:, rows]).transpose(1, 2)
        return rate @ cross_entropy(logits, y[:, rows], reduction="none").mean(dim=1)

    batches = row_batches(X.shape[1], batch_size, generator, device=X.device)
    steps = epochs * math.ceil(X.shape[1] / batch_size)
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0, momentum=momentum)
    train(model, loss, batches, optimiser, steps, after=lambda run: after(model), progress=progress)
    return model
