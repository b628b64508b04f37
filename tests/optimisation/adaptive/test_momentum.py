"""Momentum: its sum written out, its 2×2 matrix, a search for its best settings, and worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.adaptive import Momentum, best_momentum, momentum_matrix
from chapters_src.optimisation.stochastic import walk

H = np.diag([1.0, 25.0])


def test_conventions_differ_by_a_factor_in_the_rate():
    for nesterov in (False, True):
        total = walk(lambda t: H @ t, np.ones(2), Momentum(0.01, 0.9, nesterov), 60)
        mean = walk(lambda t: H @ t, np.ones(2), Momentum(0.1, 0.9, nesterov, convention="average"), 60)
        np.testing.assert_allclose(total, mean, rtol=1e-11)


@pytest.mark.parametrize(("convention", "limit"), [("sum", 10.0), ("average", 1.0)])
def test_constant_gradient(convention, limit):
    path = walk(lambda t: np.ones(1), np.zeros(1), Momentum(1.0, 0.9, convention=convention), 400)
    assert path[-2, 0] - path[-1, 0] == pytest.approx(limit, rel=1e-12)


def test_unrolled():
    g, beta = np.random.default_rng(2).normal(size=8), 0.7
    mine, theta = Momentum(1.0, beta), np.zeros(1)
    for one in g:
        before, theta = theta, mine.step(theta, [one])
    assert (before - theta)[0] == pytest.approx(sum(beta ** (7 - k) * g[k] for k in range(8)), rel=1e-12)


def test_nesterov_is_the_look_ahead():
    """The textbook's θ with the gradient at θ − ηβu, mapped to the point looked ahead to."""
    eta, beta = 0.03, 0.9
    theta, u, ahead = np.ones(2), np.zeros(2), []
    for _ in range(41):
        ahead.append(theta - eta * beta * u)
        u = beta * u + H @ ahead[-1]
        theta = theta - eta * u
    ours = walk(lambda t: H @ t, np.ones(2), Momentum(eta, beta, nesterov=True), 40)
    np.testing.assert_allclose(ours, ahead, rtol=1e-10, atol=1e-14)


@given(st.floats(0.01, 30), st.floats(0.001, 0.05), st.floats(0, 0.99))
@settings(max_examples=40, deadline=None)
def test_the_matrix_takes_the_steps(curvature, eta, beta):
    path = walk(lambda t: curvature * t, np.ones(1), Momentum(eta, beta), 12)[:, 0]
    state, step = np.ones(2), momentum_matrix(curvature, eta, beta)
    for there in path[1:]:
        state = step @ state
        assert state[0] == pytest.approx(there, rel=1e-9, abs=1e-12)


def slowest(curvatures, eta, beta):
    """The largest modulus of an eigenvalue, over some curvatures."""
    return np.abs(np.linalg.eigvals([momentum_matrix(c, eta, beta) for c in curvatures])).max()


@pytest.mark.parametrize(("smallest", "largest"), [(1.0, 25.0), (0.2, 7.0), (3.0, 4.0), (2.0, 2.0)])
def test_no_search_finds_better_settings(smallest, largest):
    eta, beta = best_momentum(smallest, largest)
    root, curvatures = np.sqrt(largest / smallest), np.linspace(smallest, largest, 5)
    known = (root - 1) / (root + 1)
    # a double root moves by the square root of a rounding error
    assert slowest(curvatures, eta, beta) == pytest.approx(known, abs=1e-7)
    rates, betas = np.linspace(0.02, 4, 60) / largest, np.linspace(0, 0.98, 50)
    searched = min(slowest(curvatures, one, other) for one in rates for other in betas)
    assert known - 1e-7 <= searched <= known + 0.08


def test_the_double_root():
    """θₜ = (1 + (1 ∓ r)t)(±r)ᵗ at the two ends, r = √β; by hand, 13/3 · 4/9 at most."""
    eta, beta = best_momentum(1.0, 25.0)
    path, t, r = walk(lambda x: H @ x, np.ones(2), Momentum(eta, beta), 60), np.arange(61), 2 / 3
    np.testing.assert_allclose(path[:, 0], (1 + (1 - r) * t) * r**t, rtol=1e-9)
    np.testing.assert_allclose(path[:, 1], (1 + (1 + r) * t) * (-r) ** t, rtol=1e-9)
    assert np.abs(path).max() == pytest.approx(52 / 27, rel=1e-12)
    assert [int(np.argmax(np.abs(one) < 1e-6)) for one in path.T] == [41, 45]


def test_bad_input():
    with pytest.raises(ValueError, match="best_momentum: smallest must be at most largest, 1; got 2"):
        best_momentum(2.0, 1.0)
    with pytest.raises(ValueError, match="momentum_matrix: beta must be at least 0 and below 1; got 1"):
        momentum_matrix(1.0, 0.1, 1.0)


def test_worked_numbers():
    """γ = 0.9, η = 0.035, curvatures 1 and 25, a hundred steps from (1, 1)."""

    def run(**options):
        return walk(lambda t: H @ t, np.ones(2), Momentum(0.035, 0.9, **options), 100)

    theta = run()[-1]
    assert theta @ H @ theta / 2 == pytest.approx(4.2e-4, abs=5e-6)
    ahead = run(nesterov=True)
    u = np.zeros(2)
    for point in ahead[:-1]:
        u = 0.9 * u + H @ point
    theta = ahead[-1] + 0.035 * 0.9 * u  # back from the point looked ahead to
    assert theta @ H @ theta / 2 == pytest.approx(9.96e-8, abs=5e-11)
