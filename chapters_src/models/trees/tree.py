"""A tree as arrays: one entry per node, the root first and every node before its children."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.shapes import Bool, Float, Int, ndarray

__all__ = ["Tree", "leaf_boxes", "leaf_of", "predict_tree"]


class Tree(NamedTuple):
    """Rows with x[feature] ≤ threshold go to ``left``, the others to ``right``; a leaf has feature −1.

    ``value`` is the mean target of the training rows in a node, ``impurity`` their impurity, ``weight`` their
    weight. A missing x[feature] goes left where ``missing_left`` says so. Nodes stand in the order in which
    they are met from the root, all of the left branch before the right one.
    """

    feature: Int[ndarray, "_"]
    threshold: Float[ndarray, "_"]
    left: Int[ndarray, "_"]
    right: Int[ndarray, "_"]
    missing_left: Bool[ndarray, "_"]
    value: Float[ndarray, "_ ..."]
    impurity: Float[ndarray, "_"]
    weight: Float[ndarray, "_"]

    @property
    def is_leaf(self) -> Bool[ndarray, "_"]:
        """Which nodes are leaves."""
        return self.feature < 0

    @property
    def depth(self) -> int:
        """The largest number of questions on the way to a leaf."""
        level = np.zeros(len(self.feature), int)
        for node in np.flatnonzero(~self.is_leaf):
            level[[self.left[node], self.right[node]]] = level[node] + 1
        return int(level.max())


@checked
def leaf_of(
    tree: Tree, X: Float[ndarray, "n d"], missing: Bool[ndarray, "n d"] | None = None
) -> Int[ndarray, "n"]:
    """The leaf in which each row ends; all rows go down one level at a time."""
    asked = int(tree.feature.max())
    require(asked < X.shape[1], "X", f"have column {asked}, which the tree asks for", f"shape {X.shape}")
    node = np.zeros(len(X), int)
    moving = np.flatnonzero(tree.feature[node] >= 0)
    while moving.size:
        here = node[moving]
        column = tree.feature[here]
        goes_left = X[moving, column] <= tree.threshold[here]
        if missing is not None:
            goes_left = np.where(missing[moving, column], tree.missing_left[here], goes_left)
        node[moving] = np.where(goes_left, tree.left[here], tree.right[here])
        moving = moving[tree.feature[node[moving]] >= 0]
    return node


@checked
def predict_tree(
    tree: Tree, X: Float[ndarray, "n d"], missing: Bool[ndarray, "n d"] | None = None
) -> Float[ndarray, "n *k"]:
    """The mean target of the leaf in which each row ends: a number, or the shares of the classes."""
    return tree.value[leaf_of(tree, X, missing)]


@checked
def leaf_boxes(
    tree: Tree, low: Float[ndarray, "d"], high: Float[ndarray, "d"]
) -> tuple[Int[ndarray, "l"], Float[ndarray, "l d"], Float[ndarray, "l d"]]:
    """The leaves, and the lower and upper corner of the box of each, cut off at ``low`` and ``high``."""
    asked = int(tree.feature.max())
    require(asked < len(low), "low", f"have entry {asked}, which the tree asks for", f"{len(low)} entries")
    lows, highs = (np.tile(end, (len(tree.feature), 1)) for end in (low, high))
    for node in np.flatnonzero(~tree.is_leaf):  # parents come before their children
        for child, ends, tighter in (
            (tree.left[node], highs, np.minimum),
            (tree.right[node], lows, np.maximum),
        ):
            lows[child], highs[child] = lows[node], highs[node]
            column = tree.feature[node]
            ends[child, column] = tighter(ends[child, column], tree.threshold[node])
    leaves = np.flatnonzero(tree.is_leaf)
    return leaves, lows[leaves], highs[leaves]
