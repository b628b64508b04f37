"""Transport from both sides: against scipy on a line, by enumeration, and by the properties of a distance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from chapters_src.generative.gan import best_critic, least_transport

seeds = st.integers(0, 2**32 - 1)


def heaps(seed, k=6, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(k, d))
    return *rng.dirichlet(np.ones(k), 2), cdist(X, X), X


@settings(max_examples=25)
@given(seeds)
def test_plan_and_critic_meet(seed):
    p, q, c, _ = heaps(seed)
    work, plan = least_transport(p, q, c)
    gap, f = best_critic(p, q, c)
    assert work == pytest.approx(gap, rel=1e-8, abs=1e-10)
    assert plan.min() >= -1e-12
    assert plan.sum(axis=1) == pytest.approx(p, abs=1e-9) and plan.sum(axis=0) == pytest.approx(q, abs=1e-9)
    assert (plan * c).sum() == pytest.approx(work, rel=1e-9)
    assert (f[:, None] - f <= c + 1e-8).all() and f @ (p - q) == pytest.approx(gap, rel=1e-8, abs=1e-10)
    moved = plan > 1e-9
    assert (f[:, None] - f)[moved] == pytest.approx(c[moved], abs=1e-7)


@settings(max_examples=25)
@given(seeds)
def test_on_a_line_against_scipy(seed):
    p, q, c, X = heaps(seed, d=1)
    expected = wasserstein_distance(X[:, 0], X[:, 0], p, q)
    assert least_transport(p, q, c).cost == pytest.approx(expected, rel=1e-8, abs=1e-10)


@settings(max_examples=10)
@given(seeds)
def test_equal_masses_by_all_pairings(seed):
    X = np.random.default_rng(seed).normal(size=(8, 2))
    c = cdist(X, X)
    p, q = np.repeat([[0.25, 0.0], [0.0, 0.25]], 4, axis=0).T
    best = min(sum(c[i, 4 + j] for i, j in enumerate(order)) / 4 for order in permutations(range(4)))
    assert least_transport(p, q, c).cost == pytest.approx(best, rel=1e-9)


@settings(max_examples=15)
@given(seeds)
def test_a_distance(seed):
    p, q, c, _ = heaps(seed)
    r = np.random.default_rng(seed + 1).dirichlet(np.ones(6))
    W = lambda a, b: best_critic(a, b, c).gap  # noqa: E731
    assert W(p, p) == pytest.approx(0, abs=1e-10)
    assert W(p, q) == pytest.approx(W(q, p), rel=1e-8)
    assert W(p, r) <= W(p, q) + W(q, r) + 1e-9


def test_worked():
    """Half of the mass goes 3 to the right: 1.5."""
    c = np.array([[0.0, 3.0], [3.0, 0.0]])
    work, plan = least_transport(np.array([1.0, 0.0]), np.array([0.5, 0.5]), c)
    assert work == pytest.approx(1.5) and plan == pytest.approx(np.array([[0.5, 0.5], [0.0, 0.0]]))
    gap, f = best_critic(np.array([1.0, 0.0]), np.array([0.5, 0.5]), c)
    assert gap == pytest.approx(1.5) and f == pytest.approx([0.0, -3.0])


@pytest.mark.parametrize("function", [least_transport, best_critic])
@pytest.mark.parametrize(
    ("p", "c", "message"),
    [
        ([0.5, 0.6], [[0, 1], [1, 0]], "p must be at least 0 and sum to 1"),
        ([0.5, 0.5], [[0, 1], [2, 0]], "c must be a metric"),
        ([0.5, 0.5], [[1, 1], [1, 0]], "c must be a metric"),
        ([0.5, 0.5], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], "c must have shape"),
        ([0.4, 0.6], [[0, 1e155], [1e155, 0]], r"c must be below 1e20, .*; got 1e\+155"),
    ],
)
def test_bad_input(function, p, c, message):
    with pytest.raises(ValueError, match=f"{function.__name__}: {message}"):
        function(np.array(p), np.array([0.5, 0.5]), np.array(c, float))


def test_the_largest_distances_that_the_program_tells_from_infinity():
    p, q, c = np.array([0.4, 0.6]), np.array([0.5, 0.5]), 9e19 * (1 - np.eye(2))
    assert least_transport(p, q, c).cost == pytest.approx(0.1 * 9e19)
    assert best_critic(p, q, c).gap == pytest.approx(0.1 * 9e19)


def test_a_detour_that_is_shorter_is_refused():
    c = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
    with pytest.raises(ValueError, match="c must be a metric"):
        best_critic(np.ones(3) / 3, np.ones(3) / 3, c)
