"""The dual against a general solver, against libsvm and against its own optimality conditions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from chapters_src.models.support_vectors import (
    SupportVectors,
    complementary_slackness,
    dual_objective,
    max_margin,
    scores,
    smo,
    smo_fast,
    soft_margin,
)

SOLVERS = [smo, smo_fast]


def clouds(seed: int, n: int = 24, d: int = 2, apart: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(n, d)) + apart * y[:, None], y


def tumours() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 0, 1.0, -1.0)


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize(("seed", "C"), [(0, 0.1), (1, 1.0), (2, 10.0), (3, 1.0)])
def test_against_a_general_solver(solve, seed, C):
    X, y = clouds(seed, n=16)
    Q = np.outer(y, y) * (X @ X.T)
    theirs = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(16),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * 16,
        constraints={"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    found = solve(X @ X.T, y, C, 1e-9)
    assert found.converged
    assert dual_objective(X @ X.T, y, found.alpha) == pytest.approx(-theirs.fun, rel=1e-6)
    np.testing.assert_allclose(X.T @ (found.alpha * y), X.T @ (theirs.x * y), atol=1e-3)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_real_data_against_libsvm(C):
    X, y = tumours()
    K = X @ X.T
    theirs = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
    for found in (smo(K, y, C, 1e-7), smo_fast(K, y, C, 1e-7)):
        assert set(found.support) == set(theirs.support_)
        assert dual_objective(K, y, found.alpha) == pytest.approx(dual_objective(K, y, alpha), abs=1e-6)
        np.testing.assert_allclose(scores(K, y, found.alpha, found.b), theirs.decision_function(X), atol=2e-5)


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 4), st.floats(0, 2), st.floats(0.01, 100)
)
def test_optimality_conditions_and_no_gap(seed, n, d, apart, C):
    X, y = clouds(seed, n, d, apart)
    K = X @ X.T
    found = smo_fast(K, y, C, 1e-9)
    assert found.converged
    assert (found.alpha >= 0).all() and (found.alpha <= C).all()
    assert abs(found.alpha @ y) <= 1e-10 * (1 + found.alpha.sum())
    for product in complementary_slackness(K, y, found.alpha, found.b, C):
        np.testing.assert_allclose(product, 0, atol=1e-7 * C)
    w, D = X.T @ (found.alpha * y), dual_objective(K, y, found.alpha)
    assert soft_margin(X, y, w, found.b, C) == pytest.approx(D, rel=1e-6, abs=1e-9)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.floats(0, 2), st.floats(0.05, 5))
def test_fast_equals_readable(seed, n, apart, C):
    X, y = clouds(seed, n, 3, apart)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))  # strictly positive definite: one solution
    slow, quick = smo(K, y, C, 1e-10), smo_fast(K, y, C, 1e-10)
    np.testing.assert_allclose(quick.alpha, slow.alpha, atol=1e-5 * C)
    np.testing.assert_allclose(
        scores(K, y, quick.alpha, quick.b), scores(K, y, slow.alpha, slow.b), atol=1e-6
    )


@given(st.integers(0, 2**32 - 1))
def test_every_allowed_alpha_is_a_lower_bound(seed):
    X, y = clouds(seed, 10)
    rng = np.random.default_rng(seed)
    alpha = rng.uniform(0, 1, 10)
    alpha[y > 0] *= alpha[y < 0].sum() / alpha[y > 0].sum()
    C = alpha.max()
    w, b = rng.normal(size=2), rng.normal()
    assert dual_objective(X @ X.T, y, alpha) <= soft_margin(X, y, w, b, C) + 1e-9


@pytest.mark.parametrize("solve", SOLVERS)
def test_two_points_by_hand(solve):
    X, y = np.array([[1.0, 1.0], [4.0, 5.0]]), np.array([-1.0, 1.0])
    found = solve(X @ X.T, y, 100.0, 1e-12)
    # w points from one to the other and has length 2/5: α = ‖w‖²/2 = 2/25 each
    np.testing.assert_allclose(found.alpha, [0.08, 0.08], rtol=1e-12)
    assert found.b == pytest.approx(-1.56) and found.steps == 1  # the score is 0 in the middle, at (2.5, 3)
    capped = solve(X @ X.T, y, 0.05, 1e-12)
    assert capped.alpha.tolist() == [0.05, 0.05]
    assert capped.support.tolist() == [0, 1]


@pytest.mark.parametrize("solve", SOLVERS)
def test_moving_an_idle_point_changes_nothing(solve):
    X, y = clouds(5, 20, 2, 2.0)
    found = solve(X @ X.T, y, 1.0, 1e-10)
    idle = np.flatnonzero(found.alpha == 0)[0]
    moved = X.copy()
    moved[idle] += 3 * y[idle]  # farther onto its side
    again = solve(moved @ moved.T, y, 1.0, 1e-10)
    np.testing.assert_allclose(moved.T @ (again.alpha * y), X.T @ (found.alpha * y), atol=1e-8)
    assert again.b == pytest.approx(found.b, abs=1e-8)


@pytest.mark.parametrize("solve", SOLVERS)
def test_twins_of_both_classes_and_points_without_extent(solve):
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]]), np.array([1.0, -1.0, -1.0])
    found = solve(X @ X.T, y, 2.0, 1e-9)
    assert found.converged and found.alpha.max() <= 2.0
    flat = solve(np.zeros((4, 4)), np.array([1.0, -1.0, 1.0, -1.0]), 1.0, 1e-9)
    assert flat.converged and flat.alpha.tolist() == [1.0] * 4


def test_hard_problems_are_settled_by_solving_for_the_free():
    X, y = tumours()
    found = smo_fast(X @ X.T, y, 10.0, 1e-9)
    assert found.converged and found.steps < 10_000  # libsvm takes 50,000 pairs


@pytest.mark.parametrize("solve", SOLVERS)
def test_steps_run_out(solve):
    X, y = clouds(0, 40, 2, 0.5)
    found = solve(X @ X.T, y, 1.0, 1e-9, 3)
    assert not found.converged and found.steps == 3
    assert solve(X @ X.T, y, 1.0, 1e-9, 0).alpha.tolist() == [0.0] * 40
    assert isinstance(found, SupportVectors)


def test_max_margin_is_the_widest():
    X, y = clouds(7, 20, 2, 3.0)
    w, b, alpha = max_margin(X, y, 1e6)
    margin = (y * (X @ w + b)).min() / np.linalg.norm(w)
    assert margin == pytest.approx(1 / np.linalg.norm(w), rel=1e-7)
    assert alpha.sum() == pytest.approx(w @ w, rel=1e-6)  # no slack, so the dual says so
    angles = np.linspace(0, 2 * np.pi, 20_001)  # every other direction leaves a narrower street
    along = X @ np.array([np.cos(angles), np.sin(angles)])
    widest = (along[y > 0].min(axis=0) - along[y < 0].max(axis=0)).max() / 2
    assert margin >= widest - 1e-12 and margin == pytest.approx(widest, rel=1e-5)


def test_what_is_refused():
    X, y = clouds(0, 4)
    with pytest.raises(ValueError, match=re.escape("smo: K must be symmetric, as inner products are")):
        smo(np.arange(16.0).reshape(4, 4), y, 1.0)
    with pytest.raises(ValueError, match=re.escape("smo_fast: C must be above 0; got 0")):
        smo_fast(X @ X.T, y, 0.0)
    with pytest.raises(ValueError, match=re.escape("smo: y must hold both −1 and 1; got 1 throughout")):
        smo(X @ X.T, np.ones(4), 1.0)
    with pytest.raises(ValueError, match=re.escape("dual_objective: alpha must be at least 0")):
        dual_objective(X @ X.T, y, -np.ones(4))
