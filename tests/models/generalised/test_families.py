"""Generalised linear models against scikit-learn, scipy's distributions, and the models they contain."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import PoissonRegressor

from chapters_src.models.generalised import (
    BERNOULLI,
    GAUSSIAN,
    POISSON,
    fit_glm,
    glm_loss,
)
from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.models.logistic.regression import fit_logistic

seeds = st.integers(0, 2**32 - 1)


def problem(seed, family, n=80, d=3):
    rng = np.random.default_rng(seed)
    X, theta = with_bias(rng.uniform(-1, 1, (n, d - 1))), rng.uniform(-1, 1, d)
    mean = family.mean(X @ theta)
    draws = {
        "Gaussian": lambda: rng.normal(mean, 1.0),
        "Bernoulli": lambda: (rng.random(n) < mean).astype(float),
        "Poisson": lambda: rng.poisson(mean).astype(float),
    }
    return X, draws[family.name](), theta


def gradient(X, y, theta, family, ridge):
    return (X.T @ (family.mean(X @ theta) - y) + ridge * theta) / len(X)


@pytest.mark.parametrize("family", [GAUSSIAN, BERNOULLI, POISSON], ids=lambda family: family.name)
class TestFamily:
    def test_mean_and_variance_are_the_slopes_of_the_log_partition(self, family):
        a, h = np.linspace(-3, 3, 13), 1e-5
        slope = (family.log_partition(a + h) - family.log_partition(a - h)) / (2 * h)
        np.testing.assert_allclose(family.mean(a), slope, atol=1e-8)
        slope = (family.mean(a + h) - family.mean(a - h)) / (2 * h)
        np.testing.assert_allclose(family.variance(a), slope, atol=1e-8)

    def test_the_link_undoes_the_mean(self, family):
        a = np.linspace(-3, 3, 13)
        np.testing.assert_allclose(family.link(family.mean(a)), a, atol=1e-12)

    def test_the_loss_is_a_log_likelihood(self, family):
        """Differences of the loss are differences of scipy's log-probabilities."""
        X, y, theta = problem(1, family)
        law = {
            "Gaussian": lambda a: scipy.stats.norm(a, 1).logpdf(y),
            "Bernoulli": lambda a: scipy.stats.bernoulli(1 / (1 + np.exp(-a))).logpmf(y),
            "Poisson": lambda a: scipy.stats.poisson(np.exp(a)).logpmf(y),
        }[family.name]
        other = theta + 0.3
        theirs = law(X @ theta).mean() - law(X @ other).mean()
        assert glm_loss(X, y, other, family) - glm_loss(X, y, theta, family) == pytest.approx(
            theirs, rel=1e-10
        )

    def test_loss_and_its_gradient_against_torch(self, family):
        """Predicted minus true, whatever the family."""
        X, y, theta = problem(2, family)
        t = torch.tensor(theta, requires_grad=True)
        a = torch.tensor(X) @ t
        A = {"Gaussian": a**2 / 2, "Bernoulli": torch.nn.functional.softplus(a), "Poisson": a.exp()}[
            family.name
        ]
        loss = (A - torch.tensor(y) * a).mean() + 0.7 / (2 * len(y)) * t @ t
        loss.backward()
        assert glm_loss(X, y, theta, family, 0.7) == pytest.approx(loss.item(), rel=1e-12)
        np.testing.assert_allclose(gradient(X, y, theta, family, 0.7), t.grad.numpy(), rtol=1e-10)

    @pytest.mark.parametrize("ridge", [0.0, 3.0])
    def test_fit_is_the_minimum(self, family, ridge):
        X, y, _ = problem(3, family)
        fit = fit_glm(X, y, family, ridge)
        assert fit.converged
        np.testing.assert_allclose(gradient(X, y, fit.theta, family, ridge), 0, atol=1e-9)
        found = scipy.optimize.minimize(lambda t: glm_loss(X, y, t, family, ridge), np.zeros(3), tol=1e-12)
        np.testing.assert_allclose(fit.theta, found.x, atol=1e-5)


