"""Which columns a forest leans on: two measures, both of which can mislead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.ensembles.forests import Forest

__all__ = ["impurity_importance", "permutation_importance"]


@checked(d=at_least(1))
def impurity_importance(forest: Forest, d: int) -> Float[ndarray, "d"]:
    """The share of the removed impurity that each of the d columns removed, on the training rows.

    A question at node t with children l and r removes (W_t I_t − W_l I_l − W_r I_r) / W.
    """
    total = np.zeros(d)
    for tree in forest.trees:
        asked = np.flatnonzero(~tree.is_leaf)
        columns = tree.feature[asked]
        require(columns.max(initial=0) < d, "d", f"be above {columns.max(initial=0)}, a column in use", d)
        mass = tree.weight * tree.impurity / tree.weight[0]
        gain = mass[asked] - mass[tree.left[asked]] - mass[tree.right[asked]]
        removed = np.bincount(columns, gain, minlength=d)
        total += removed / removed.sum() if removed.sum() > 0 else 0
    return total / total.sum() if total.sum() > 0 else total


@checked(repeats=at_least(1))
def permutation_importance(
    loss: Callable[[ndarray], float],
    X: Float[ndarray, "n d"],
    rng: np.random.Generator,
    repeats: int = 10,
) -> Float[ndarray, "repeats d"]:
    """How much ``loss(X)`` rises when one column is shuffled, once per repeat and column."""
    before, rise = loss(X), np.empty((repeats, X.shape[1]))
    for r in range(repeats):
        for j in range(X.shape[1]):
            shuffled = X.copy()
            shuffled[:, j] = rng.permutation(X[:, j])
            rise[r, j] = loss(shuffled) - before
    return rise
