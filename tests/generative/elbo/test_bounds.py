"""The bound against scipy, numerical integrals and worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.elbo.bounds import (
    elbo,
    gaussian_elbo,
    gaussian_posterior,
    linear_gaussian,
    log_evidence,
)

seeds = st.integers(0, 2**32 - 1)


def covariance(rng, d):
    A = rng.standard_normal((d, d))
    return A @ A.T / d + 0.1 * np.eye(d)


def random_model(seed, k=2, d=3):
    rng = np.random.default_rng(seed)
    model = linear_gaussian(rng.standard_normal(d), rng.standard_normal((d, k)), rng.uniform(0.2, 2.0))
    return model, rng.standard_normal(d), rng.standard_normal(k), covariance(rng, k)


class TestLinearGaussian:
    @given(seeds, st.integers(1, 3), st.integers(1, 4))
    def test_the_three_forms_are_one_number(self, seed, k, d):
        model, x, mean, spread = random_model(seed, k, d)
        first, second, third = elbo(model, x, mean, spread).forms
        assert first == pytest.approx(second, rel=1e-9)
        assert first == pytest.approx(third, rel=1e-9)

    @given(seeds)
    def test_never_above_the_evidence_and_tight_at_the_posterior(self, seed):
        model, x, mean, spread = random_model(seed)
        evidence = log_evidence(model, x)
        assert elbo(model, x, mean, spread).forms[1] <= evidence
        assert elbo(model, x, *gaussian_posterior(model, x)).forms[1] == pytest.approx(evidence, rel=1e-10)

    def test_evidence_and_posterior_against_an_integral(self):
        model, x, _, _ = random_model(1, k=1, d=2)

        def joint(z):
            at = z * model.W[:, 0] + model.mean
            return scipy.stats.norm.pdf(z) * np.prod(scipy.stats.norm.pdf(x, at, model.variance**0.5))

        total, _ = scipy.integrate.quad(joint, -12, 12, epsabs=1e-13)
        first, _ = scipy.integrate.quad(lambda z: z * joint(z) / total, -12, 12)
        second, _ = scipy.integrate.quad(lambda z: (z - first) ** 2 * joint(z) / total, -12, 12)
        mean, spread = gaussian_posterior(model, x)
        assert log_evidence(model, x) == pytest.approx(np.log(total), rel=1e-9)
        assert (mean[0], spread[0, 0]) == pytest.approx((first, second), rel=1e-7)

    def test_evidence_against_scipy(self):
        model, x, _, _ = random_model(2, k=2, d=4)
        cov = model.W @ model.W.T + model.variance * np.eye(4)
        expected = scipy.stats.multivariate_normal(model.mean, cov).logpdf(x)
        assert log_evidence(model, x) == pytest.approx(expected, rel=1e-10)

    @given(seeds)
    def test_rows_are_examples(self, seed):
        model, _, _, _ = random_model(seed, k=2, d=3)
        X = np.random.default_rng(seed).standard_normal((4, 3))
        means, spread = gaussian_posterior(model, X)
        assert log_evidence(model, X).shape == (4,)
        for x, evidence, mean in zip(X, log_evidence(model, X), means, strict=True):
            assert evidence == pytest.approx(log_evidence(model, x), rel=1e-12)
            np.testing.assert_allclose(mean, gaussian_posterior(model, x)[0], atol=1e-12)
            np.testing.assert_allclose(spread, gaussian_posterior(model, x)[1], atol=1e-14)

    def test_each_term_against_samples_of_a_grid(self):
        """Every one of the six terms by a Gauss–Hermite sum that knows none of the formulas."""
        model, x, mean, spread = random_model(3, k=1, d=2)
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        weights, z = weights / weights.sum(), mean[0] + spread[0, 0] ** 0.5 * nodes
        norm = scipy.stats.norm
        log_q, log_prior = norm(mean[0], spread[0, 0] ** 0.5).logpdf(z), norm.logpdf(z)
        log_likelihood = np.sum(
            norm.logpdf(x, z[:, None] * model.W[:, 0] + model.mean, model.variance**0.5), axis=1
        )
        bound = elbo(model, x, mean, spread)
        assert bound.joint == pytest.approx(weights @ (log_likelihood + log_prior))
        assert bound.entropy == pytest.approx(-weights @ log_q)
        assert bound.reconstruction == pytest.approx(weights @ log_likelihood)
        assert bound.kl_prior == pytest.approx(weights @ (log_q - log_prior))
        log_posterior = log_likelihood + log_prior - log_evidence(model, x)
        assert bound.gap == pytest.approx(weights @ (log_q - log_posterior))


class TestQuadrature:
    def test_against_the_closed_form(self):
        model, x, mean, spread = random_model(4, k=1, d=2)

        def log_joint(z):
            miss = x - z[:, None] * model.W[:, 0] - model.mean
            return (
                scipy.stats.norm.logpdf(z)
                - (miss**2).sum(1) / (2 * model.variance)
                - np.log(2 * np.pi * model.variance)
            )

        expected = elbo(model, x, mean, spread).forms[0]
        assert gaussian_elbo(log_joint, mean[0], spread[0, 0]) == pytest.approx(expected, rel=1e-10)

    def test_a_count(self):
        """z ~ N(0, 1), x | z ~ Poisson(eᶻ): E eᶻ has a formula, so the bound has one too."""
        x, mean, variance = 3, 0.8, 0.3

        def log_joint(z):
            return x * z - np.exp(z) - scipy.special.gammaln(x + 1) + scipy.stats.norm.logpdf(z)

        first = x * mean - np.exp(mean + variance / 2) - np.log(6)
        prior = -0.5 * (np.log(2 * np.pi) + mean**2 + variance)
        expected = first + prior + 0.5 * np.log(2 * np.pi * np.e * variance)
        assert gaussian_elbo(log_joint, mean, variance) == pytest.approx(expected, rel=1e-11)

    def test_mass_where_the_model_has_none(self):
        def log_joint(z):
            return np.where(z > 0, -z, -np.inf)  # an exponential: nothing below 0

        assert gaussian_elbo(log_joint, 1.0, 1.0) == -np.inf

    def test_complaints(self):
        with pytest.raises(ValueError, match="gaussian_elbo: log_joint must return 64 log densities"):
            gaussian_elbo(lambda z: 0.0, 0.0, 1.0)
        with pytest.raises(ValueError, match="gaussian_elbo: log_joint must return 64 log densities"):
            gaussian_elbo(lambda z: z * np.nan, 0.0, 1.0)


@settings(max_examples=30)
@given(seeds)
def test_arguments_are_left_alone(seed):
    model, x, mean, spread = random_model(seed)
    before = [array.copy() for array in (model.W, model.mean, x, mean, spread)]
    elbo(model, x, mean, spread)
    for array, copy in zip((model.W, model.mean, x, mean, spread), before, strict=True):
        np.testing.assert_array_equal(array, copy)
