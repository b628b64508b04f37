"""Curves and areas against scikit-learn, by counting all pairs, and under changes that must not matter."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as reference

from chapters_src.evaluation.metrics import (
    alarms_by_threshold,
    auc,
    average_precision,
    precision_recall_curve,
    roc_curve,
)

# labels of both kinds, and scores of which many are equal
examples = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=40).filter(
    lambda pairs: len({label for label, _ in pairs}) == 2
)


def split(pairs):
    return np.array(pairs, dtype=float).T


def by_all_pairs(y, score):
    """How often a 1 scores above a 0, in fractions."""
    wins = [
        Fraction(int(np.sign(a - b)) + 1, 2)
        for a, b in product(score[y == 1].tolist(), score[y == 0].tolist())
    ]
    return float(sum(wins, Fraction()) / len(wins))


@given(examples)
def test_area_is_the_share_of_pairs(pairs):
    y, score = split(pairs)
    fpr, tpr, _ = roc_curve(y, score)
    assert auc(y, score) == pytest.approx(by_all_pairs(y, score), abs=1e-14)
    assert auc(y, score) == pytest.approx(np.trapezoid(tpr, fpr), abs=1e-14)
    assert auc(y, score) == pytest.approx(reference.roc_auc_score(y, score), abs=1e-14)
    u = stats.mannwhitneyu(score[y == 1], score[y == 0]).statistic
    assert auc(y, score) == pytest.approx(u / (y.sum() * (1 - y).sum()), abs=1e-14)


@given(examples)
def test_curves_are_those_of_scikit_learn(pairs):
    y, score = split(pairs)
    theirs = reference.roc_curve(y, score, drop_intermediate=False)
    for mine, other in zip(roc_curve(y, score), theirs, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-15)
    their_precision, their_recall, threshold = reference.precision_recall_curve(y, score)
    found, precise, mine = precision_recall_curve(y, score)
    np.testing.assert_allclose(found, their_recall[-2::-1], atol=1e-15)
    np.testing.assert_allclose(precise, their_precision[-2::-1], atol=1e-15)
    np.testing.assert_array_equal(mine, threshold[::-1])
    assert average_precision(y, score) == pytest.approx(
        reference.average_precision_score(y, score), abs=1e-14
    )


@given(examples)
def test_alarms_by_counting(pairs):
    y, score = split(pairs)
    for t, true, false in zip(*alarms_by_threshold(y, score), strict=True):
        assert true == np.sum((score >= t) & (y == 1))
        assert false == np.sum((score >= t) & (y == 0))


@given(examples)
def test_only_the_order_of_scores_counts(pairs):
    y, score = split(pairs)
    assert auc(y, np.exp(score)) == auc(y, score)
    assert average_precision(y, np.exp(score)) == average_precision(y, score)
    assert auc(y, -score) == pytest.approx(1 - auc(y, score))
    assert auc(1 - y, score) == pytest.approx(1 - auc(y, score))


def test_the_share_of_ones_moves_average_precision_and_not_the_area():
    y, score = np.array([1.0, 0.0, 1.0, 0.0]), np.array([4.0, 3.0, 2.0, 1.0])
    rare = np.append(y, np.tile([0.0, 0.0], 10)), np.append(score, np.tile([3.0, 1.0], 10))
    assert auc(y, score) == auc(*rare) == 0.75
    assert average_precision(y, score) == pytest.approx(5 / 6)
    assert average_precision(*rare) == pytest.approx((1 + 2 / 13) / 2)


def test_worked_numbers():
    y, score = np.array([1, 0, 1, 0, 0]), np.array([0.9, 0.9, 0.7, 0.7, 0.2])
    fpr, tpr, threshold = roc_curve(y, score)
    np.testing.assert_allclose(fpr, [0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(tpr, [0, 0.5, 1, 1])
    np.testing.assert_array_equal(threshold, [np.inf, 0.9, 0.7, 0.2])
    assert auc(y, score) == pytest.approx((2.5 + 1.5) / 6)


@pytest.mark.parametrize("function", [roc_curve, auc, precision_recall_curve, average_precision])
def test_errors(function):
    name = function.__name__
    with pytest.raises(ValueError, match=rf"{name}: y must hold both a 0 and a 1; got 1 throughout"):
        function([1.0, 1.0], [0.2, 0.3])
    with pytest.raises(ValueError, match=rf"{name}: y must hold only 0 and 1; got 2"):
        function([1.0, 2.0], [0.2, 0.3])
    with pytest.raises(ValueError, match=rf"{name}: score must have shape \(2,\)"):
        function([1.0, 0.0], [0.2, 0.3, 0.4])
