"""KL divergences and the bound against torch, scipy, numerical integrals and worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.elbo.bounds import (
    discrete_kl,
    elbo,
    gaussian_elbo,
    gaussian_entropy,
    gaussian_kl,
    gaussian_posterior,
    linear_gaussian,
    log_evidence,
    multivariate_gaussian_kl,
)

seeds = st.integers(0, 2**32 - 1)


def covariance(rng, d):
    A = rng.standard_normal((d, d))
    return A @ A.T / d + 0.1 * np.eye(d)


def random_model(seed, k=2, d=3):
    rng = np.random.default_rng(seed)
    model = linear_gaussian(rng.standard_normal((k, d)), rng.standard_normal(d), rng.uniform(0.2, 2.0))
    return model, rng.standard_normal(d), rng.standard_normal(k), covariance(rng, k)


class TestDiscreteKL:
    def test_worked_numbers(self):
        p, q = [0.9, 0.1], [0.5, 0.5]
        assert discrete_kl(p, q) == pytest.approx(0.368064, abs=5e-7)
        assert discrete_kl(q, p) == pytest.approx(0.510826, abs=5e-7)

    @given(seeds, st.integers(2, 8))
    def test_against_scipy_and_never_negative(self, seed, k):
        q, p = np.random.default_rng(seed).dirichlet(np.ones(k), 2)
        assert discrete_kl(q, p) == pytest.approx(scipy.stats.entropy(q, p), rel=1e-9, abs=1e-14)
        assert discrete_kl(q, p) >= 0
        assert discrete_kl(q, q) == 0

    def test_zeros(self):
        assert discrete_kl([0.0, 1.0], [0.5, 0.5]) == pytest.approx(np.log(2))
        assert discrete_kl([0.5, 0.5], [0.0, 1.0]) == np.inf

    def test_the_gap_is_to_the_posterior_and_not_to_the_prior(self):
        prior, likelihood, q = np.array([0.6, 0.4]), np.array([0.2, 0.7]), np.array([0.5, 0.5])
        joint = prior * likelihood
        bound = np.sum(q * np.log(joint / q))
        assert bound == pytest.approx(-1.0035, abs=5e-5)
        gap = np.log(joint.sum()) - bound
        assert gap == pytest.approx(discrete_kl(q, joint / joint.sum()), rel=1e-12)
        assert gap == pytest.approx(0.087177, abs=5e-7)
        assert discrete_kl(q, prior) == pytest.approx(0.020411, abs=5e-7)


class TestGaussianKL:
    def test_worked_numbers(self):
        assert gaussian_kl(0.3, 4.0, -1.0, 2.25) == pytest.approx(0.476762, abs=5e-7)
        mean, spread = np.array([1.0, -0.5]), np.diag([0.5, 2.0])
        assert multivariate_gaussian_kl(mean, spread, np.zeros(2), np.eye(2)) == pytest.approx(0.875)

    @pytest.mark.parametrize("variance", [1e-300, 1e-20, 1e-12, 0.3, 0.5, 1e12])
    def test_a_very_narrow_or_wide_one_keeps_its_digits(self, variance):
        expected = 0.5 * (variance - 1 - np.log(variance))
        assert gaussian_kl(0.0, variance, 0.0, 1.0) == pytest.approx(expected, rel=1e-13)
        several = multivariate_gaussian_kl([0.0], [[variance]], [0.0], [[1.0]])
        assert several == pytest.approx(expected, rel=1e-13)

    def test_nearly_equal_ones_keep_their_digits(self):
        assert gaussian_kl(0.0, 1 + 2**-20, 0.0, 1.0) == pytest.approx(2**-42, rel=1e-5)

    @given(seeds)
    def test_univariate_against_torch(self, seed):
        rng = np.random.default_rng(seed)
        (m_q, m_p), (v_q, v_p) = rng.normal(size=2), rng.uniform(0.1, 4.0, 2)
        q, p = (torch.distributions.Normal(m, v**0.5) for m, v in ((m_q, v_q), (m_p, v_p)))
        expected = float(torch.distributions.kl_divergence(q, p))
        assert gaussian_kl(m_q, v_q, m_p, v_p) == pytest.approx(expected, rel=1e-4, abs=1e-5)
        one = [np.array([m]) for m in (m_q, m_p)], [np.array([[v]]) for v in (v_q, v_p)]
        both = multivariate_gaussian_kl(one[0][0], one[1][0], one[0][1], one[1][1])
        assert both == pytest.approx(gaussian_kl(m_q, v_q, m_p, v_p), rel=1e-9, abs=1e-14)

    @given(seeds, st.integers(1, 5))
    def test_multivariate_against_torch(self, seed, d):
        rng = np.random.default_rng(seed)
        (m_q, m_p), S_q, S_p = rng.normal(size=(2, d)), covariance(rng, d), covariance(rng, d)
        q, p = (
            torch.distributions.MultivariateNormal(torch.tensor(m), torch.tensor(S))
            for m, S in ((m_q, S_q), (m_p, S_p))
        )
        expected = float(torch.distributions.kl_divergence(q, p))
        assert multivariate_gaussian_kl(m_q, S_q, m_p, S_p) == pytest.approx(expected, rel=1e-9)

    def test_against_an_integral(self):
        q, p = scipy.stats.norm(0.3, 2.0), scipy.stats.norm(-1.0, 1.5)
        value, _ = scipy.integrate.quad(lambda z: q.pdf(z) * (q.logpdf(z) - p.logpdf(z)), -25, 25)
        assert gaussian_kl(0.3, 4.0, -1.0, 2.25) == pytest.approx(value, rel=1e-9)

    @given(seeds, st.integers(1, 4))
    def test_a_change_of_coordinates_changes_nothing(self, seed, d):
        rng = np.random.default_rng(seed)
        (m_q, m_p), S_q, S_p = rng.normal(size=(2, d)), covariance(rng, d), covariance(rng, d)
        A = rng.normal(size=(d, d)) + 3 * np.eye(d)
        moved = multivariate_gaussian_kl(A @ m_q, A @ S_q @ A.T, A @ m_p, A @ S_p @ A.T)
        assert moved == pytest.approx(multivariate_gaussian_kl(m_q, S_q, m_p, S_p), rel=1e-6)

    def test_close_to_zero_keeps_its_digits(self):
        # ½(r − 1 − log r) ≈ (r − 1)²/4
        assert gaussian_kl(0.0, 1 + 1e-7, 0.0, 1.0) == pytest.approx(2.5e-15, rel=0.01)

    def test_entropy(self):
        S = covariance(np.random.default_rng(0), 3)
        assert gaussian_entropy(S) == pytest.approx(scipy.stats.multivariate_normal(cov=S).entropy())
        assert gaussian_entropy(1e-4 * np.eye(1)) < 0


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
            at = z * model.W[0] + model.b
            return scipy.stats.norm.pdf(z) * np.prod(scipy.stats.norm.pdf(x, at, model.variance**0.5))

        total, _ = scipy.integrate.quad(joint, -12, 12, epsabs=1e-13)
        first, _ = scipy.integrate.quad(lambda z: z * joint(z) / total, -12, 12)
        second, _ = scipy.integrate.quad(lambda z: (z - first) ** 2 * joint(z) / total, -12, 12)
        mean, spread = gaussian_posterior(model, x)
        assert log_evidence(model, x) == pytest.approx(np.log(total), rel=1e-9)
        assert (mean[0], spread[0, 0]) == pytest.approx((first, second), rel=1e-7)

    def test_evidence_against_scipy(self):
        model, x, _, _ = random_model(2, k=2, d=4)
        cov = model.W.T @ model.W + model.variance * np.eye(4)
        expected = scipy.stats.multivariate_normal(model.b, cov).logpdf(x)
        assert log_evidence(model, x) == pytest.approx(expected, rel=1e-10)

    def test_each_term_against_samples_of_a_grid(self):
        """Every one of the six terms by a Gauss–Hermite sum that knows none of the formulas."""
        model, x, mean, spread = random_model(3, k=1, d=2)
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        weights, z = weights / weights.sum(), mean[0] + spread[0, 0] ** 0.5 * nodes
        norm = scipy.stats.norm
        log_q, log_prior = norm(mean[0], spread[0, 0] ** 0.5).logpdf(z), norm.logpdf(z)
        log_likelihood = np.sum(
            norm.logpdf(x, z[:, None] * model.W[0] + model.b, model.variance**0.5), axis=1
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
            miss = x - z[:, None] * model.W[0] - model.b
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
    before = [array.copy() for array in (model.W, model.b, x, mean, spread)]
    elbo(model, x, mean, spread)
    multivariate_gaussian_kl(mean, spread, mean + 1, spread)
    for array, copy in zip((model.W, model.b, x, mean, spread), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_the_covariance_must_be_one():
    with pytest.raises(ValueError, match="covariance_q must be positive definite; got an eigenvalue of -1"):
        multivariate_gaussian_kl(np.zeros(2), np.diag([1.0, -1.0]), np.zeros(2), np.eye(2))
    with pytest.raises(ValueError, match="covariance_p must be symmetric"):
        multivariate_gaussian_kl(np.zeros(2), np.eye(2), np.zeros(2), np.array([[1.0, 0.5], [0.0, 1.0]]))
