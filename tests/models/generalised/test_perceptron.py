"""The perceptron: worked by hand, inside its bound, and honest about data it cannot separate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron as Theirs

from chapters_src.models.generalised.perceptron import fit_perceptron, mistake_bound, perceptron_predict

seeds = st.integers(0, 2**32 - 1)


def clouds(seed, n=30, gap=0.2):
    """Points at least ``gap`` from the hyperplane of u, on their side of it."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(3)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((n, 3))
    y = np.where(X @ u > 0, 1.0, -1.0)
    return X + gap * y[:, None] * u, y, u


def test_by_hand():
    X = np.array([[1.0, 2.0], [1.0, -1.0], [1.0, 0.5]])
    y = np.array([1.0, -1.0, 1.0])
    fit = fit_perceptron(X, y)
    # θ = 0 says −1 to (1, 2): add it; (1, 2) says −1 to (1, −1), rightly, and +1 to (1, ½), rightly
    np.testing.assert_array_equal(fit.path, [[0, 0], [1, 2]])
    np.testing.assert_array_equal(fit.mistakes, [0])
    assert fit.converged
    assert fit.passes == 2


def test_the_bound_by_hand():
    X, y = np.array([[3.0, 4.0], [0.0, -2.0]]), np.array([1.0, -1.0])
    # R = 5; with u = (0, 1) the margins are 4 and 2, with u = (3, 4)/5 they are 5 and 8/5
    assert mistake_bound(X, y, np.array([0.0, 7.0])) == pytest.approx((5 / 2) ** 2)
    assert mistake_bound(X, y, np.array([3.0, 4.0])) == pytest.approx((5 / 1.6) ** 2)


@given(seed=seeds)
@settings(deadline=None, max_examples=60)
def test_stays_inside_its_bound(seed):
    X, y, u = clouds(seed)
    fit = fit_perceptron(X, y, passes=2000)
    assert fit.converged
    np.testing.assert_array_equal(perceptron_predict(X, fit.theta), y)
    assert len(fit.mistakes) <= mistake_bound(X, y, u)
    M, lengths = len(fit.mistakes), np.linalg.norm(fit.path, axis=1)
    gamma, R = (y * (X @ u)).min(), np.linalg.norm(X, axis=1).max()
    assert M * gamma <= lengths[-1] + 1e-9 <= np.sqrt(M) * R + 2e-9


@given(seed=seeds)
@settings(max_examples=30)
def test_each_update_is_a_mistake_of_the_weights_of_that_moment(seed):
    X, y, _ = clouds(seed)
    fit = fit_perceptron(X, y)
    for before, after, i in zip(fit.path, fit.path[1:], fit.mistakes, strict=False):
        assert perceptron_predict(X[i : i + 1], before)[0] != y[i]
        np.testing.assert_allclose(after, before + y[i] * X[i])


def test_like_scikit_learn():
    """At zero they count a mistake for both labels, so the paths need not agree; the answers do."""
    X, y, _ = clouds(3, n=60, gap=0.5)
    theirs = Theirs(fit_intercept=False, shuffle=False, tol=None, max_iter=100).fit(X, y)
    assert theirs.score(X, y) == 1.0
    np.testing.assert_array_equal(perceptron_predict(X, fit_perceptron(X, y).theta), theirs.predict(X))


def test_exclusive_or_never_ends():
    X = np.array([[1.0, 0, 0], [1.0, 0, 1], [1.0, 1, 0], [1.0, 1, 1]])
    fit = fit_perceptron(X, np.array([-1.0, 1.0, 1.0, -1.0]), passes=50)
    assert not fit.converged
    assert fit.passes == 50


def test_zero_counts_as_no():
    np.testing.assert_array_equal(
        perceptron_predict(np.array([[0.0], [1.0], [-1.0]]), np.ones(1)), [-1, 1, -1]
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y, u: fit_perceptron(X, (y + 1) / 2), "fit_perceptron: y must hold only −1 and +1; got 0"),
        (lambda X, y, u: fit_perceptron(X, y[:3]), "y must have shape (30,), one per row of X; got (3,)"),
        (lambda X, y, u: fit_perceptron(X, y, passes=0), "passes must be at least 1; got 0"),
        (lambda X, y, u: perceptron_predict(X, u[:2]), "theta must have shape (3,), one per column of X"),
        (lambda X, y, u: mistake_bound(X, y, -u), "mistake_bound: theta must have every row on its side"),
    ],
)
def test_errors(call, message):
    X, y, u = clouds(0)
    y[0] = 1.0 if y[0] == 1 else -1.0
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call(X, y, u)
    assert message in str(caught.value)
