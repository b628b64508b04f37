"""Training of small sequence models: fresh examples without end, Adam, and a rate that rises and falls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Int, Tensor
from chapters_src.core.training import TrainingRun, train
from chapters_src.optimisation.search import warm_up_cosine_rate

__all__ = ["Pairs", "examples", "fit_with_adam"]

Pairs = tuple[Int[Tensor, "n s"], Int[Tensor, "n t"]]


def parameter_list(ask: Ask, value: list[Any]) -> list[Any]:
    """Parameters, one or more."""
    ask.require(
        value and all(isinstance(one, nn.Parameter) for one in value),
        "be a list of parameters to learn",
        f"{len(value)} things",
    )
    return value


@checked(steps=at_least(2), learning_rate=above(0), parameters=parameter_list)
def fit_with_adam(
    model: nn.Module,
    loss: Callable[[Any, Any], torch.Tensor],
    batches: Iterable[Any],
    steps: int,
    learning_rate: float = 3e-3,
    parameters: Sequence[nn.Parameter] | None = None,
    progress: bool | None = None,
) -> TrainingRun:
    """`train` with Adam: the rate rises for a tenth of the steps, then falls along a cosine.

    All that the model learns is learned, unless ``parameters`` names what should be.
    """
    chosen = list(model.parameters()) if parameters is None else parameters
    adam = torch.optim.Adam(chosen, lr=learning_rate, betas=(0.9, 0.98))

    def rate(step: int) -> float:
        return warm_up_cosine_rate(step, learning_rate, max(steps // 10, 1), steps)

    return train(model, loss, batches, adam, steps, rate=rate, clip=1.0, progress=progress)


@checked(length=at_least(1), batch_size=at_least(1))
def examples(
    task: Callable[[int, int, torch.Generator], Pairs],
    length: int,
    generator: torch.Generator,
    batch_size: int = 64,
    device: Device = None,
) -> Iterator[Pairs]:
    """Fresh examples of a task, a batch at a time and without end."""
    while True:
        source, target = task(batch_size, length, generator)
        yield source.to(device), target.to(device)
