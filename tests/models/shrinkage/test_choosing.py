"""Held-out errors agree with scikit-learn's on the same folds and with refitting row by row."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chapters_src.models.shrinkage import (
    cross_validation,
    folds,
    lasso_path,
    leave_one_out,
    ridge_path,
    standardiser,
)

LAMS = np.array([0.5, 5.0, 50.0])


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(23, 4)) * [1, 10, 0.1, 3] + [0, 5, 1, -2]
    return X, X @ [1.0, 0.2, -3.0, 0.0] + rng.normal(size=23)


@given(st.integers(2, 60), st.integers(2, 60), st.integers(0, 99))
def test_folds_deal_every_row_once_in_nearly_equal_parts(n, k, seed):
    k = min(k, n)
    parts = folds(n, k, np.random.default_rng(seed))
    assert len(parts) == k
    assert sorted(np.concatenate(parts)) == list(range(n))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_folds_are_random_and_repeatable():
    first, again, other = (folds(20, 4, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_standardiser_agrees_with_scikit_learn_and_centres_what_never_varies(problem):
    X, _ = problem
    X = np.column_stack([X, np.full(len(X), 7.0)])
    new = X[:3] + 1.0
    assert standardiser(X)(new) == pytest.approx(StandardScaler().fit(X).transform(new))


@pytest.mark.parametrize(
    ("path", "theirs"),
    [
        (ridge_path, lambda lam, n: Ridge(alpha=lam)),
        (lasso_path, lambda lam, n: Lasso(alpha=lam / (2 * n), tol=1e-12, max_iter=100_000)),
    ],
)
def test_cross_validation_agrees_with_scikit_learn_on_the_same_folds(problem, path, theirs):
    X, y = problem
    ours = cross_validation(path, X, y, LAMS, 5, np.random.default_rng(3))
    assert ours.shape == (5, 3)
    for row, held_out in zip(ours, folds(len(X), 5, np.random.default_rng(3)), strict=True):
        seen = np.setdiff1d(np.arange(len(X)), held_out)
        for error, lam in zip(row, LAMS, strict=True):
            model = make_pipeline(StandardScaler(), theirs(lam, len(seen))).fit(X[seen], y[seen])
            assert error == pytest.approx(
                mean_squared_error(y[held_out], model.predict(X[held_out])), rel=1e-6
            )


@pytest.mark.parametrize("ridge", [0.0, 0.3, 20.0])
def test_leave_one_out_equals_refitting(problem, ridge):
    X, y = problem
    refitted = []
    for i in range(len(y)):
        model = Ridge(alpha=ridge, fit_intercept=False, solver="svd").fit(np.delete(X, i, 0), np.delete(y, i))
        refitted.append(y[i] - model.predict(X[[i]])[0])
    assert leave_one_out(X, y, ridge) == pytest.approx(np.array(refitted), rel=1e-7)


def test_leave_one_out_with_an_intercept_equals_refitting_it_too(problem):
    X, y = problem
    refitted = []
    for i in range(len(y)):
        model = Ridge(alpha=2.0, solver="svd").fit(np.delete(X, i, 0), np.delete(y, i))
        refitted.append(y[i] - model.predict(X[[i]])[0])
    found = leave_one_out(X - X.mean(axis=0), y - y.mean(), 2.0, centred=True)
    assert found == pytest.approx(np.array(refitted), rel=1e-7)


def test_the_worked_number_of_four_equal_rows():
    """Each of 1, 2, 3, 6 against the mean of the other three."""
    expected = [1 - 11 / 3, 2 - 10 / 3, 3 - 3.0, 6 - 2.0]
    found = leave_one_out(np.ones((4, 1)), np.array([1.0, 2.0, 3.0, 6.0]))
    assert found == pytest.approx(np.array(expected))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: folds(3, 4, np.random.default_rng(0)),
            "folds: k must be at most 3, so that no part is empty; got 4",
        ),
        (
            lambda: leave_one_out(np.eye(3), np.ones(3)),
            "leave_one_out: X must leave every row predictable from the others; "
            "got row 0, which alone decides a coefficient",
        ),
        (lambda: standardiser(np.ones((1, 2))), "standardiser: X must have two rows or more; got 1"),
    ],
)
def test_what_cannot_be_chosen_from_is_refused(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@pytest.mark.parametrize("size", [1e154, 1e200, 1e300])
def test_values_whose_squares_overflow_are_refused(size, problem):
    X, y = problem
    rng, wide, high = np.random.default_rng(0), X * size, y * size
    calls = [
        ("standardiser: X", lambda: standardiser(wide)),
        ("cross_validation: X", lambda: cross_validation(ridge_path, wide, y, [1.0], 3, rng)),
        ("cross_validation: y", lambda: cross_validation(ridge_path, X, high, [1.0], 3, rng)),
        ("leave_one_out: X", lambda: leave_one_out(wide, y)),
        ("leave_one_out: y", lambda: leave_one_out(X, high)),
    ]
    for what, call in calls:
        with pytest.raises(
            ValueError, match=f"^{what} must be below 1e150 in size, so that its squares stay"
        ):
            call()
