"""Stopping against descent that is run, penalties against scikit-learn, patience against a plain reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from chapters_src.networks.regularisation import (
    kept_by_penalty,
    kept_by_stopping,
    matching_penalty,
    stop_early,
)

H = np.array([0.01, 0.3, 1.0, 4.0])


def test_stopping_is_descent_in_the_directions_of_the_bowl():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 4))
    curvatures, axes = np.linalg.eigh(A @ A.T)
    best, theta, eta = rng.normal(size=4), np.zeros(4), 0.9 / curvatures.max()
    for _ in range(7):
        theta = theta - eta * A @ A.T @ (theta - best)
    kept = kept_by_stopping(np.maximum(curvatures, 0), eta, 7)
    np.testing.assert_allclose(axes.T @ theta, kept * (axes.T @ best), atol=1e-10)


def test_penalty_is_ridge_in_the_directions_of_the_bowl():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    curvatures, axes = np.linalg.eigh(X.T @ X)
    best = axes.T @ np.linalg.lstsq(X, y, rcond=None)[0]
    ridge = Ridge(alpha=2.5, fit_intercept=False).fit(X, y).coef_
    np.testing.assert_allclose(axes.T @ ridge, kept_by_penalty(curvatures, 2.5) * best, atol=1e-10)


def test_worked_numbers():
    np.testing.assert_allclose(kept_by_stopping(np.array([0.5]), 0.2, 7), 1 - 0.9**7)
    np.testing.assert_allclose(kept_by_penalty(np.array([0.5]), 0.5), 0.5)
    np.testing.assert_allclose(matching_penalty(np.array([1.0]), 0.5, 1), 1.0)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 0.2), st.integers(1, 200))
def test_the_matching_penalty_keeps_as_much_and_is_below_the_rule(eta, steps):
    match = matching_penalty(H, eta, steps)
    np.testing.assert_allclose(H / (H + match), kept_by_stopping(H, eta, steps), rtol=1e-9)
    assert (match <= 1 / (eta * steps)).all()
    assert (np.diff(match) <= 1e-12).all()  # the steeper, the weaker
    assert matching_penalty(np.array([1e-7]), eta, steps)[0] * eta * steps == pytest.approx(1, abs=1e-4)


def test_after_very_many_steps_nothing_is_shrunk():
    assert matching_penalty(np.array([4.0]), 0.2, 10**6)[0] == 0


def test_patience_by_hand():
    losses = np.array([5.0, 3.0, 4.0, 3.5, 2.0, 2.5, 2.5, 2.5, 1.0])
    assert stop_early(losses, 2) == (1, 3)
    assert stop_early(losses, 3) == (4, 7)
    assert stop_early(losses, 4) == (8, 8)
    assert stop_early(np.array([1.0]), 1) == (0, 0)
    assert stop_early(np.array([2.0, 2.0]), 1) == (0, 1)  # as good is no better


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 6))
def test_patience_in_other_words(values, patience):
    losses = np.array(values)
    best, last = stop_early(losses, patience)
    assert losses[best] == losses[: last + 1].min() and best <= last
    assert last == len(losses) - 1 or last - best == patience
    firsts = [int(np.argmin(losses[: k + 1])) for k in range(last)]
    assert all(k - first < patience for k, first in enumerate(firsts))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kept_by_penalty(-H, 1.0), "kept_by_penalty: curvatures must be"),
        (lambda: kept_by_penalty(H, 0.0), "kept_by_penalty: penalty must be above 0"),
        (lambda: kept_by_stopping(H, 0.0, 3), "kept_by_stopping: learning_rate must be above 0"),
        (lambda: matching_penalty(H, 0.25, 3), "matching_penalty: learning_rate must be below 1 over each"),
        (lambda: stop_early(H, 0), "stop_early: patience must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