@given(seed=seeds)
@settings(deadline=None, max_examples=20)
def test_the_models_it_contains(seed):
    X, y, _ = problem(seed, GAUSSIAN)
    gaussian = fit_glm(X, y, GAUSSIAN, 0.4)
    np.testing.assert_allclose(gaussian.theta, least_squares(X, y, 0.4), atol=1e-9)
    assert gaussian.steps == 1  # least squares is one step
    X, y, _ = problem(seed, BERNOULLI)
    np.testing.assert_allclose(
        fit_glm(X, y, BERNOULLI, 0.4).theta, fit_logistic(X, y, ridge=0.4).theta, atol=1e-6
    )


def test_poisson_is_scikit_learns():
    X, y, _ = problem(4, POISSON, n=300)
    theirs = PoissonRegressor(alpha=0, tol=1e-12, max_iter=10_000).fit(X[:, 1:], y)
    np.testing.assert_allclose(
        fit_glm(X, y, POISSON).theta, np.r_[theirs.intercept_, theirs.coef_], atol=1e-5
    )


def test_large_counts_do_not_overflow():
    x = np.linspace(0, 12, 40)
    X, y = with_bias(x[:, None]), np.round(np.exp(x))
    fit = fit_glm(X, y, POISSON)
    assert fit.converged
    np.testing.assert_allclose(fit.theta, [0, 1], atol=1e-3)


@pytest.mark.parametrize("ridge", [1e-2, 1e-6, 1e-8])
@pytest.mark.parametrize("scale", [1, 10, 100])
def test_a_step_too_far_is_halved(scale, ridge):
    """Classes apart and hardly a penalty: some full steps would raise the loss."""
    X = with_bias(scale * np.array([[-2.0], [-1.0], [1.0], [2.5]]))
    y = np.array([0.0, 0.0, 1.0, 1.0])
    fit = fit_glm(X, y, BERNOULLI, ridge)
    assert fit.converged
    assert (np.diff(fit.losses) <= 1e-15).all()
    np.testing.assert_allclose(fit.theta, fit_logistic(X, y, ridge).theta, atol=1e-6)


def test_the_same_count_everywhere_is_fitted():
    X, _, _ = problem(5, POISSON)
    np.testing.assert_allclose(fit_glm(X, np.full(80, 3.0), POISSON).theta, [np.log(3), 0, 0], atol=1e-9)


@pytest.mark.parametrize("steps", [50, 300])
def test_data_that_are_separable_never_come_to_rest(steps):
    X, y = with_bias(np.array([[-2.0], [-1.0], [1.0], [2.5]])), np.array([0.0, 0.0, 1.0, 1.0])
    assert not fit_glm(X, y, BERNOULLI, steps=steps).converged


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_the_features_does_not_matter(scale):
    X, y, _ = problem(6, POISSON)
    fit = fit_glm(X * scale, y, POISSON)
    assert fit.converged
    np.testing.assert_allclose(fit.theta * scale, fit_glm(X, y, POISSON).theta, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: fit_glm(X, y - 10, POISSON), "fit_glm: y must hold counts 0, 1, 2, …"),
        (lambda X, y: fit_glm(X, y + 0.5, POISSON), "y must hold counts"),
        (lambda X, y: fit_glm(X, y + 2, BERNOULLI), "y must hold 0 and 1 for Bernoulli outputs"),
        (lambda X, y: fit_glm(X, 0 * y, POISSON), "y must vary"),
        (lambda X, y: fit_glm(X, 0 * y + 1, BERNOULLI), "y must vary"),
        (lambda X, y: fit_glm(X, y, "Poisson"), "family must be a Family; got 'Poisson'"),
        (lambda X, y: fit_glm(X, y, POISSON, ridge=-1), "ridge must be at least 0; got -1"),
        (lambda X, y: fit_glm(X, y, POISSON, steps=0), "steps must be at least 1; got 0"),
        (lambda X, y: glm_loss(X, y, [1.0], POISSON), "glm_loss: theta must have shape (3,)"),
        (lambda X, y: glm_loss(X, y[:3], [1.0, 1, 1], POISSON), "y must have shape (80,), one per row of X"),
    ],
)
def test_errors(call, message):
    X, y, _ = problem(0, POISSON)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call(X, y)
    assert message in str(caught.value)
