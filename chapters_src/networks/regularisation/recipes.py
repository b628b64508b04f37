"""What each regulariser is worth: many networks trained side by side, each on a split of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from chapters_src.core.contract import checked, require
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import Limits, above, at_least, between
from chapters_src.core.shapes import Float, Int, Tensor, ndarray
from chapters_src.core.side_by_side import SideBySide
from chapters_src.core.training import TrainingRun, train
from chapters_src.evaluation.generalisation import noisy_labels
from chapters_src.networks.regularisation.noise import dropout, mixed, shifted

__all__ = ["Part", "Regularisers", "Splits", "draw_splits", "errors_of", "fit_recipe"]


class Part(NamedTuple):
    """Inputs (trials × examples × features) and labels (trials × examples) of one part of each split."""

    X: Float[Tensor, "..."]
    labels: Int[Tensor, "..."]


class Splits(NamedTuple):
    """One division of the same data per trial; the networks learn, are chosen and are judged on its parts."""

    train: Part
    validation: Part
    test: Part


@dataclass(frozen=True)
class Regularisers:
    """How strong each regulariser is; zero is off."""

    decay: float = 0.0
    dropout: float = 0.0
    noise: float = 0.0
    smoothing: float = 0.0
    mixing: float = 0.0
    shift: float = 0.0
    batch: int = 25


@checked(trials=at_least(1), n=at_least(1), wrong=between(0, 1))
def draw_splits(
    X: Float[ndarray, "m d"], labels: Int[ndarray, "m"], trials: int, n: int, wrong: float = 0.0
) -> Splits:
    """For each trial n examples to train, n to choose by and all others to test.

    A share of the labels is wrong in the first two parts; the test part keeps the right ones.
    """
    require(2 * n < len(X), "n", "leave examples to test", n)
    classes, parts = int(labels.max()) + 1, []
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        order, spoilt = rng.permutation(len(X)), noisy_labels(labels, wrong, classes, rng)
        cuts = order[:n], order[n : 2 * n], order[2 * n :]
        parts.append([(X[rows], y[rows]) for rows, y in zip(cuts, (spoilt, spoilt, labels), strict=True)])
    stack = lambda one: [torch.as_tensor(np.stack(arrays)) for arrays in zip(*one, strict=True)]  # noqa: E731
    return Splits(*(Part(pixels.float(), y) for pixels, y in map(stack, zip(*parts, strict=True))))


@checked(
    members=at_least(1),
    width=at_least(1),
    steps=at_least(1),
    learning_rate=above(0),
    momentum=Limits(at_least=0, below=1),
)
def fit_recipe(
    splits: Splits,
    recipe: Regularisers,
    members: int = 1,
    width: int = 64,
    steps: int = 400,
    learning_rate: float = 0.05,
    momentum: float = 0.9,
    seed: int = 0,
    after: Callable[[SideBySide, TrainingRun], object] | None = None,
    progress: bool | None = None,
) -> SideBySide:
    """Train one network per trial and member; the members of a trial differ in their draws alone.

    ``seed`` is a number because two generators start from it: numpy's draws the shares of mixtures,
    because torch's beta distribution takes no generator, and torch's draws all else.
    """
    generator = torch.Generator().manual_seed(seed)
    X, labels = (one.repeat(members, *[1] * (one.dim() - 1)) for one in splits.train)
    K = int(labels.max()) + 1
    model = _start(len(X), X.shape[2], width, K, generator)
    groups: list[dict[str, Any]] = [
        {"params": model.W, "weight_decay": recipe.decay},
        {"params": model.b},
    ]
    optimiser = torch.optim.SGD(groups, lr=learning_rate, momentum=momentum)

    def loss(model: nn.Module, batch: tuple) -> torch.Tensor:
        inputs, targets = batch
        logits = model(inputs, lambda hidden: dropout(hidden, recipe.dropout, generator))
        surprise = -functional.log_softmax(logits, dim=2)
        return (targets * surprise).sum(dim=2).mean(dim=1).sum()  # networks share nothing: add them up

    watch = None if after is None else lambda run: after(model, run)
    batches = _batches(X, labels, K, recipe, generator)
    train(model, loss, batches, optimiser, steps, after=watch, progress=progress)
    return model


def _start(networks: int, d: int, width: int, K: int, generator: torch.Generator) -> SideBySide:
    """Networks with one hidden layer of ReLUs."""
    W1 = normal_weights((networks, d, width), (2 / d) ** 0.5, generator)
    W2 = normal_weights((networks, width, K), width**-0.5, generator)
    return SideBySide([(W1, torch.zeros(networks, 1, width)), (W2, torch.zeros(networks, 1, K))])


@checked(members=at_least(1))
def errors_of(model: SideBySide, part: Part, members: int = 1) -> Float[ndarray, "t"]:
    """The share of wrong answers per trial, from the mean probabilities of its members."""
    with torch.no_grad():
        pi = torch.softmax(model(part.X.repeat(members, 1, 1)), dim=2)
    answers = pi.reshape(members, *part.labels.shape, -1).mean(dim=0).argmax(dim=2)
    return (answers != part.labels).double().mean(dim=1).numpy()


def _batches(
    X: torch.Tensor, labels: torch.Tensor, K: int, recipe: Regularisers, generator: torch.Generator
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Batches of all trials for ever, in a new order per epoch, with the recipe's noise on them."""
    t, n, d = X.shape
    targets = (1 - recipe.smoothing) * functional.one_hot(labels, K).float() + recipe.smoothing / K
    rng, which = np.random.default_rng(generator.initial_seed()), torch.arange(t)[:, None]
    while True:
        order = torch.rand((t, n), generator=generator).argsort(dim=1)
        for rows in order.split(recipe.batch, dim=1):
            x, y = X[which, rows].reshape(-1, d), targets[which, rows].reshape(-1, K)
            if recipe.shift:
                x = _moved(x, recipe.shift, generator)
            if recipe.mixing:
                w = torch.as_tensor(rng.beta(recipe.mixing, recipe.mixing, len(x)), dtype=x.dtype)
                partner = torch.arange(len(x)).reshape(t, -1).roll(1, dims=1).reshape(-1)
                x, y = mixed(x, w, partner), mixed(y, w, partner)
            if recipe.noise:
                x = x + recipe.noise * torch.randn(x.shape, generator=generator)
            yield x.reshape(t, -1, d), y.reshape(t, -1, K)


def _moved(x: torch.Tensor, most: float, generator: torch.Generator) -> torch.Tensor:
    """Square images in rows of pixels, each moved by up to ``most`` pixels in both directions."""
    side = round(x.shape[1] ** 0.5)
    by = most * (2 * torch.rand((2, len(x)), generator=generator) - 1)
    return shifted(x.reshape(-1, side, side), *by).reshape(x.shape)
