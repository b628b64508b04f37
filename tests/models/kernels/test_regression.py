"""Kernel ridge and Gaussian processes against scikit-learn and against the features themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge

from chapters_src.foundations.bayes import predictive_band, regression_posterior
from chapters_src.models.kernels import (
    gaussian_kernel,
    gaussian_process,
    kernel_ridge,
    polynomial_kernel,
    quadratic_features,
)
from chapters_src.models.least_squares import least_squares

rng = np.random.default_rng(1)
X, new = rng.normal(size=(20, 3)), rng.normal(size=(7, 3))
y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=20)


def test_ridge_agrees_with_scikit_learn():
    ours = gaussian_kernel(new, X, 0.4) @ kernel_ridge(gaussian_kernel(X, X, 0.4), y, 0.3)
    theirs = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.4).fit(X, y).predict(new)
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_ridge_is_ridge_on_the_features():
    theta = least_squares(quadratic_features(X), y, ridge=0.7)
    ours = polynomial_kernel(new, X) @ kernel_ridge(polynomial_kernel(X, X), y, 0.7)
    np.testing.assert_allclose(ours, quadratic_features(new) @ theta, atol=1e-9)


@pytest.mark.parametrize("noise", [1e-4, 0.2])
def test_process_agrees_with_scikit_learn(noise):
    scale = 0.9
    band = gaussian_process(
        gaussian_kernel(X, X, 1 / (2 * scale**2)),
        y,
        gaussian_kernel(new, X, 1 / (2 * scale**2)),
        np.ones(7),
        noise,
    )
    theirs = GaussianProcessRegressor(RBF(scale, "fixed"), alpha=noise).fit(X, y)
    mean, deviation = theirs.predict(new, return_std=True)
    np.testing.assert_allclose(band.mean, mean, atol=1e-8)
    np.testing.assert_allclose(np.sqrt(band.variance), deviation, atol=1e-6)


def test_process_is_bayesian_regression_on_the_features():
    belief = regression_posterior(quadratic_features(X), y, variance=0.3, prior_variance=1.0)
    mean, variance = predictive_band(*belief, quadratic_features(new), variance=0.3)
    band = gaussian_process(
        polynomial_kernel(X, X), y, polynomial_kernel(new, X), np.diag(polynomial_kernel(new, new)), 0.3
    )
    np.testing.assert_allclose(band.mean, mean, atol=1e-8)
    np.testing.assert_allclose(band.variance + 0.3, variance, atol=1e-8)


@given(st.floats(0.01, 2), st.integers(0, 500))
def test_more_data_never_widen_the_band(noise, seed):
    places = np.random.default_rng(seed).normal(size=(8, 1))
    K = gaussian_kernel(places, places, 1.0)
    at = gaussian_kernel(np.array([[0.3]]), places, 1.0)
    outputs = np.zeros(8)
    fewer = gaussian_process(K[:5, :5], outputs[:5], at[:, :5], np.ones(1), noise).variance
    more = gaussian_process(K, outputs, at, np.ones(1), noise).variance
    assert more[0] <= fewer[0] + 1e-10 <= 1 + 1e-9


def test_far_away_the_prior_comes_back():
    far = np.array([[50.0, 0, 0]])
    band = gaussian_process(gaussian_kernel(X, X, 1.0), y, gaussian_kernel(far, X, 1.0), np.ones(1), 0.1)
    assert band.mean[0] == pytest.approx(0) and band.variance[0] == pytest.approx(1)


def test_what_is_no_kernel_is_refused():
    distances = np.abs(X[:, :1] - X[:, 0])
    with pytest.raises(ValueError, match="kernel_ridge: K must have no negative eigenvalue; got one of"):
        kernel_ridge(distances, y, 0.1)
    with pytest.raises(ValueError, match="gaussian_process: K must be symmetric"):
        gaussian_process(np.triu(np.ones((20, 20))), y, np.ones((1, 20)), np.ones(1), 0.1)
