"""Forests against scikit-learn's, against their definition, and their out-of-bag answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import BaggingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeRegressor

from chapters_src import data
from chapters_src.models.ensembles import (
    Forest,
    fit_forest,
    fit_forest_by_ranks,
    out_of_bag,
    predict_forest,
    tree_answers,
)
from chapters_src.models.trees import fit_tree, leaf_of, predict_tree


def friedman(n, rng):
    X = rng.uniform(size=(n, 6))
    return X, 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + rng.normal(size=n)


def test_each_tree_is_the_tree_of_its_rows():
    X, y = friedman(60, np.random.default_rng(0))
    forest = fit_forest(X, y, np.random.default_rng(1), trees=7, max_depth=4)
    assert forest.drawn.shape == (7, 60)
    np.testing.assert_array_equal(forest.drawn.sum(axis=1), 60)
    for tree, counts in zip(forest.trees, forest.drawn, strict=True):
        rows = np.repeat(np.arange(60), counts)
        theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X[rows], y[rows])
        # on other rows two equally good questions may answer differently
        np.testing.assert_allclose(predict_tree(tree, X[rows]), theirs.predict(X[rows]), rtol=1e-12)


def test_every_leaf_holds_enough_different_rows():
    X, y = friedman(60, np.random.default_rng(0))
    forest = fit_forest(X, y, np.random.default_rng(1), trees=7, min_leaf=3)
    for tree, counts in zip(forest.trees, forest.drawn, strict=True):
        ours = fit_tree(X, y, weights=counts, min_leaf=3)
        np.testing.assert_allclose(predict_tree(tree, X), predict_tree(ours, X), rtol=1e-12)
        assert np.unique(leaf_of(tree, X[counts > 0]), return_counts=True)[1].min() >= 3


def test_unlimited_trees_know_their_own_rows():
    X, y = friedman(80, np.random.default_rng(2))
    forest = fit_forest(X, y, np.random.default_rng(3), trees=5)
    answers = tree_answers(forest, X)
    for answer, counts in zip(answers, forest.drawn, strict=True):
        np.testing.assert_allclose(answer[counts > 0], y[counts > 0], rtol=1e-12)
        assert np.abs(answer - y)[counts == 0].min() > 0


def test_the_mean_of_the_trees():
    X, y = friedman(50, np.random.default_rng(4))
    forest = fit_forest(X, y, np.random.default_rng(5), trees=9)
    by_hand = sum(predict_tree(tree, X) for tree in forest.trees) / 9
    np.testing.assert_allclose(predict_forest(forest, X), by_hand, rtol=1e-12)


def test_out_of_bag_by_hand():
    X, y = friedman(40, np.random.default_rng(6))
    Y = np.column_stack([y, -y])
    forest = fit_forest(X, Y, np.random.default_rng(7), trees=30)
    expected = []
    for i in range(40):
        rest = [t for t, counts in zip(forest.trees, forest.drawn, strict=True) if counts[i] == 0]
        expected.append(np.mean([predict_tree(t, X[i : i + 1])[0] for t in rest], axis=0))
    np.testing.assert_allclose(out_of_bag(forest, X), expected, rtol=1e-12)


def test_out_of_bag_is_about_the_test_error():
    rng = np.random.default_rng(8)
    (X, y), (new, y_new) = friedman(200, rng), friedman(1000, rng)
    forest = fit_forest_by_ranks(X, y, rng, trees=100)
    inside = np.mean((predict_forest(forest, X) - y) ** 2)
    outside = np.mean((predict_forest(forest, new) - y_new) ** 2)
    promised = np.mean((out_of_bag(forest, X) - y) ** 2)
    assert inside < 0.4 * outside
    assert promised == pytest.approx(outside, rel=0.2)


def test_as_good_as_scikit_learns_bagging_and_forest():
    rng = np.random.default_rng(9)
    (X, y), (new, y_new) = friedman(100, rng), friedman(2000, rng)
    ours = np.mean((predict_forest(fit_forest_by_ranks(X, y, rng, trees=100), new) - y_new) ** 2)
    rivals = [BaggingRegressor(n_estimators=100, random_state=i).fit(X, y).predict(new) for i in range(3)]
    assert ours == pytest.approx(np.mean([np.mean((one - y_new) ** 2) for one in rivals]), rel=0.06)
    digits = data.digits()
    A, B, a, b = data.train_test_split(digits.X, digits.labels, test_fraction=0.5, rng=rng)
    forest = fit_forest_by_ranks(A, np.eye(10)[a], rng, trees=100, max_features=8)
    wrong = np.mean(predict_forest(forest, B).argmax(axis=1) != b)
    theirs = np.mean(RandomForestClassifier(random_state=0).fit(A, a).predict(B) != b)
    assert abs(wrong - theirs) < 0.01


def test_without_resampling_and_with_all_columns_all_trees_are_one():
    X, y = friedman(30, np.random.default_rng(10))
    answers = tree_answers(fit_forest(X, y, np.random.default_rng(0), trees=3, resample=False), X)
    assert np.ptp(answers, axis=0).max() == 0


def test_the_generator_alone_decides():
    X, y = friedman(30, np.random.default_rng(11))
    one, two = (fit_forest(X, y, np.random.default_rng(3), trees=4, max_features=2) for _ in range(2))
    np.testing.assert_array_equal(one.drawn, two.drawn)
    np.testing.assert_array_equal(tree_answers(one, X), tree_answers(two, X))


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.floats(0.1, 100), st.floats(-50, 50))
def test_answers_move_with_the_targets(seed, scale, shift):
    X, y = friedman(20, np.random.default_rng(seed))
    plain, moved = (
        predict_forest(fit_forest(X, target, np.random.default_rng(seed), trees=3), X)
        for target in (y, scale * y + shift)
    )
    np.testing.assert_allclose(moved, scale * plain + shift, rtol=1e-7, atol=1e-7 * (scale + abs(shift)))


def test_errors():
    X, y = friedman(20, np.random.default_rng(12))
    rng = np.random.default_rng(0)
    forest = fit_forest(X, y, rng, trees=2)
    with pytest.raises(ValueError, match=r"^out_of_bag: forest must leave out each row .* never out$"):
        out_of_bag(forest, X)
    with pytest.raises(ValueError, match=r"^out_of_bag: X must be the 20 training rows; got 19 rows$"):
        out_of_bag(forest, X[1:])
    with pytest.raises(ValueError, match=r"^fit_forest: trees must be at least 1; got 0$"):
        fit_forest(X, y, rng, trees=0)
    with pytest.raises(ValueError, match=r"^fit_forest: rng "):
        fit_forest(X, y, None)
    assert isinstance(forest, Forest)
