"""The training of the small models here: Adam, and a rate that rises and falls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.training import TrainingRun, train
from chapters_src.optimisation.search import warm_up_cosine_rate

__all__ = ["fit_with_adam"]


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
