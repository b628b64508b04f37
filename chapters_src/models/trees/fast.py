"""The same trees sooner: every column is ranked once, and a node looks at all its columns together."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Bool, Float, Int, ndarray
from chapters_src.models.trees.growing import draws
from chapters_src.models.trees.planting import Question, check_growth, grown
from chapters_src.models.trees.splits import IMPURITIES, TIE, first_of_best, midway
from chapters_src.models.trees.tree import Tree

__all__ = ["column_ranks", "fit_tree_by_ranks"]


@checked
def column_ranks(
    X: Float[ndarray, "n d"], missing: Bool[ndarray, "n d"] | None = None
) -> Int[ndarray, "d n"]:
    """The rank of each value in its column from 1 on, equal for equal values; missing ones come last.

    Ranks are what a tree needs of X to choose its cuts, so a forest computes them once.
    """
    ranks = np.empty(X.shape[::-1], np.int64)
    for j, column in enumerate(X.T if missing is None else np.where(missing, np.inf, X).T):
        ranks[j] = np.unique(column, return_inverse=True)[1] + 1
    return ranks


@checked(
    impurity=one_of(IMPURITIES),
    max_depth=at_least(0),
    min_leaf=at_least(1),
    weights=at_least(0),
    max_features=at_least(1),
    ranks=at_least(1),
)
def fit_tree_by_ranks(
    X: Float[ndarray, "n d"],
    Y: Float[ndarray, "n *k"],
    impurity: str = "variance",
    max_depth: int | None = None,
    min_leaf: int = 1,
    weights: Float[ndarray, "n"] | None = None,
    missing: Bool[ndarray, "n d"] | None = None,
    max_features: int | None = None,
    rng: np.random.Generator | None = None,
    ranks: Int[ndarray, "d n"] | None = None,
) -> Tree:
    """The tree of `fit_tree`, several times sooner; ``ranks`` are the `column_ranks` of X, if at hand."""
    w = check_growth(X, Y, impurity, weights, max_features, rng)
    ranks = column_ranks(X, missing) if ranks is None else ranks
    bits = len(X).bit_length()
    last = ranks << bits | np.arange(len(X))  # a rank and its row in one integer: sorting sorts both
    gaps = np.zeros((1, 1), bool) if missing is None else missing.T
    first = None if missing is None else np.where(gaps, np.arange(len(X)), last)
    flat = Y.reshape(len(Y), -1)
    wY = w[:, None] * (flat - (np.average(flat, axis=0, weights=w) if impurity == "variance" else 0.0))

    def ask(rows: ndarray) -> Question | None:
        for columns in draws(X.shape[1], max_features, rng):
            look = columns[:, None], rows
            gain, order = _gains(last[look], bits, wY, w, impurity, min_leaf)
            best, gaps_first = gain.max(axis=1), None
            if first is not None and gaps[look].any():
                turned, other = _gains(first[look], bits, wY, w, impurity, min_leaf)
                better = turned.max(axis=1)
                gaps_first = better - TIE * abs(better) > best
                gain[gaps_first], order[gaps_first] = turned[gaps_first], other[gaps_first]
                best = np.where(gaps_first, better, best)
            top = first_of_best(best)
            if best[top] > -np.inf:
                cut = first_of_best(gain[top]) + min_leaf
                left, right, j = order[top, :cut], order[top, cut:], int(columns[top])
                low, high, missing_left = X[left[-1], j], X[right[0], j], None
                if gaps_first is not None and gaps[j, rows].any():
                    missing_left = bool(gaps_first[top])
                    low = -np.inf if gaps[j, left[-1]] else low
                    high = np.inf if gaps[j, right[0]] else high
                return Question(j, midway(low, high), missing_left, left, right)
        return None

    return grown(Y, w, impurity, max_depth, min_leaf, ask)


def _gains(
    keys: ndarray, bits: int, wY: ndarray, w: ndarray, impurity: str, min_leaf: int
) -> tuple[ndarray, ndarray]:
    """The gain of each allowed cut in each column, times the weight of the node, and the rows in order."""
    keys.sort(axis=1)
    order, rank = keys & ((1 << bits) - 1), keys >> bits
    n = keys.shape[1]
    part = slice(min_leaf - 1, n - min_leaf)  # the cuts after these rows leave enough on both sides
    W, S = w[order].cumsum(axis=1), wY[order].cumsum(axis=1)
    total, W_all = S[:, -1:], W[:, -1:]
    W, S = W[:, part], S[:, part]
    if impurity == "variance":
        lean = S - (W / W_all)[:, :, None] * total
        gain = np.einsum("jnk,jnk->jn", lean, lean) * W_all / (W * (W_all - W))
    else:
        gain = _disorder(total, W_all) - _disorder(S, W) - _disorder(total - S, W_all - W)
    gain[rank[:, part] == rank[:, min_leaf : n - min_leaf + 1]] = -np.inf
    return gain, order


def _disorder(S: ndarray, W: ndarray) -> ndarray:
    """The weight of a set times its entropy, from the weights of its classes."""
    return W * np.log(W) - np.where(S > 0, S * np.log(np.where(S > 0, S, 1.0)), 0.0).sum(axis=-1)
