"""Metropolis–Hastings against distributions that are known, and its bookkeeping against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from chapters_src.generative.elbo.climbing import banana, grid_posterior
from chapters_src.generative.variational.metropolis import metropolis_hastings, random_walk


def multiply(z, rng):
    """Multiply by a log-normal factor: there and back are not equally likely."""
    factor = np.exp(0.7 * rng.standard_normal(z.shape))
    return z * factor, np.log(factor).sum(axis=1)


def gamma_density(z):
    return scipy.stats.gamma.logpdf(z[:, 0], 3.0)


def test_a_gaussian_comes_out():
    density = scipy.stats.multivariate_normal([1.0, -1.0], [[1.0, 0.6], [0.6, 2.0]])
    rng = np.random.default_rng(0)
    chain = metropolis_hastings(density.logpdf, np.zeros((60, 2)), random_walk(1.5), 2500, rng)
    draws = chain.samples[250:].reshape(-1, 2)
    np.testing.assert_allclose(draws.mean(axis=0), [1, -1], atol=0.06)
    np.testing.assert_allclose(np.cov(draws.T), [[1.0, 0.6], [0.6, 2.0]], atol=0.12)
    assert chain.evaluations == 60 * 2501


def test_the_correction_is_needed():
    """A lopsided proposal gives the right answer with its correction, and another one without."""
    start = np.full((80, 1), 2.0)
    right = metropolis_hastings(gamma_density, start, multiply, 1500, np.random.default_rng(0))
    assert right.samples[100:].mean() == pytest.approx(3.0, abs=0.06)

    def forgetful(z, rng):
        there, correction = multiply(z, rng)
        return there, 0 * correction

    wrong = metropolis_hastings(gamma_density, start, forgetful, 1500, np.random.default_rng(0))
    assert wrong.samples[100:].mean() == pytest.approx(2.0, abs=0.06)  # Gamma(2): density divided by z


def test_the_banana_against_brute_force():
    b = banana()
    exact = grid_posterior(b.log_joint, [-9, -18], [9, 9])
    rng = np.random.default_rng(1)
    chain = metropolis_hastings(b.log_joint, np.zeros((100, 2)), random_walk(1.5), 3000, rng)
    draws = chain.samples[500:].reshape(-1, 2)
    np.testing.assert_allclose(draws.mean(axis=0), exact.mean, atol=0.06)
    np.testing.assert_allclose(draws.var(axis=0), np.diag(exact.covariance), rtol=0.06)


def test_the_equilibrium_is_kept_from_the_first_step():
    """Started from the distribution itself, the chain has it at every step: no warming up needed."""
    rng = np.random.default_rng(2)
    start = rng.standard_normal((4000, 1))
    chain = metropolis_hastings(lambda z: scipy.stats.norm.logpdf(z[:, 0]), start, random_walk(2.0), 6, rng)
    for step in chain.samples:
        assert scipy.stats.kstest(step[:, 0], "norm").pvalue > 1e-3


def test_places_of_no_density_are_never_visited():
    chain = metropolis_hastings(
        gamma_density, np.ones((10, 1)), random_walk(3.0), 300, np.random.default_rng(3)
    )
    assert (chain.samples > 0).all()
    assert 0 < chain.acceptance < 1


def test_a_flat_density_accepts_everything():
    chain = metropolis_hastings(
        lambda z: np.zeros(len(z)), np.zeros((3, 2)), random_walk(1.0), 50, np.random.default_rng(0)
    )
    assert chain.acceptance == 1


def test_the_start_is_left_alone_and_the_generator_decides():
    start, b = np.zeros((4, 2)), banana()
    runs = [
        metropolis_hastings(b.log_joint, start, random_walk(1.0), 40, np.random.default_rng(7)).samples
        for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not start.any()


def test_complaints_name_the_argument():
    rng, b = np.random.default_rng(0), banana()
    with pytest.raises(ValueError, match="random_walk: scale must be above 0; got 0"):
        random_walk(0)
    with pytest.raises(ValueError, match="metropolis_hastings: start must have positive density"):
        metropolis_hastings(gamma_density, -np.ones((1, 1)), random_walk(1.0), 5, rng)
    with pytest.raises(ValueError, match="log_density must return one log density per row"):
        metropolis_hastings(lambda z: 0.0, np.ones((2, 1)), random_walk(1.0), 5, rng)
    with pytest.raises(ValueError, match=r"rng must be a numpy.random.Generator.*got 0"):
        metropolis_hastings(b.log_joint, np.ones((2, 2)), random_walk(1.0), 5, 0)
    with pytest.raises(ValueError, match=r"propose must be a function; got 1.0"):
        metropolis_hastings(b.log_joint, np.ones((2, 2)), 1.0, 5, rng)
    with pytest.raises(ValueError, match=r"propose must return proposals of shape \(2, 2\) and a correction"):
        metropolis_hastings(b.log_joint, np.ones((2, 2)), lambda z, rng: (z[:, :1], np.zeros(2)), 5, rng)
    with pytest.raises(ValueError, match=r"propose must return .* none of them NaN"):
        metropolis_hastings(b.log_joint, np.ones((2, 2)), lambda z, rng: (z, np.full(2, np.nan)), 5, rng)
