"""The training that this chapter tunes: softmax regression by stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.softmax import class_numbers

__all__ = ["softmax_epochs"]


@checked(y=class_numbers, K=at_least(1), ridge=at_least(0), epochs=at_least(1), batch_size=at_least(1))
def softmax_epochs(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    K: int,
    rate: Callable[[int], float],
    ridge: float,
    epochs: int,
    batch_size: int,
    rng: np.random.Generator,
) -> Float[ndarray, "{epochs} d {K}"]:
    """The weights W after each epoch of mini-batch descent from 0, with learning rate ``rate(t)`` at step t.

    W ← W − ηₜ(Xᵦᵀ(π − one-hot yᵦ)/B + 2λW)           {eq}`eq-search-training`

    Where a weight overflows, training ends, and the last finite weights stand for the remaining epochs.
    """
    W, targets, t = np.zeros((X.shape[1], K)), np.eye(K)[y], 0
    after = []
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(epochs):
            order = rng.permutation(len(y))
            for rows in (order[i : i + batch_size] for i in range(0, len(y), batch_size)):
                a = X[rows] @ W  # (B, d) @ (d, K) -> (B, K)
                weights = np.exp(a - a.max(axis=1, keepdims=True))
                miss = weights / weights.sum(axis=1, keepdims=True) - targets[rows]
                step = W - rate(t) * (X[rows].T @ miss / len(rows) + 2 * ridge * W)
                W, t = (step, t + 1) if np.isfinite(step).all() else (W, t + 1)
            after.append(W)
    return np.array(after)
