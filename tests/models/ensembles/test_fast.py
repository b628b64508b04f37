"""The quicker forests and sums of trees are the same, tree by tree."""

import numpy as np
import pytest

from chapters_src.models.ensembles import (
    fit_boosting,
    fit_boosting_by_ranks,
    fit_forest,
    fit_forest_by_ranks,
)


def table(n, seed):
    """Numbers, some of them tied, and a target that needs several questions."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 4)), rng.integers(0, 3, (n, 2))])
    return X, X[:, 0] * X[:, 1] + X[:, 4] + rng.normal(size=n)


def assert_same_trees(one, other):
    for tree, twin in zip(one.trees, other.trees, strict=True):
        for values, others in zip(tree, twin, strict=True):
            np.testing.assert_allclose(values, others, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_features": 2},
        {"max_depth": 3, "min_leaf": 4},
        {"resample": False, "max_features": 1, "min_leaf": 2},
    ],
)
@pytest.mark.parametrize("classes", [False, True])
def test_forests(options, classes):
    X, y = table(70, 0)
    Y = np.eye(2)[(y > 0).astype(int)] if classes else y
    plain, quick = (
        fit(X, Y, np.random.default_rng(1), trees=6, **options) for fit in (fit_forest, fit_forest_by_ranks)
    )
    np.testing.assert_array_equal(plain.drawn, quick.drawn)
    assert_same_trees(plain, quick)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("options", [{}, {"max_depth": 1, "rate": 1.0}, {"share": 0.5, "min_leaf": 3}])
def test_boosting(loss, options):
    X, y = table(70, 2)
    y = (y > 0).astype(float) if loss == "logistic" else y
    plain, quick = (
        fit(X, y, loss, rounds=8, rng=np.random.default_rng(3), **options)
        for fit in (fit_boosting, fit_boosting_by_ranks)
    )
    assert (plain.start, plain.rate) == (quick.start, quick.rate)
    assert_same_trees(plain, quick)


def test_errors():
    X, y = table(20, 4)
    with pytest.raises(ValueError, match=r"^fit_forest_by_ranks: trees must be at least 1; got 0$"):
        fit_forest_by_ranks(X, y, np.random.default_rng(0), trees=0)
    with pytest.raises(ValueError, match=r"^fit_boosting_by_ranks: y must hold 0 and 1 for the logistic"):
        fit_boosting_by_ranks(X, y, "logistic")
    with pytest.raises(ValueError, match=r"^fit_boosting_by_ranks: rng must be a generator, because share"):
        fit_boosting_by_ranks(X, y, share=0.5)
