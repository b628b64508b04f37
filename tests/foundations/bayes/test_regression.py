"""Bayesian linear regression, against scikit-learn, scipy, Gaussian conditioning and Monte Carlo."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct
from sklearn.linear_model import Ridge

from chapters_src.foundations.bayes import predictive_band, regression_log_evidence, regression_posterior

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed, n=9, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n), rng.uniform(0.2, 3.0), rng.uniform(0.2, 3.0)


class TestPosterior:
    @settings(max_examples=40)
    @given(seeds, st.integers(1, 12), st.integers(1, 5))
    def test_by_conditioning_a_joint_gaussian(self, seed, n, d):
        """(θ, y) is Gaussian; the textbook formula for a part given the rest shares nothing with ours."""
        X, y, variance, prior = random_problem(seed, n, d)
        of_y = prior * X @ X.T + variance * np.eye(n)
        across = prior * X.T @ np.linalg.inv(of_y)
        belief = regression_posterior(X, y, variance, prior)
        np.testing.assert_allclose(belief.mean, across @ y, atol=1e-9)
        np.testing.assert_allclose(belief.covariance, prior * (np.eye(d) - across @ X), atol=1e-9)

    @settings(max_examples=20)
    @given(seeds)
    def test_mean_is_ridge(self, seed):
        X, y, variance, prior = random_problem(seed)
        ridge = Ridge(alpha=variance / prior, fit_intercept=False).fit(X, y)
        np.testing.assert_allclose(regression_posterior(X, y, variance, prior).mean, ridge.coef_, atol=1e-9)

    def test_worked_number(self):
        # One parameter, x = (1, 2), y = (2, 3), σ² = 1, τ² = 1: precision 1 + 5, mean 8/6.
        belief = regression_posterior([[1.0], [2.0]], [2.0, 3.0], 1.0, 1.0)
        assert belief.mean == pytest.approx([8 / 6], rel=1e-14)
        assert belief.covariance == pytest.approx(np.array([[1 / 6]]), rel=1e-14)

    @settings(max_examples=30)
    @given(seeds, st.integers(1, 8))
    def test_yesterdays_posterior_is_todays_prior(self, seed, first):
        X, y, variance, prior = random_problem(seed)
        m, C = regression_posterior(X[:first], y[:first], variance, prior)
        for x, one in zip(X[first:], y[first:], strict=True):
            precision = np.linalg.inv(C) + np.outer(x, x) / variance
            m = np.linalg.solve(precision, np.linalg.solve(C, m) + x * one / variance)
            C = np.linalg.inv(precision)
        at_once = regression_posterior(X, y, variance, prior)
        np.testing.assert_allclose(m, at_once.mean, atol=1e-8)
        np.testing.assert_allclose(C, at_once.covariance, atol=1e-8)

    def test_ends_of_the_prior(self):
        X, y, variance, _ = random_problem(3)
        flat = regression_posterior(X, y, variance, 1e12)
        np.testing.assert_allclose(flat.mean, np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-9)
        np.testing.assert_allclose(flat.covariance, variance * np.linalg.inv(X.T @ X), atol=1e-9)
        sure = regression_posterior(X, y, variance, 1e-12)
        np.testing.assert_allclose(sure.mean, 0, atol=1e-9)
        np.testing.assert_allclose(sure.covariance, 1e-12 * np.eye(3), atol=1e-18)

    def test_dependent_columns_leave_the_prior_in_the_direction_they_cancel(self):
        column = np.arange(1.0, 6.0)
        belief = regression_posterior(np.column_stack([column, column]), 3 * column, 1.0, 1e20)
        apart = np.array([1.0, -1.0]) / np.sqrt(2)
        assert apart @ belief.covariance @ apart == pytest.approx(1e20, rel=1e-9)

    def test_an_eigenvalue_below_zero_by_rounding_makes_no_negative_variance(self):
        for seed in range(20):
            pair = np.random.default_rng(seed).normal(size=(8, 2))
            belief = regression_posterior(np.column_stack([pair, pair.sum(axis=1)]), pair[:, 0], 1.0, 1e20)
            cancels = np.array([1.0, 1.0, -1.0])
            assert cancels @ belief.covariance @ cancels > 0

    def test_what_cannot_be_squared_is_refused(self):
        with pytest.raises(ValueError, match=r"^regression_posterior: X must be small enough to square"):
            regression_posterior([[1e200], [1.0]], [1.0, 2.0], 1.0, 1.0)
        with pytest.raises(ValueError, match=r"^regression_log_evidence: X must be small enough to square"):
            regression_log_evidence([[1e200], [1.0]], [1.0, 2.0], 1.0, 1.0)
        with pytest.raises(ValueError, match=r"^regression_posterior: prior_variance must be above 0; got 0"):
            regression_posterior([[1.0]], [1.0], 1.0, 0.0)


class TestBand:
    def test_against_a_gaussian_process_with_a_linear_kernel(self):
        X, y, variance, prior = random_problem(5, 12, 2)
        new = np.random.default_rng(6).normal(size=(7, 2))
        kernel = ConstantKernel(prior, "fixed") * DotProduct(0.0, "fixed")
        process = GaussianProcessRegressor(kernel, alpha=variance, optimizer=None).fit(X, y)
        expected, spread = process.predict(new, return_std=True)
        mean, total = predictive_band(*regression_posterior(X, y, variance, prior), new, variance)
        np.testing.assert_allclose(mean, expected, atol=1e-7)
        np.testing.assert_allclose(total - variance, spread**2, atol=1e-7)

    def test_against_draws(self):
        X, y, variance, prior = random_problem(7)
        new = np.array([[1.0, -2.0, 0.5]])
        belief = regression_posterior(X, y, variance, prior)
        rng = np.random.default_rng(0)
        thetas = rng.multivariate_normal(*belief, size=40_000)
        outputs = thetas @ new[0] + np.sqrt(variance) * rng.normal(size=40_000)
        mean, total = predictive_band(*belief, new, variance)
        assert outputs.mean() == pytest.approx(mean[0], abs=4 * np.sqrt(total[0] / 40_000))
        assert outputs.var() == pytest.approx(total[0], rel=4 * np.sqrt(2 / 40_000))

    @settings(max_examples=30)
    @given(seeds)
    def test_never_narrower_than_the_noise_nor_wider_with_more_data(self, seed):
        X, y, variance, prior = random_problem(seed)
        new = np.random.default_rng(seed + 1).normal(size=(4, 3))
        bands = [
            predictive_band(*regression_posterior(X[:k], y[:k], variance, prior), new, variance)[1]
            for k in range(1, 10)
        ]
        assert (np.diff(bands, axis=0) <= 1e-9).all()
        assert (np.array(bands) >= variance).all()


class TestEvidence:
    @settings(max_examples=30)
    @given(seeds, st.integers(1, 12), st.integers(1, 5))
    def test_against_scipy(self, seed, n, d):
        X, y, variance, prior = random_problem(seed, n, d)
        of_y = stats.multivariate_normal(np.zeros(n), variance * np.eye(n) + prior * X @ X.T)
        ours = regression_log_evidence(X, y, variance, prior)
        assert ours == pytest.approx(of_y.logpdf(y), rel=1e-9, abs=1e-9)

    @settings(max_examples=30)
    @given(seeds)
    def test_is_the_sum_of_predictions_one_by_one(self, seed):
        X, y, variance, prior = random_problem(seed, 6, 2)
        total = stats.norm(0, np.sqrt(prior * X[0] @ X[0] + variance)).logpdf(y[0])
        for k in range(1, 6):
            belief = regression_posterior(X[:k], y[:k], variance, prior)
            mean, spread = predictive_band(*belief, X[k : k + 1], variance)
            total += stats.norm(mean[0], np.sqrt(spread[0])).logpdf(y[k])
        assert regression_log_evidence(X, y, variance, prior) == pytest.approx(total, rel=1e-9, abs=1e-9)

    def test_by_monte_carlo(self):
        rng = np.random.default_rng(2)
        X, y = rng.normal(size=(3, 2)), rng.normal(size=3)
        thetas = rng.normal(size=(200_000, 2)) * np.sqrt(0.7)
        likelihood = np.exp(stats.norm(thetas @ X.T, 1.0).logpdf(y).sum(axis=1))
        error = likelihood.std() / np.sqrt(200_000)
        assert np.exp(regression_log_evidence(X, y, 1.0, 0.7)) == pytest.approx(
            likelihood.mean(), abs=4 * error
        )
