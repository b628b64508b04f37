"""Leapfrog against the exact motion and its invariants, and the walk against known distributions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.elbo import banana, grid_posterior
from chapters_src.generative.variational.hamiltonian import hamiltonian_walk, leapfrog

seeds = st.integers(0, 2**32 - 1)


def harmonic(z):
    return -z


def test_one_leap_by_hand():
    z, v = leapfrog(harmonic, [[1.0]], [[0.5]], 0.2, 1)
    assert z[0, 0] == pytest.approx(1 + 0.2 * (0.5 - 0.1))
    assert v[0, 0] == pytest.approx(0.4 - 0.1 * 1.08)


def test_the_exact_motion_is_a_rotation():
    z, v = leapfrog(harmonic, [[1.0]], [[0.0]], 0.001, 1000)
    np.testing.assert_allclose([z[0, 0], v[0, 0]], [np.cos(1), -np.sin(1)], atol=1e-6)


@settings(max_examples=30)
@given(seeds, st.integers(1, 12))
def test_it_can_be_reversed(seed, leaps):
    rng, b = np.random.default_rng(seed), banana()
    z, v = rng.normal(size=(2, 3, 2))
    there, speed = leapfrog(b.gradient, z, v, 0.05, leaps)
    back, turned = leapfrog(b.gradient, there, -speed, 0.05, leaps)
    np.testing.assert_allclose(back, z, atol=1e-8)
    np.testing.assert_allclose(turned, -v, atol=1e-8)


@settings(max_examples=20)
@given(seeds)
def test_it_keeps_volumes(seed):
    rng, b, h = np.random.default_rng(seed), banana(), 1e-6
    state = rng.normal(size=4)

    def move(s):
        return np.concatenate([part[0] for part in leapfrog(b.gradient, s[None, :2], s[None, 2:], 0.1, 4)])

    J = np.array([(move(state + h * e) - move(state - h * e)) / (2 * h) for e in np.eye(4)])
    assert abs(np.linalg.det(J)) == pytest.approx(1, abs=1e-4)


@given(st.floats(0.1, 1.9), st.integers(1, 40))
def test_the_energy_that_is_kept_exactly(h, leaps):
    """On ½z² a leap keeps v² + z²(1 − h²/4)."""
    z, v = leapfrog(harmonic, [[1.2]], [[0.4]], h, leaps)
    before = 0.4**2 + 1.2**2 * (1 - h**2 / 4)
    assert v[0, 0] ** 2 + z[0, 0] ** 2 * (1 - h**2 / 4) == pytest.approx(before, rel=1e-8)


def test_a_gaussian_comes_out():
    S = np.array([[1.0, 0.6], [0.6, 2.0]])
    density = scipy.stats.multivariate_normal([1.0, -1.0], S)
    slope = -np.linalg.inv(S)
    rng = np.random.default_rng(0)
    chain = hamiltonian_walk(
        density.logpdf, lambda z: (z - [1, -1]) @ slope, np.zeros((60, 2)), 0.4, 4, 400, rng
    )
    draws = chain.samples[40:].reshape(-1, 2)
    np.testing.assert_allclose(draws.mean(axis=0), [1, -1], atol=0.05)
    np.testing.assert_allclose(np.cov(draws.T), S, atol=0.08)
    assert chain.evaluations == 60 * (1 + 400 * 6)


def test_long_steps_are_corrected():
    """With a step that errs a lot in energy many proposals are refused, and the answer is still right."""
    b = banana()
    exact = grid_posterior(b.log_joint, [-9, -18], [9, 9])
    chain = hamiltonian_walk(
        b.log_joint, b.gradient, np.zeros((100, 2)), 0.35, 6, 1000, np.random.default_rng(1)
    )
    assert 0.7 < chain.acceptance < 0.9
    draws = chain.samples[150:].reshape(-1, 2)
    np.testing.assert_allclose(draws.mean(axis=0), exact.mean, atol=0.06)
    np.testing.assert_allclose(draws.var(axis=0), np.diag(exact.covariance), rtol=0.08)


def test_the_start_is_left_alone_and_the_generator_decides():
    start, b = np.zeros((4, 2)), banana()
    runs = [
        hamiltonian_walk(b.log_joint, b.gradient, start, 0.2, 3, 20, np.random.default_rng(7)).samples
        for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not start.any()


def test_complaints_name_the_argument():
    b, rng = banana(), np.random.default_rng(0)
    with pytest.raises(ValueError, match="leapfrog: step must be above 0; got 0"):
        leapfrog(harmonic, [[1.0]], [[1.0]], 0.0, 1)
    with pytest.raises(ValueError, match="hamiltonian_walk: start must have positive density"):
        hamiltonian_walk(lambda z: np.full(len(z), -np.inf), harmonic, [[1.0]], 0.1, 1, 1, rng)
    with pytest.raises(ValueError, match="log_density must return one log density per row"):
        hamiltonian_walk(lambda z: 0.0, b.gradient, np.ones((2, 2)), 0.1, 1, 1, rng)
