"""Growing a tree: ask the best question, divide the rows, and go on with each part."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Bool, Float, ndarray
from chapters_src.models.trees.planting import Question, check_growth, grown
from chapters_src.models.trees.splits import IMPURITIES, best_split, first_of_best
from chapters_src.models.trees.tree import Tree

__all__ = ["draws", "fit_tree"]


@checked(
    impurity=one_of(IMPURITIES),
    max_depth=at_least(0),
    min_leaf=at_least(1),
    weights=at_least(0),
    max_features=at_least(1),
)
def fit_tree(
    X: Float[ndarray, "n d"],
    Y: Float[ndarray, "n *k"],
    impurity: str = "variance",
    max_depth: int | None = None,
    min_leaf: int = 1,
    weights: Float[ndarray, "n"] | None = None,
    missing: Bool[ndarray, "n d"] | None = None,
    max_features: int | None = None,
    rng: np.random.Generator | None = None,
) -> Tree:
    """Grow a tree greedily: each node takes the threshold that lowers the impurity most.

    Y holds numbers, or one-hot rows for classes. Rows of weight 0 are left out. ``max_features`` columns are
    drawn per node with ``rng``, and more while none of those drawn can be split.
    """
    w = check_growth(X, Y, impurity, weights, max_features, rng)
    gaps = np.zeros(X.shape, bool) if missing is None else missing

    def ask(rows: ndarray) -> Question | None:
        for columns in draws(X.shape[1], max_features, rng):
            splits = [
                bare(best_split)(X[rows, j], Y[rows], impurity, min_leaf, w[rows], gaps[rows, j])
                for j in columns
            ]
            top = first_of_best(np.array([split.gain for split in splits]))
            (gain, threshold, missing_left), j = splits[top], int(columns[top])
            if gain > -np.inf:
                left = np.where(gaps[rows, j], missing_left, X[rows, j] <= threshold)
                seen = missing_left if gaps[rows, j].any() else None
                return Question(j, threshold, seen, rows[left], rows[~left])
        return None

    return grown(Y, w, impurity, max_depth, min_leaf, ask)


def draws(d: int, max_features: int | None, rng: np.random.Generator | None) -> Iterator[ndarray]:
    """The columns to look at: all of them, or ``max_features`` at random, then others."""
    if max_features is None or rng is None or max_features >= d:
        yield np.arange(d)
        return
    order = rng.permutation(d)
    for first in range(0, d, max_features):
        yield np.sort(order[first : first + max_features])
