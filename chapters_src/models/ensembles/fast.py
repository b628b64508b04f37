"""The same forests and sums of trees sooner: the columns are ranked once for all trees."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.progress import bar
from chapters_src.core.readers import Limits, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.ensembles.boosting import FLOOR, LOSSES, Boosted, check_boosting, some_rows
from chapters_src.models.ensembles.forests import Forest
from chapters_src.models.trees import column_ranks, fit_tree_by_ranks, predict_tree

__all__ = ["fit_boosting_by_ranks", "fit_forest_by_ranks"]


@checked(
    trees=at_least(1),
    max_features=at_least(1),
    max_depth=at_least(0),
    min_leaf=at_least(1),
)
def fit_forest_by_ranks(
    X: Float[ndarray, "n d"],
    Y: Float[ndarray, "n *k"],
    rng: np.random.Generator,
    trees: int = 100,
    max_features: int | None = None,
    max_depth: int | None = None,
    min_leaf: int = 1,
    resample: bool = True,
    progress: bool | None = None,
) -> Forest:
    """The forest of `fit_forest`, several times sooner."""
    n, ranks = len(X), bare(column_ranks)(X)
    grown, drawn = [], np.ones((trees, n), int)
    for b in bar(range(trees), "trees", show=progress):
        if resample:
            drawn[b] = np.bincount(rng.integers(0, n, n), minlength=n)
        tree = bare(fit_tree_by_ranks)(
            X, Y, "variance", max_depth, min_leaf, drawn[b], None, max_features, rng, ranks
        )
        grown.append(tree)
    return Forest(tuple(grown), drawn)


@checked(
    loss=one_of(LOSSES),
    rounds=at_least(0),
    rate=Limits(above=0, at_most=1),
    max_depth=at_least(1),
    min_leaf=at_least(1),
    share=Limits(above=0, at_most=1),
)
def fit_boosting_by_ranks(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    loss: str = "squared",
    rounds: int = 100,
    rate: float = 0.1,
    max_depth: int = 3,
    min_leaf: int = 1,
    share: float = 1.0,
    rng: np.random.Generator | None = None,
    progress: bool | None = None,
) -> Boosted:
    """The sum of trees of `fit_boosting`, several times sooner."""
    check_boosting(y, loss, share, rng)
    start, slope, curvature = LOSSES[loss]
    constant = start(y)
    f, ranks, trees = np.full(len(y), constant), bare(column_ranks)(X), []
    for _ in bar(range(rounds), "rounds", show=progress):
        g, h = slope(y, f), np.maximum(curvature(y, f), FLOOR)
        weights = some_rows(h, share, rng)
        tree = bare(fit_tree_by_ranks)(X, -g / h, "variance", max_depth, min_leaf, weights, ranks=ranks)
        f = f + rate * bare(predict_tree)(tree, X)
        trees.append(tree)
    return Boosted(constant, tuple(trees), rate)
