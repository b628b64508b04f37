"""Trees and a plain forest beside scikit-learn's, in one run."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

from benchmarks._timing import Row, against
from chapters_src import data
from chapters_src.core.shapes import ndarray
from chapters_src.models.trees import column_ranks, fit_tree_by_ranks

TITLE = "`fit_tree_by_ranks` against scikit-learn: one full tree, and 100 trees on resampled rows"


def grown_forest(X: ndarray, Y: ndarray, max_features: int, trees: int = 100) -> None:
    """What a random forest grows: trees on rows drawn with replacement and columns drawn per node."""
    rng, ranks = np.random.default_rng(0), column_ranks(X)
    for _ in range(trees):
        counts = np.bincount(rng.integers(0, len(X), len(X)), minlength=len(X)).astype(float)
        fit_tree_by_ranks(X, Y, weights=counts, max_features=max_features, rng=rng, ranks=ranks)


def rows() -> list[Row]:
    """Return the comparisons."""
    tumours, digits, patients = data.breast_cancer(), data.digits(), data.diabetes()
    Y, D = np.eye(2)[tumours.y], np.eye(10)[digits.labels]
    found = against(
        lambda: fit_tree_by_ranks(tumours.X, Y),
        {"sklearn, one tree, 569 tumours": lambda: DecisionTreeClassifier().fit(tumours.X, tumours.y)},
    )
    found += against(
        lambda: grown_forest(tumours.X, Y, 5),
        {"sklearn, 100 trees, 569 tumours": lambda: RandomForestClassifier().fit(tumours.X, tumours.y)},
        repeats=3,
    )
    found += against(
        lambda: grown_forest(digits.X, D, 8),
        {"sklearn, 100 trees, 1,797 digits": lambda: RandomForestClassifier().fit(digits.X, digits.labels)},
        repeats=3,
    )
    return found + against(
        lambda: grown_forest(patients.X, patients.y, 10),
        {"sklearn, 100 trees, 442 numbers": lambda: RandomForestRegressor().fit(patients.X, patients.y)},
        repeats=3,
    )
