"""Trees and forests beside scikit-learn's, in one run."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

from benchmarks._timing import Row, against
from chapters_src import data
from chapters_src.core.shapes import ndarray
from chapters_src.models.ensembles import Forest, fit_forest_by_ranks
from chapters_src.models.trees import fit_tree_by_ranks

TITLE = "Trees and forests by ranks against scikit-learn: one full tree, and forests of 100"


def forest(X: ndarray, Y: ndarray, max_features: int) -> Forest:
    """A hundred full trees with scikit-learn's presets, the columns per node as given."""
    return fit_forest_by_ranks(X, Y, np.random.default_rng(0), max_features=max_features)


def rows() -> list[Row]:
    """Return the comparisons."""
    tumours, digits, patients = data.breast_cancer(), data.digits(), data.diabetes()
    Y, D = np.eye(2)[tumours.y], np.eye(10)[digits.labels]
    found = against(
        lambda: fit_tree_by_ranks(tumours.X, Y),
        {"sklearn, one tree, 569 tumours": lambda: DecisionTreeClassifier().fit(tumours.X, tumours.y)},
    )
    found += against(
        lambda: forest(tumours.X, Y, 5),
        {"sklearn, 100 trees, 569 tumours": lambda: RandomForestClassifier().fit(tumours.X, tumours.y)},
        repeats=3,
    )
    found += against(
        lambda: forest(digits.X, D, 8),
        {"sklearn, 100 trees, 1,797 digits": lambda: RandomForestClassifier().fit(digits.X, digits.labels)},
        repeats=3,
    )
    # With few columns most of the time is Python's per node, of which scikit-learn has none.
    for columns in (10, 3):
        rival = RandomForestRegressor(max_features=columns)
        what = f"sklearn, 100 trees, 442 numbers, {columns} columns per node"
        found += against(
            lambda columns=columns: forest(patients.X, patients.y, columns),  # type: ignore[misc]
            {what: lambda rival=rival: rival.fit(patients.X, patients.y)},  # type: ignore[misc]
            repeats=3,
        )
    return found
