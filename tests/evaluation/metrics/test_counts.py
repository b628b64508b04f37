"""Counts against scikit-learn, by hand, and against one another."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from chapters_src.evaluation.metrics import confusion_matrix, f_score, one_against_rest, precision, recall
from chapters_src.models.logistic import accuracy

SPAM = np.array([[8, 2], [5, 85]])  # a worked example: rows are true, spam first


def test_worked_example():
    assert precision(SPAM)[0] == pytest.approx(8 / 13)
    assert recall(SPAM)[0] == pytest.approx(0.8)
    assert f_score(SPAM)[0] == pytest.approx(16 / 23)
    assert f_score(SPAM, beta=2.0)[0] == pytest.approx(40 / 53)
    # whoever takes the rows for the predictions exchanges the two
    assert precision(SPAM.T)[0] == pytest.approx(0.8)


def test_two_scores_are_called_macro():
    assert f_score(SPAM).mean() == pytest.approx(0.828052, abs=5e-7)  # as in scikit-learn
    harmonic = 2 / (1 / precision(SPAM).mean() + 1 / recall(SPAM).mean())
    assert harmonic == pytest.approx(0.832478, abs=5e-7)


def test_rows_are_true_and_columns_predicted():
    np.testing.assert_array_equal(
        confusion_matrix([0, 0, 0, 1], [1, 1, 0, 1], 3), [[1, 2, 0], [0, 1, 0], [0, 0, 0]]
    )


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(1, 60), st.sampled_from([0.5, 1.0, 2.0]))
def test_against_scikit_learn(seed, K, n, beta):
    rng = np.random.default_rng(seed)
    y, y_hat = rng.integers(0, K, (2, n))
    C = confusion_matrix(y, y_hat, K)
    labels = np.arange(K)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that never occur
        np.testing.assert_array_equal(C, reference.confusion_matrix(y, y_hat, labels=labels))
        theirs = reference.precision_recall_fscore_support(
            y, y_hat, labels=labels, beta=beta, zero_division=0
        )
        per_class = reference.multilabel_confusion_matrix(y, y_hat, labels=labels)
    np.testing.assert_allclose([precision(C), recall(C), f_score(C, beta)], theirs[:3], atol=1e-15)
    np.testing.assert_array_equal(one_against_rest(C), per_class[:, ::-1, ::-1])
    assert accuracy(y, y_hat) == pytest.approx(np.trace(C) / n)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_micro_averages_are_the_accuracy(seed, K):
    C = np.random.default_rng(seed).integers(0, 9, (K, K))
    C[0, 0] += 1
    both = one_against_rest(C).sum(axis=0)
    for measure in (precision, recall, f_score):
        assert measure(both)[0] == pytest.approx(np.trace(C) / C.sum())


@given(st.integers(0, 2**32 - 1))
def test_f_lies_between_the_smaller_and_the_mean(seed):
    C = np.random.default_rng(seed).integers(0, 9, (3, 3))
    P, R, F = precision(C), recall(C), f_score(C)
    assert (np.minimum(P, R) <= F + 1e-12).all()
    assert ((P + R) / 2 >= F - 1e-12).all()


def test_errors():
    with pytest.raises(
        ValueError, match=r"confusion_matrix: y_hat must hold class numbers from 0 to 1; got 2"
    ):
        confusion_matrix([0, 1], [0, 2], 2)
    with pytest.raises(ValueError, match=r"precision: C must be at least 0"):
        precision([[1.0, -1.0], [0.0, 2.0]])
    with pytest.raises(ValueError, match=r"f_score: beta must be above 0; got 0"):
        f_score(SPAM, beta=0.0)
