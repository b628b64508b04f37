"""Training by epochs: every row once in a random order, then all of them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.row_batches import row_batches
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.core.training import train
from chapters_src.generative.autoencoder.networks import Autoencoder
from chapters_src.generative.autoencoder.rows import grey_values, of_model
from chapters_src.optimisation.search import warm_up_cosine_rate

__all__ = ["fit_autoencoder", "fit_epochs"]


@checked(epochs=at_least(1), batch_size=at_least(1), learning_rate=above(0))
def fit_epochs(
    model: nn.Module,
    X: Float[Tensor, "n d"],
    loss: Callable[[Any], Any],
    epochs: int,
    *,
    generator: torch.Generator,
    batch_size: int = 128,
    learning_rate: float = 4e-3,
    progress: bool | None = None,
) -> Float[ndarray, "{epochs}"]:
    """Minimise the mean of ``loss(rows of X)`` with Adam, in place; return that mean for each epoch.

    The rate rises for three tenths of the steps and falls to 0 along a cosine. The losses stay on the device
    and are read once, at the end.
    """
    steps = epochs * -(-len(X) // batch_size)
    warm_up = max(3 * steps // 10, 1)
    run = train(
        model,
        lambda _, rows: loss(rows).mean(),
        (X[rows] for rows in row_batches(len(X), batch_size, generator, device=X.device)),
        torch.optim.Adam([one for one in model.parameters() if one.requires_grad], lr=learning_rate),
        steps,
        rate=lambda step: warm_up_cosine_rate(step, learning_rate, warm_up, steps + 1),
        progress=progress,
    )
    losses = run.losses.cpu().double().numpy().reshape(epochs, -1)
    # The last batch of an epoch may be short, and counts for as many rows as it has.
    return np.average(losses, axis=1, weights=[len(rows) for rows in X.split(batch_size)])


@checked(X=of_model, epochs=at_least(1))
def fit_autoencoder(
    model: Autoencoder,
    X: Float[Tensor, "n {model.d}"],
    epochs: int,
    *,
    generator: torch.Generator,
    **options: Any,
) -> Float[ndarray, "{epochs}"]:
    """Minimise the mean squared error of the reconstructions, or the cross-entropy for a bernoulli model.

    See `fit_epochs` for the options.
    """
    if model.likelihood == "bernoulli":
        grey_values(Ask("X"), X)
    return fit_epochs(model, X, model.training_loss, epochs, generator=generator, **options)
