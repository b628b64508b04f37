"""Gradient boosting: each tree is fitted to what the sum of the trees before it still gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.progress import bar
from chapters_src.core.readers import Limits, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic import sigmoid
from chapters_src.models.trees import Tree, fit_tree, predict_tree

__all__ = [
    "FLOOR",
    "LOSSES",
    "Boosted",
    "Loss",
    "boosted_scores",
    "check_boosting",
    "fit_boosting",
    "some_rows",
    "staged_scores",
]

FLOOR = 1e-12  # a row whose curvature has vanished keeps this much weight


class Loss(NamedTuple):
    """The best constant score, and slope and curvature of the loss in the score of each row."""

    start: Callable[[ndarray], float]
    slope: Callable[[ndarray, ndarray], ndarray]
    curvature: Callable[[ndarray, ndarray], ndarray]


def _log_odds(y: ndarray) -> float:
    require(0 < y.mean() < 1, "y", "hold both classes", f"{y[0]:g} only")
    return float(np.log(y.mean() / (1 - y.mean())))


LOSSES = {
    "squared": Loss(lambda y: float(y.mean()), lambda y, f: f - y, lambda y, f: np.ones_like(f)),
    "logistic": Loss(_log_odds, lambda y, f: sigmoid(f) - y, lambda y, f: sigmoid(f) * sigmoid(-f)),
}


class Boosted(NamedTuple):
    """A constant score and trees, of which each adds ``rate`` times its answer."""

    start: float
    trees: tuple[Tree, ...]
    rate: float


@checked(
    loss=one_of(LOSSES),
    rounds=at_least(0),
    rate=Limits(above=0, at_most=1),
    max_depth=at_least(1),
    min_leaf=at_least(1),
    share=Limits(above=0, at_most=1),
)
def fit_boosting(
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
    """Add ``rounds`` trees, each fitted to −g/h with weights h, so that a leaf answers −Σg/Σh.

    f ← f + η·tree,  g = ∂ℓ/∂f,  h = ∂²ℓ/∂f²             {eq}`eq-ensembles-newton-tree`

    With ``share`` below 1 each tree sees that share of the rows, drawn with ``rng``.
    """
    check_boosting(y, loss, share, rng)
    start, slope, curvature = LOSSES[loss]
    constant = start(y)
    f, trees = np.full(len(y), constant), []
    for _ in bar(range(rounds), "rounds", show=progress):
        g, h = slope(y, f), np.maximum(curvature(y, f), FLOOR)
        weights = some_rows(h, share, rng)
        tree = bare(fit_tree)(X, -g / h, max_depth=max_depth, min_leaf=min_leaf, weights=weights)
        f = f + rate * bare(predict_tree)(tree, X)
        trees.append(tree)
    return Boosted(constant, tuple(trees), rate)


def check_boosting(y: ndarray, loss: str, share: float, rng: np.random.Generator | None) -> None:
    """Refuse what no single argument tells."""
    require(
        loss != "logistic" or np.isin(y, (0, 1)).all(), "y", "hold 0 and 1 for the logistic loss", "others"
    )
    require(share == 1 or rng is not None, "rng", "be a generator, because share draws rows", rng)


def some_rows(weights: ndarray, share: float, rng: np.random.Generator | None) -> ndarray:
    """The weights, with 0 for all rows but a share that ``rng`` draws."""
    kept = weights.copy()
    if rng is not None and share < 1:
        kept[rng.permutation(len(kept))[max(1, round(share * len(kept))) :]] = 0
    return kept


@checked
def staged_scores(model: Boosted, X: Float[ndarray, "n d"]) -> Float[ndarray, "t n"]:
    """The scores after 0, 1, 2, … trees."""
    steps = [
        np.full(len(X), model.start),
        *(model.rate * bare(predict_tree)(tree, X) for tree in model.trees),
    ]
    return np.cumsum(steps, axis=0)


@checked
def boosted_scores(model: Boosted, X: Float[ndarray, "n d"]) -> Float[ndarray, "n"]:
    """The score of all trees together: a number, or for the logistic loss the log-odds of class 1."""
    return staged_scores(model, X)[-1]
