"""From rows to a tree: ask, divide, go on with both parts, and sum up what the nodes hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import require
from chapters_src.core.shapes import ndarray
from chapters_src.foundations.information import entropy
from chapters_src.models.trees.tree import Tree

__all__ = ["Question", "check_growth", "grown"]

LEAF: dict[str, Any] = {"feature": -1, "threshold": 0.0, "left": -1, "right": -1, "missing_left": False}
KINDS = (int, float, int, int, object)


class Question(NamedTuple):
    """Is x[feature] ≤ threshold? And the rows that go left and right.

    ``missing_left`` is None where no value was missing, so that nothing says where one should go.
    """

    feature: int
    threshold: float
    missing_left: bool | None
    left: ndarray
    right: ndarray


def grown(
    Y: ndarray,
    w: ndarray,
    impurity: str,
    max_depth: int | None,
    min_leaf: int,
    ask: Callable[[ndarray], Question | None],
) -> Tree:
    """Divide the rows by the question that ``ask(rows)`` returns, and each part again, until none is left."""
    nodes: list[dict[str, Any]] = []
    leaf = np.full(len(Y), -1)  # the leaf of each row, as far as the tree has grown
    todo: list[Any] = [(np.flatnonzero(w > 0), 0, {}, "root")]
    while todo:
        rows, depth, parent, side = todo.pop()
        leaf[rows] = parent[side] = len(nodes)
        nodes.append(dict(LEAF))
        done = depth == max_depth or len(rows) < 2 * min_leaf or (Y[rows] == Y[rows[0]]).all()
        question = None if done else ask(rows)
        if question is not None:
            feature, threshold, missing_left, left, right = question
            nodes[-1].update(feature=feature, threshold=threshold, missing_left=missing_left)
            todo += [(right, depth + 1, nodes[-1], "right"), (left, depth + 1, nodes[-1], "left")]
    return planted(nodes, leaf, Y, w, impurity)


def check_growth(
    X: ndarray,
    Y: ndarray,
    impurity: str,
    weights: ndarray | None,
    max_features: int | None,
    rng: np.random.Generator | None,
) -> ndarray:
    """The weights, once what no single argument tells has been found in order."""
    if impurity == "entropy":
        shares = Y.ndim == 2 and (Y >= 0).all() and np.allclose(Y.sum(axis=1), 1)
        require(shares, "Y", "be one-hot, or shares that add up to 1, for the entropy", f"shape {Y.shape}")
    drawn = max_features is None or max_features >= X.shape[1] or rng is not None
    require(drawn, "rng", "be a generator, because max_features draws columns", rng)
    w = np.ones(len(X)) if weights is None else weights
    require(w.any(), "weights", "have an entry above 0", "zeros")
    return w


def planted(nodes: list[dict[str, Any]], leaf: ndarray, Y: ndarray, w: ndarray, impurity: str) -> Tree:
    """The tree with these questions, its values and impurities summed up from the leaves to the root.

    ``leaf`` is the leaf of each training row, −1 where its weight is 0.
    """
    feature, threshold, left, right, missing_left = (  # type: ignore[var-annotated]
        np.array([node[name] for node in nodes], kind) for name, kind in zip(LEAF, KINDS, strict=True)
    )
    used, m = w > 0, len(nodes)
    flat = Y[used].reshape(used.sum(), -1)
    centre = np.average(flat, axis=0, weights=w[used])  # squares around it do not swamp the spread
    squares = ((flat - centre) ** 2).sum(axis=1)
    sums = w[used, None] * np.column_stack([np.ones(len(flat)), flat, squares])
    total = np.column_stack([np.bincount(leaf[used], column, minlength=m) for column in sums.T])
    for node in np.flatnonzero(feature >= 0)[::-1]:  # children before their parents
        total[node] = total[left[node]] + total[right[node]]
    W, value, square = total[:, 0], total[:, 1:-1] / total[:, :1], total[:, -1] / total[:, 0]
    unseen = [one is None for one in missing_left]  # no gap to learn from: later ones go with the majority
    missing_left = np.where(unseen, W[left] > W[right], missing_left).astype(bool)
    if impurity == "entropy":
        spread = entropy(value)
    else:
        spread = np.maximum(square - ((value - centre) ** 2).sum(axis=1), 0.0)
    return Tree(feature, threshold, left, right, missing_left, value.reshape(m, *Y.shape[1:]), spread, W)
