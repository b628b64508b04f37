"""One normalised unit: its loss knows only the direction of its weights."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float
from chapters_src.networks.normalisation.batch import batch_norm, batch_norm_backward

__all__ = ["descend_normalised", "normalised_unit_loss"]


@checked
def normalised_unit_loss(
    w: Float[ndarray, "d"], X: Float[ndarray, "n d"], y: Float[ndarray, "n"]
) -> tuple[float, Float[ndarray, "d"]]:
    """The mean squared error of a batch-normalised linear unit, and its gradient.

    L(w) = (1/n) ‖(Xw − μ)/σ − y‖²                                      {eq}`eq-normalisation-unit`
    """
    a, one, zero = (X @ w)[:, None], np.ones(1), np.zeros(1)
    miss = batch_norm(a, one, zero, eps=0.0)[:, 0] - y
    delta, _, _ = batch_norm_backward(a, one, 2 / len(y) * miss[:, None], eps=0.0)
    return float(np.mean(miss**2)), X.T @ delta[:, 0]


@checked(learning_rate=above(0), decay=at_least(0), steps=at_least(0))
def descend_normalised(
    w: Float[ndarray, "d"],
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    learning_rate: float,
    steps: int,
    decay: float = 0.0,
) -> Float[ndarray, "t d"]:
    """The weights after 0, 1, … steps of descent, with weight decay if wanted.

    w ← w − η (∇L(w) + λ w)                                             {eq}`eq-normalisation-step`
    """
    path = [w]
    for _ in range(steps):
        _, gradient = bare(normalised_unit_loss)(path[-1], X, y)
        path.append(path[-1] - learning_rate * (gradient + decay * path[-1]))
    return np.array(path)
