"""The path of the weakest links is scikit-learn's, and no subtree at all is cheaper than the one it gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from chapters_src.models.trees import fit_tree, fit_tree_by_ranks, leaf_of, predict_tree, pruned, pruning_path


def data(seed, n=120):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)).astype(np.float32).astype(float), rng.normal(size=n)


@pytest.mark.parametrize("seed", range(6))
def test_path_of_a_regression_equals_scikit_learn(seed):
    X, y = data(seed)
    model = DecisionTreeRegressor(min_samples_leaf=4, random_state=0)
    theirs, ours = model.cost_complexity_pruning_path(X, y), pruning_path(fit_tree(X, y, min_leaf=4))
    np.testing.assert_allclose(ours.alphas, theirs.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(ours.costs, theirs.impurities, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("impurity", "criterion"), [("variance", "gini"), ("entropy", "entropy")])
def test_pruned_classifiers_equal_scikit_learn(seed, impurity, criterion):
    X, noise = data(seed)
    labels = (X[:, 0] + noise > 0).astype(int)
    w = np.random.default_rng(seed).uniform(0.5, 2.0, len(X))
    unit = np.log(2) if impurity == "entropy" else 1.0
    tree = fit_tree(X, np.eye(2)[labels], impurity=impurity, min_leaf=8, weights=w)
    path = pruning_path(tree)
    for alpha in (path.alphas[1:-1] + path.alphas[2:]) / 2:
        model = DecisionTreeClassifier(
            criterion=criterion, min_samples_leaf=8, ccp_alpha=alpha / unit, random_state=0
        )
        theirs = model.fit(X, labels, sample_weight=w)
        ours = pruned(tree, alpha)
        np.testing.assert_array_equal(ours.feature, np.maximum(theirs.tree_.feature, -1))
        np.testing.assert_array_equal(ours.left, theirs.tree_.children_left)
        np.testing.assert_allclose(predict_tree(ours, X), theirs.predict_proba(X), atol=1e-12)


def subtrees(tree, node=0):
    """(cost, leaves) of every way to cut the branch at a node."""
    yield tree.weight[node] / tree.weight[0] * tree.impurity[node], 1
    if tree.feature[node] >= 0:
        for a, k in subtrees(tree, tree.left[node]):
            for b, m in subtrees(tree, tree.right[node]):
                yield a + b, k + m


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.6))
def test_no_subtree_is_cheaper(seed, alpha):
    rng = np.random.default_rng(seed)
    tree = fit_tree(rng.normal(size=(40, 2)), rng.normal(size=40), max_depth=3, min_leaf=2)
    every = list(subtrees(tree))
    cheapest = min(cost + alpha * leaves for cost, leaves in every)
    fewest = min(leaves for cost, leaves in every if cost + alpha * leaves <= cheapest + 1e-12)
    cut = pruned(tree, alpha)
    leaves = int(cut.is_leaf.sum())
    cost = (cut.weight / cut.weight[0] * cut.impurity)[cut.is_leaf].sum()
    assert cost + alpha * leaves == pytest.approx(cheapest, abs=1e-12)
    assert leaves == fewest


def test_the_path_rises_and_ends_at_the_root():
    X, y = data(1)
    tree = fit_tree_by_ranks(X, y)
    path = pruning_path(tree)
    assert (np.diff(path.alphas) >= 0).all()
    assert (np.diff(path.costs) > -1e-12).all()
    assert (np.diff(path.leaves) < 0).all()
    assert path.leaves[0] == tree.is_leaf.sum() and path.leaves[-1] == 1
    assert path.costs[-1] == pytest.approx(y.var())
    for alpha, cost, leaves in zip(path.alphas, path.costs, path.leaves, strict=True):
        cut = pruned(tree, alpha + 1e-12)
        assert cut.is_leaf.sum() == leaves
        assert np.mean((y - predict_tree(cut, X)) ** 2) == pytest.approx(cost, abs=1e-10)


def test_a_pruned_tree_is_a_tree():
    X, y = data(2)
    tree = fit_tree(X, y)
    cut = pruned(tree, float(np.median(pruning_path(tree).alphas)))
    assert len(cut.feature) == 2 * cut.is_leaf.sum() - 1
    assert set(leaf_of(cut, X)) == set(np.flatnonzero(cut.is_leaf))
    assert (cut.left[cut.is_leaf] == -1).all()
    assert cut.weight[0] == len(y)


def test_worked_path():
    """One cut gains 1, the cut below it ¼ of the rows times ¼: they go in that order."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 2.0, 3.0])
    path = pruning_path(fit_tree(X, y))
    np.testing.assert_allclose(path.alphas, [0.0, 0.125, 1.5625])
    np.testing.assert_allclose(path.costs, [0.0, 0.125, 1.6875])
    assert path.leaves.tolist() == [3, 2, 1]
    tree = fit_tree(X, y)
    assert [pruned(tree, a).is_leaf.sum() for a in (*path.alphas, 0.124)] == [3, 2, 1, 3]  # a tie is cut


def test_a_split_that_gains_nothing_goes_for_nothing():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0.0, 1.0, 1.0, 0.0])
    tree = fit_tree(X, y)
    assert tree.is_leaf.sum() == 4
    path = pruning_path(tree)
    np.testing.assert_allclose(path.alphas, [0.0, 1 / 12])
    assert pruned(tree, 0.05).is_leaf.sum() == 4
    assert pruned(tree, 0.09).is_leaf.sum() == 1


def test_errors():
    tree = fit_tree(np.arange(4.0)[:, None], np.arange(4.0))
    with pytest.raises(ValueError, match="pruned: alpha must be at least 0; got -1"):
        pruned(tree, -1.0)
    with pytest.raises(ValueError, match="pruning_path: tree must be a Tree"):
        pruning_path("oak")
