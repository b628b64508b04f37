"""KL divergences against torch, scipy, numerical integrals and worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from chapters_src.foundations.information import (
    discrete_kl,
    entropy,
    gaussian_entropy,
    gaussian_kl,
    multivariate_gaussian_kl,
    mutual_information,
)

seeds = st.integers(0, 2**32 - 1)


def covariance(rng, d):
    A = rng.standard_normal((d, d))
    return A @ A.T / d + 0.1 * np.eye(d)


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

    def test_rounding_never_makes_it_negative(self):
        for seed in range(20):  # about half of these sums come out at −1e-17
            p = np.random.default_rng(seed).dirichlet(np.ones(5))
            nearly = p * (1 + 1e-10 * np.array([1, -1, 1, -1, 0]))
            assert 0 <= discrete_kl(p, nearly / nearly.sum()) < 1e-15

    def test_the_gap_is_to_the_posterior_and_not_to_the_prior(self):
        prior, likelihood, q = np.array([0.6, 0.4]), np.array([0.2, 0.7]), np.array([0.5, 0.5])
        joint = prior * likelihood
        bound = np.sum(q * np.log(joint / q))
        assert bound == pytest.approx(-1.0035, abs=5e-5)
        gap = np.log(joint.sum()) - bound
        assert gap == pytest.approx(discrete_kl(q, joint / joint.sum()), rel=1e-12)
        assert gap == pytest.approx(0.087177, abs=5e-7)
        assert discrete_kl(q, prior) == pytest.approx(0.020411, abs=5e-7)


class TestMutualInformation:
    def test_worked_numbers(self):
        assert mutual_information(np.eye(4) / 4) == pytest.approx(np.log(4))
        assert mutual_information(np.outer([0.3, 0.7], [0.2, 0.5, 0.3])) == pytest.approx(0, abs=1e-15)

    def test_rounding_never_makes_it_negative(self):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            independent = np.outer(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4)))
            assert 0 <= mutual_information(independent) < 1e-15

    @given(seeds)
    def test_against_scikit_learn(self, seed):
        counts = np.random.default_rng(seed).integers(0, 9, (3, 4))
        counts[0, 0] += 1
        expected = mutual_info_score(None, None, contingency=counts)
        assert mutual_information(counts / counts.sum()) == pytest.approx(expected, rel=1e-9, abs=1e-12)

    @given(seeds)
    def test_entropies_and_processing(self, seed):
        rng = np.random.default_rng(seed)
        joint = rng.dirichlet(np.ones(12)).reshape(3, 4)
        apart = entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint.ravel())
        assert mutual_information(joint) == pytest.approx(float(apart), abs=1e-12)
        assert mutual_information(joint.T) == pytest.approx(mutual_information(joint), rel=1e-9)
        processed = joint @ rng.dirichlet(np.ones(5), 4)
        assert mutual_information(processed) <= mutual_information(joint) + 1e-12

    def test_errors(self):
        with pytest.raises(ValueError, match=r"mutual_information: joint must be .* over the whole table"):
            mutual_information([[0.5, 0.5], [0.5, 0.5]])


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


def test_the_covariance_must_be_one():
    with pytest.raises(ValueError, match="covariance_q must be positive definite; got an eigenvalue of -1"):
        multivariate_gaussian_kl(np.zeros(2), np.diag([1.0, -1.0]), np.zeros(2), np.eye(2))
    with pytest.raises(ValueError, match="covariance_p must be symmetric"):
        multivariate_gaussian_kl(np.zeros(2), np.eye(2), np.zeros(2), np.array([[1.0, 0.5], [0.0, 1.0]]))


def test_arguments_are_left_alone():
    mean, spread = np.array([0.5, -0.5]), np.array([[1.0, 0.3], [0.3, 0.5]])
    before = mean.copy(), spread.copy()
    multivariate_gaussian_kl(mean, spread, mean + 1, spread)
    gaussian_entropy(spread)
    np.testing.assert_array_equal(mean, before[0])
    np.testing.assert_array_equal(spread, before[1])


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_probabilities_add_up_as_exactly_as_their_precision_allows(kind):
    p = np.random.default_rng(0).dirichlet(np.ones(200)).astype(kind)
    assert abs(p.astype(float).sum() - 1) > 1e-9
    assert discrete_kl(p, p) == 0
    assert entropy(p) == pytest.approx(scipy.stats.entropy(p.astype(float)), rel=1e-3)
    with pytest.raises(ValueError, match="discrete_kl: q must be at least 0 and sum to 1"):
        discrete_kl(p, p.astype(float))


def test_a_denormal_variance_is_refused():
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match=r"^gaussian_kl: variance_p must be of a size that the computation"),
    ):
        gaussian_kl(0.0, 1.0, 0.0, 5e-324)
