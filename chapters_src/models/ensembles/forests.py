"""Bagging and random forests: trees on rows drawn with replacement, and the mean of their answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.progress import bar
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.trees import Tree, fit_tree, predict_tree

__all__ = ["Forest", "fit_forest", "out_of_bag", "predict_forest", "tree_answers"]


class Forest(NamedTuple):
    """The trees, and how often each of them was given each training row."""

    trees: tuple[Tree, ...]
    drawn: Int[ndarray, "_ _"]


@checked(
    trees=at_least(1),
    max_features=at_least(1),
    max_depth=at_least(0),
    min_leaf=at_least(1),
)
def fit_forest(
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
    """Grow each tree on n rows drawn with replacement, with ``max_features`` columns drawn at every node.

    With all columns (None) this is bagging. ``resample=False`` gives every tree all the rows once.
    """
    n, grown = len(X), []
    drawn = np.ones((trees, n), int)
    for b in bar(range(trees), "trees", show=progress):
        if resample:
            drawn[b] = np.bincount(rng.integers(0, n, n), minlength=n)
        tree = bare(fit_tree)(
            X, Y, max_depth=max_depth, min_leaf=min_leaf, weights=drawn[b], max_features=max_features, rng=rng
        )
        grown.append(tree)
    return Forest(tuple(grown), drawn)


@checked
def tree_answers(forest: Forest, X: Float[ndarray, "n d"]) -> Float[ndarray, "B n *k"]:
    """What each tree answers for each row."""
    return np.array([bare(predict_tree)(tree, X) for tree in forest.trees])


@checked
def predict_forest(forest: Forest, X: Float[ndarray, "n d"]) -> Float[ndarray, "n *k"]:
    """The mean answer of the trees: a number, or shares of the classes.

    f̄(x) = (1/B) Σ_b f_b(x)                             {eq}`eq-ensembles-ambiguity`
    """
    return tree_answers(forest, X).mean(axis=0)


@checked
def out_of_bag(forest: Forest, X: Float[ndarray, "n d"]) -> Float[ndarray, "n *k"]:
    """For each training row the mean answer of those trees that did not see it; X are the training rows."""
    absent = forest.drawn == 0
    require(absent.shape[1] == len(X), "X", f"be the {absent.shape[1]} training rows", f"{len(X)} rows")
    always = int((~absent.any(axis=0)).sum())
    require(always == 0, "forest", "leave out each row once or more: grow more trees", f"{always} never out")
    answers = tree_answers(forest, X)
    weights = absent.reshape(*absent.shape, *(1,) * (answers.ndim - 2))
    return (weights * answers).sum(axis=0) / weights.sum(axis=0)
