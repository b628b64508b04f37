"""A network, labels of which some are wrong, and how far it learns them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np
import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, above, at_least, between, described
from chapters_src.core.shapes import Float, Int, Tensor, ndarray
from chapters_src.core.training import TrainingRun, train

__all__ = ["error_rate", "fit_labels", "noisy_labels", "squared_loss"]


@checked(share=between(0, 1), classes=at_least(2))
def noisy_labels(
    labels: Int[ndarray, "n"], share: float, classes: int, rng: np.random.Generator
) -> Int[ndarray, "n"]:
    """Replace each label with probability ``share`` by one of the other classes, all equally likely."""
    require(
        ((labels >= 0) & (labels < classes)).all(), "labels", f"be classes from 0 to {classes - 1}", labels
    )
    wrong = (labels + rng.integers(1, classes, len(labels))) % classes
    return np.where(rng.random(len(labels)) < share, wrong, labels)


def pair(ask: Ask, batch: Any) -> tuple[Any, Any]:
    """Inputs and outputs."""
    both = isinstance(batch, (tuple, list)) and len(batch) == 2
    if not both or not all(isinstance(one, torch.Tensor) for one in batch):
        ask.fail("be a pair of tensors X, Y", described(batch))
    return batch


@checked(batch=pair)
def squared_loss(model: nn.Module, batch: tuple) -> Float[Tensor, ""]:
    """Squared distance between the outputs and the one-hot label, mean over the examples of a batch (X, Y).

    L = (1/n) Σᵢ ‖f(xᵢ) − yᵢ‖²                        {eq}`eq-generalisation-network`
    """
    X, Y = batch
    return ((model(X) - Y) ** 2).sum(dim=1).mean()


@checked(classes=at_least(2), steps=at_least(1), learning_rate=above(0))
def fit_labels(
    model: nn.Module,
    X: Float[Tensor, "n d"],
    labels: Int[Tensor, "n"],
    classes: int,
    steps: int = 1000,
    learning_rate: float = 0.01,
    after: Callable[[TrainingRun], object] | None = None,
    progress: bool | None = None,
) -> TrainingRun:
    """Train on all examples at once with Adam; over the second half the learning rate falls to zero."""
    Y = nn.functional.one_hot(labels, classes).to(X.dtype)
    optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate)
    rate = lambda step: learning_rate * min(1.0, 2 * (1 - step / steps))  # noqa: E731
    return train(model, squared_loss, repeat((X, Y)), optimiser, steps, rate, after=after, progress=progress)


@checked
def error_rate(model: nn.Module, X: Float[Tensor, "n d"], labels: Int[Tensor, "n"]) -> float:
    """The share of examples whose largest output is not at their label."""
    with torch.no_grad():
        return float((model(X).argmax(dim=1) != labels).double().mean())
