"""Importances against scikit-learn's, and on columns whose worth is known."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance as theirs
from sklearn.tree import DecisionTreeRegressor

from chapters_src.models.ensembles import (
    fit_forest_by_ranks,
    impurity_importance,
    permutation_importance,
    predict_forest,
)

rng = np.random.default_rng(0)
X = rng.uniform(size=(120, 4))
y = 3 * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=120)


def test_impurity_importance_against_scikit_learn():
    forest = fit_forest_by_ranks(X, y, np.random.default_rng(1), trees=6)
    each = [DecisionTreeRegressor(random_state=0).fit(X, y, sample_weight=counts) for counts in forest.drawn]
    expected = np.mean([tree.feature_importances_ for tree in each], axis=0)
    np.testing.assert_allclose(
        impurity_importance(forest, 4), expected, atol=0.004
    )  # ties are settled by chance
    single = fit_forest_by_ranks(X, y, np.random.default_rng(1), trees=1, resample=False, max_depth=3)
    rival = DecisionTreeRegressor(max_depth=3).fit(X, y)
    np.testing.assert_allclose(impurity_importance(single, 4), rival.feature_importances_, rtol=1e-10)


def test_impurity_importance_adds_up_to_one():
    forest = fit_forest_by_ranks(X, y, np.random.default_rng(2), trees=5, max_features=1)
    found = impurity_importance(forest, 6)
    assert found.sum() == pytest.approx(1)
    assert (found[4:] == 0).all()
    level = fit_forest_by_ranks(X, np.ones(120), np.random.default_rng(2), trees=2)
    assert not impurity_importance(level, 4).any()


def test_permutation_importance_of_a_linear_rule():
    weights = np.array([0.0, 3.0, 1.0, 0.0])
    loss = lambda A: float(np.mean((A @ weights - X @ weights) ** 2))  # noqa: E731
    rise = permutation_importance(loss, X, np.random.default_rng(3), repeats=200)
    assert rise.shape == (200, 4)
    assert not rise[:, [0, 3]].any()
    # a shuffled column differs from itself by twice its variance on average, n/(n − 1) corrections cancel
    np.testing.assert_allclose(rise.mean(axis=0), 2 * weights**2 * X.var(axis=0), rtol=0.05)


def test_permutation_importance_against_scikit_learn():
    forest = fit_forest_by_ranks(X, y, np.random.default_rng(4), trees=20)
    loss = lambda A: float(np.mean((predict_forest(forest, A) - y) ** 2))  # noqa: E731
    ours = permutation_importance(loss, X, np.random.default_rng(5), repeats=30).mean(axis=0)

    class Wrapped:
        def fit(self, X, y):
            return self

    found = theirs(Wrapped(), X, y, scoring=lambda _, A, b: -loss(A), n_repeats=30, random_state=0)
    np.testing.assert_allclose(ours, found.importances_mean, rtol=0.1, atol=0.003)


def test_errors():
    forest = fit_forest_by_ranks(X, y, np.random.default_rng(6), trees=2)
    with pytest.raises(ValueError, match=r"^impurity_importance: d must be above 3, a column in use; got 2$"):
        impurity_importance(forest, 2)
    with pytest.raises(ValueError, match=r"^permutation_importance: repeats must be at least 1; got 0$"):
        permutation_importance(lambda A: 0.0, X, np.random.default_rng(0), repeats=0)
