"""The game on paper: against quadrature, scipy, closed forms and a matrix written out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import jensenshannon

from chapters_src.generative.gan import best_discriminator, growth, jensen_shannon, play

seeds = st.integers(0, 2**32 - 1)
rates = st.floats(0.01, 0.55)


@given(seeds)
def test_best_discriminator_by_search(seed):
    p, q = np.exp(np.random.default_rng(seed).normal(size=2))
    found = minimize_scalar(
        lambda D: -(p * np.log(D) + q * np.log(1 - D)), bounds=(1e-9, 1 - 1e-9), options={"xatol": 1e-10}
    ).x
    assert best_discriminator(np.array([p]), np.array([q]))[0] == pytest.approx(found, abs=1e-5)


def test_best_discriminator_at_the_ends():
    D = best_discriminator(np.array([1.0, 0.0, 2.0, 1.0]), np.array([0.0, 3.0, 2.0, 3.0]))
    assert pytest.approx([1.0, 0.0, 0.5, 0.25]) == D


@given(seeds)
def test_jensen_shannon_against_scipy(seed):
    p, q = np.random.default_rng(seed).dirichlet(np.ones(6), 2)
    assert jensen_shannon(p, q) == pytest.approx(jensenshannon(p, q) ** 2, rel=1e-9)
    assert jensen_shannon(p, q) == pytest.approx(jensen_shannon(q, p), rel=1e-12)
    assert 0 < jensen_shannon(p, q) < np.log(2)


def test_jensen_shannon_worked():
    assert jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(np.log(2), rel=1e-15)
    assert jensen_shannon(np.array([0.3, 0.7]), np.array([0.3, 0.7])) == 0
    # m = (3/4, 1/4): half of log(4/3) plus half of ½ log(2/3) + ½ log 2
    expected = 0.5 * np.log(4 / 3) + 0.25 * (np.log(2 / 3) + np.log(2))
    assert jensen_shannon(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == pytest.approx(expected, rel=1e-14)


def by_matrix(rule, eta, friction=0.0):
    """One step written out by hand, on (x, y) or, for the optimistic rule, on (x, y, old x, old y)."""
    F = np.array([[0.0, 1.0], [-1.0, friction]])
    eye = np.eye(2)
    return {
        "simultaneous": eye - eta * F,
        "alternating": np.array([[1, -eta], [eta, 1 - eta**2 - eta * friction]]),
        "extragradient": eye - eta * F @ (eye - eta * F),
        "optimistic": np.block([[eye - 2 * eta * F, eta * F], [eye, 0 * eye]]),
    }[rule]


@pytest.mark.parametrize("rule", ["simultaneous", "alternating", "extragradient", "optimistic"])
@given(rates, st.floats(0, 1))
def test_steps_against_matrices(rule, rate, friction):
    M = by_matrix(rule, rate, friction)
    assert growth(rule, rate, friction) == pytest.approx(np.abs(np.linalg.eigvals(M)).max(), rel=1e-6)
    state = np.array([1.0, -0.5, 1.0, -0.5])[: len(M)]
    path = play(rule, rate, np.array([1.0, -0.5]), 7, friction)
    assert path.shape == (8, 2) and path[0] == pytest.approx([1.0, -0.5])
    for place in path[1:]:
        state = M @ state
        assert place == pytest.approx(state[:2], rel=1e-9, abs=1e-12)


@given(rates)
def test_who_leaves_who_stays_who_arrives(rate):
    assert growth("simultaneous", rate) == pytest.approx(np.sqrt(1 + rate**2))
    assert growth("alternating", rate) == pytest.approx(1.0, rel=1e-6)
    assert growth("extragradient", rate) == pytest.approx(np.sqrt(1 - rate**2 + rate**4))
    assert growth("optimistic", rate) < 1
    assert growth("alternating", rate, friction=1.0) < 1


@given(rates)
def test_turns_keep_an_ellipse(rate):
    x, y = play("alternating", rate, np.array([0.7, 1.1]), 200).T
    assert np.ptp(x**2 + y**2 - rate * x * y) < 1e-10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: best_discriminator(np.zeros(2), np.zeros(2)),
            "best_discriminator: q must be above 0 where p",
        ),
        (lambda: best_discriminator(-np.ones(2), np.ones(2)), "best_discriminator: p must be at least 0"),
        (
            lambda: jensen_shannon(np.ones(2), np.ones(2) / 2),
            "jensen_shannon: p must be at least 0 and sum to 1",
        ),
        (lambda: play("fast", 0.1, np.ones(2), 3), "play: rule must be one of 'simultaneous'"),
        (lambda: play("optimistic", 0.0, np.ones(2), 3), "play: rate must be above 0"),
        (lambda: play("optimistic", 0.1, np.ones(3), 3), "play: start must have shape"),
        (lambda: growth("optimistic", 0.1, -1.0), "growth: friction must be at least 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
