"""Trees equal scikit-learn's, the quick ones equal the readable ones, and their arrays mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from chapters_src.models.trees import (
    column_ranks,
    fit_tree,
    fit_tree_by_ranks,
    gini,
    leaf_boxes,
    leaf_of,
    predict_tree,
)

SEEDS = range(6)


def inputs(seed, n=120, d=4):
    """Values that scikit-learn, which rounds to float32, sees as they are."""
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)


def same_arrays(ours, theirs):
    np.testing.assert_array_equal(ours.feature, np.maximum(theirs.feature, -1))
    inner = ~ours.is_leaf
    np.testing.assert_allclose(ours.threshold[inner], theirs.threshold[inner], rtol=1e-12)
    np.testing.assert_array_equal(ours.left, theirs.children_left)
    np.testing.assert_array_equal(ours.right, theirs.children_right)
    np.testing.assert_allclose(ours.impurity, theirs.impurity, atol=1e-10)
    np.testing.assert_allclose(ours.weight, theirs.weighted_n_node_samples)
    assert ours.depth == theirs.max_depth


@pytest.mark.parametrize("grow", [fit_tree, fit_tree_by_ranks])
@pytest.mark.parametrize("seed", SEEDS)
def test_regression_equals_scikit_learn(grow, seed):
    X, rng = inputs(seed), np.random.default_rng(seed + 100)
    y, w = rng.normal(size=len(X)), rng.uniform(0.2, 3.0, len(X))
    theirs = DecisionTreeRegressor(min_samples_leaf=4, random_state=0).fit(X, y, sample_weight=w)
    ours = grow(X, y, min_leaf=4, weights=w)
    same_arrays(ours, theirs.tree_)
    new = inputs(seed + 1)
    np.testing.assert_allclose(predict_tree(ours, new), theirs.predict(new), atol=1e-10)


@pytest.mark.parametrize("grow", [fit_tree, fit_tree_by_ranks])
@pytest.mark.parametrize(("impurity", "criterion"), [("variance", "gini"), ("entropy", "entropy")])
@pytest.mark.parametrize("seed", SEEDS)
def test_classification_equals_scikit_learn(grow, impurity, criterion, seed):
    X, rng = inputs(seed), np.random.default_rng(seed + 100)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X))) // 1 % 3
    w = rng.uniform(0.2, 3.0, len(X))  # weights without pattern, so that no two splits tie
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=3, min_samples_leaf=8, random_state=0)
    theirs.fit(X, y, sample_weight=w)
    Y = np.eye(3)[y.astype(int)]
    ours = grow(X, Y, impurity=impurity, max_depth=3, min_leaf=8, weights=w)
    unit = np.log(2) if impurity == "entropy" else 1.0  # scikit-learn counts bits
    same_arrays(ours._replace(impurity=ours.impurity / unit), theirs.tree_)
    new = inputs(seed + 1)
    np.testing.assert_allclose(predict_tree(ours, new), theirs.predict_proba(new), atol=1e-10)


@pytest.mark.parametrize("grow", [fit_tree, fit_tree_by_ranks])
@pytest.mark.parametrize("seed", SEEDS)
def test_missing_values_equal_scikit_learn(grow, seed):
    X, rng = inputs(seed), np.random.default_rng(seed + 100)
    y, gap = rng.normal(size=len(X)), rng.random(X.shape) < 0.15
    theirs = DecisionTreeRegressor(min_samples_leaf=4, random_state=0).fit(np.where(gap, np.nan, X), y)
    ours = grow(X, y, min_leaf=4, missing=gap)
    same_arrays(ours, theirs.tree_)
    new, unseen = inputs(seed + 1), rng.random(X.shape) < 0.3
    np.testing.assert_allclose(
        predict_tree(ours, new, unseen), theirs.predict(np.where(unseen, np.nan, new)), atol=1e-10
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.booleans(), st.booleans(), st.integers(1, 4))
def test_by_ranks_equals_the_readable_tree(seed, n, classes, gaps, max_features):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 4)).astype(float)
    Y = np.eye(3)[rng.integers(0, 3, n)] if classes else 1e3 + rng.normal(size=n)
    options = {
        "impurity": str(rng.choice(["variance", "entropy"])) if classes else "variance",
        "max_depth": [None, 0, 3][rng.integers(3)],
        "min_leaf": int(rng.integers(1, 4)),
        "weights": np.maximum(rng.integers(0, 4, n), np.arange(n) == 0).astype(float),
        "missing": rng.random(X.shape) < 0.2 if gaps else None,
        "max_features": max_features,
    }
    one, other = (
        grow(X, Y, rng=np.random.default_rng(seed), **options) for grow in (fit_tree, fit_tree_by_ranks)
    )
    for mine, yours in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, yours, atol=1e-9)


@pytest.mark.parametrize("grow", [fit_tree, fit_tree_by_ranks])
def test_a_node_holds_what_its_training_rows_are(grow):
    X, rng = inputs(7), np.random.default_rng(7)
    Y, w = np.eye(3)[rng.integers(0, 3, len(X))], rng.integers(0, 3, len(X)).astype(float)
    for impurity in ("variance", "entropy"):
        tree = grow(X, Y, impurity=impurity, max_depth=3, weights=w)
        leaf = leaf_of(tree, X)
        for node in np.unique(leaf[w > 0]):
            rows = (leaf == node) & (w > 0)
            assert tree.weight[node] == w[rows].sum()
            shares = np.average(Y[rows], axis=0, weights=w[rows])
            np.testing.assert_allclose(tree.value[node], shares)
            mixed = gini(shares) if impurity == "variance" else scipy.stats.entropy(shares)
            assert tree.impurity[node] == pytest.approx(mixed, abs=1e-12)


def test_a_full_tree_knows_its_rows_by_heart_and_none_that_contradict():
    X, y = inputs(3), np.random.default_rng(3).normal(size=120)
    np.testing.assert_allclose(predict_tree(fit_tree_by_ranks(X, y), X), y, atol=1e-12)
    tree = fit_tree(np.ones((4, 2)), np.array([1.0, 2.0, 3.0, 6.0]))
    assert tree.feature.tolist() == [-1]
    assert tree.value.tolist() == [3.0]


def test_weights_of_zero_leave_rows_out():
    X, y = inputs(4), np.random.default_rng(4).normal(size=120)
    kept = np.arange(120) % 3 > 0
    left_out, cut = fit_tree(X, y, weights=kept.astype(float)), fit_tree(X[kept], y[kept])
    for mine, yours in zip(left_out, cut, strict=True):
        np.testing.assert_allclose(mine, yours, atol=1e-12)


def test_drawn_columns():
    X, y = inputs(5), np.random.default_rng(5).normal(size=120)
    X[:, 1:3] = 0.0  # columns that cannot be split
    first = {
        int(fit_tree_by_ranks(X, y, max_depth=1, max_features=1, rng=np.random.default_rng(s)).feature[0])
        for s in range(30)
    }
    assert first == {0, 3}
    every = fit_tree(X, y, min_leaf=5, max_features=4)
    np.testing.assert_array_equal(every.feature, fit_tree(X, y, min_leaf=5).feature)


def test_given_ranks_change_nothing():
    X, y = inputs(6), np.random.default_rng(6).normal(size=120)
    ranks = column_ranks(X)
    np.testing.assert_array_equal(
        fit_tree_by_ranks(X, y, ranks=ranks).threshold, fit_tree_by_ranks(X, y).threshold
    )
    np.testing.assert_array_equal(column_ranks(np.array([[3.0], [1.0], [3.0], [2.0]])), [[3, 1, 3, 2]])
    gap = np.array([[False], [True], [False]])
    np.testing.assert_array_equal(column_ranks(np.array([[3.0], [1.0], [2.0]]), gap), [[2, 3, 1]])


def test_boxes_tile_the_plane():
    X, y = inputs(8, d=2), np.random.default_rng(8).normal(size=120)
    tree = fit_tree(X, y, max_depth=4)
    leaves, lows, highs = leaf_boxes(tree, np.full(2, -5.0), np.full(2, 5.0))
    assert np.prod(highs - lows, axis=1).sum() == pytest.approx(100)
    inside = ((X[:, None] > lows) & (X[:, None] <= highs)).all(axis=2)
    np.testing.assert_array_equal(leaves[inside.argmax(axis=1)], leaf_of(tree, X))
    assert (inside.sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"impurity": "entropy"}, "Y must be one-hot, or shares that add up to 1, for the entropy"),
        ({"max_features": 1}, "rng must be a generator, because max_features draws columns; got None"),
        ({"weights": np.zeros(120)}, "weights must have an entry above 0; got zeros"),
        ({"max_depth": -1}, "max_depth must be at least 0; got -1"),
    ],
)
@pytest.mark.parametrize("grow", [fit_tree, fit_tree_by_ranks])
def test_errors(grow, changed, message):
    with pytest.raises(ValueError, match=message) as caught:
        grow(X=inputs(0), Y=np.arange(120.0), **changed)
    assert str(caught.value).startswith(grow.__name__)


def test_a_tree_asks_for_columns_that_must_be_there():
    X = np.column_stack([np.zeros(6), np.arange(6.0)])
    tree = fit_tree(X, np.arange(6.0))
    with pytest.raises(ValueError, match="leaf_of: X must have column 1, which the tree asks for"):
        predict_tree(tree, X[:, :1])
    with pytest.raises(ValueError, match="leaf_boxes: low must have entry 1"):
        leaf_boxes(tree, np.zeros(1), np.ones(1))
