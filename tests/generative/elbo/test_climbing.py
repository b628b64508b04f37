"""Variational fits against closed forms, torch's gradients and brute-force integrals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.core.fit import Fit
from chapters_src.generative.elbo.bounds import gaussian_posterior, linear_gaussian, log_evidence
from chapters_src.generative.elbo.climbing import banana, fit_gaussian, grid_posterior
from chapters_src.generative.variational.mean_field import correlated_mean_field
from chapters_src.studio.oracle import finite_difference_gradient

seeds = st.integers(0, 2**32 - 1)


def gaussian(mean, covariance):
    precision = np.linalg.inv(covariance)
    density = scipy.stats.multivariate_normal(mean, covariance)
    return (
        lambda z: np.atleast_1d(density.logpdf(z)),
        lambda z: -(z - mean) @ precision,
    )


class TestBanana:
    @given(seeds)
    def test_joint_against_scipy(self, seed):
        rng = np.random.default_rng(seed)
        b = banana(rng.normal(), rng.normal(), rng.uniform(0.1, 2), rng.uniform(0.5, 4))
        z = rng.normal(size=(5, 2))
        expected = scipy.stats.norm.logpdf(b.x, z[:, 1] + b.bend * z[:, 0] ** 2, b.variance**0.5)
        expected += scipy.stats.norm.logpdf(z, 0, b.prior_variance**0.5).sum(axis=1)
        np.testing.assert_allclose(b.log_joint(z), expected, rtol=1e-10)

    @settings(max_examples=25)
    @given(seeds)
    def test_gradient_two_ways(self, seed):
        z = np.random.default_rng(seed).normal(size=(3, 2))
        b = banana()
        t = torch.tensor(z, requires_grad=True)
        miss = b.x - t[:, 1] - b.bend * t[:, 0] ** 2
        total = (-(miss**2) / (2 * b.variance) - (t**2).sum(1) / (2 * b.prior_variance)).sum()
        np.testing.assert_allclose(b.gradient(z), torch.autograd.grad(total, t)[0].numpy(), rtol=1e-9)
        numerical = finite_difference_gradient(lambda flat: b.log_joint(flat.reshape(3, 2)).sum(), z.ravel())
        np.testing.assert_allclose(b.gradient(z).ravel(), numerical, rtol=1e-7, atol=1e-7)

    def test_evidence_against_an_adaptive_integral(self):
        b = banana()
        value, _ = scipy.integrate.dblquad(
            lambda v, u: np.exp(b.log_joint(np.array([[u, v]]))[0]), -8, 8, -14, 8, epsabs=1e-6, epsrel=1e-6
        )
        ours = grid_posterior(b.log_joint, [-9, -18], [9, 9])
        assert ours.log_evidence == pytest.approx(np.log(value), abs=1e-6)
        finer = grid_posterior(b.log_joint, [-9, -18], [9, 9], points=700)
        np.testing.assert_allclose(ours.covariance, finer.covariance, atol=1e-9)
        assert ours.evaluations == 160_000


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(1, 3))
def test_a_gaussian_posterior_is_found(seed, d):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, d))
    mean, covariance = rng.normal(size=d), A @ A.T / d + 0.2 * np.eye(d)
    fit = fit_gaussian(*gaussian(mean, covariance), np.zeros(d), np.eye(d), points=3)
    np.testing.assert_allclose(fit.mean, mean, atol=1e-4)
    np.testing.assert_allclose(fit.covariance, covariance, atol=1e-3)
    assert fit.elbo == pytest.approx(0.0, abs=1e-7)  # a normalised density: its log evidence is 0


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_independent_factors_agree_with_the_formula(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2, 2))
    mean, covariance = rng.normal(size=2), A @ A.T / 2 + 0.2 * np.eye(2)
    fit = fit_gaussian(*gaussian(mean, covariance), np.zeros(2), np.eye(2), points=3, independent=True)
    variances, gap = correlated_mean_field(covariance)
    np.testing.assert_allclose(np.diag(fit.covariance), variances, rtol=1e-3)
    assert fit.covariance[0, 1] == 0
    assert fit.elbo == pytest.approx(-gap, abs=1e-7)


def test_the_bound_of_a_linear_gaussian_model_reaches_its_evidence():
    rng = np.random.default_rng(5)
    model, x = linear_gaussian(rng.normal(size=3), rng.normal(size=(3, 2)), 0.5), rng.normal(size=3)

    def log_joint(z):
        miss = x - z @ model.W.T - model.mean
        return (
            scipy.stats.norm.logpdf(z).sum(1)
            - (miss**2).sum(1) / (2 * model.variance)
            - 1.5 * np.log(2 * np.pi * model.variance)
        )

    def gradient(z):
        return (x - z @ model.W.T - model.mean) @ model.W / model.variance - z

    fit = fit_gaussian(log_joint, gradient, np.zeros(2), np.eye(2), points=3)
    assert fit.elbo == pytest.approx(log_evidence(model, x), abs=1e-8)
    mean, covariance = gaussian_posterior(model, x)
    np.testing.assert_allclose(fit.mean, mean, atol=1e-4)
    np.testing.assert_allclose(fit.covariance, covariance, atol=1e-4)


def test_the_banana():
    b = banana()
    fit = fit_gaussian(b.log_joint, b.gradient, [0.0, 0.0], np.eye(2), points=3)
    exact = grid_posterior(b.log_joint, [-9, -18], [9, 9])
    assert fit.elbo < exact.log_evidence
    # log p is a polynomial of degree 4, so three nodes a dimension are exact and more change nothing
    more = fit_gaussian(b.log_joint, b.gradient, [0.0, 0.0], np.eye(2), points=9)
    assert fit.elbo == pytest.approx(more.elbo, abs=1e-9)
    # E_q log p in closed form, at the fitted q: an oracle without nodes
    (m1, m2), (v1, v2), c = fit.mean, np.diag(fit.covariance), fit.covariance[0, 1]
    mean_square = b.bend**2 * (m1**4 + 6 * m1**2 * v1 + 3 * v1**2)
    cross = b.bend * (m2 * (m1**2 + v1) + 2 * m1 * c)
    misses = b.x**2 - 2 * b.x * (m2 + b.bend * (m1**2 + v1)) + m2**2 + v2 + 2 * cross + mean_square
    expected = -0.5 * (np.log(2 * np.pi * b.variance) + misses / b.variance)
    expected -= np.log(2 * np.pi * b.prior_variance) + (m1**2 + v1 + m2**2 + v2) / (2 * b.prior_variance)
    expected += 0.5 * np.linalg.slogdet(2 * np.pi * np.e * fit.covariance)[1]
    assert fit.elbo == pytest.approx(expected, abs=1e-9)
    assert np.linalg.eigvalsh(exact.covariance - fit.covariance)[0] > 0  # smaller in every direction


def test_what_a_fit_says():
    b = banana()
    fit = fit_gaussian(b.log_joint, b.gradient, [1.0, 1.0], 0.1 * np.eye(2), points=3)
    assert isinstance(fit, Fit)
    assert fit.converged
    assert (np.diff(fit.losses) <= 0).all()
    assert len(fit.losses) == len(fit.path) == fit.steps + 1
    np.testing.assert_allclose(fit.path[0], np.column_stack([[1, 1], np.sqrt(0.1) * np.eye(2)]))
    np.testing.assert_array_equal(fit.path[-1], fit.theta)
    # the last entry of the path has the loss that stands beside it, by nodes of another number
    root = fit.theta[:, 1:]
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    weights = weights / weights.sum()
    z = fit.mean + np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2) @ root.T
    expected = np.outer(weights, weights).ravel() @ b.log_joint(z)
    expected += 0.5 * np.linalg.slogdet(2 * np.pi * np.e * fit.covariance)[1]
    assert fit.elbo == pytest.approx(expected, abs=1e-9)


def test_a_fit_that_is_cut_short_says_so():
    b = banana()
    fit = fit_gaussian(b.log_joint, b.gradient, [1.0, 1.0], 0.1 * np.eye(2), points=3, steps=2)
    assert not fit.converged
    assert fit.steps == 2


def test_a_line_search_that_gives_up_at_the_last_digits_has_converged(monkeypatch):
    class Given(dict):
        __getattr__ = dict.__getitem__

    def at_the_top(slope):
        return lambda *_, **__: Given(success=False, jac=np.array([slope, 0.0]))

    f, gradient = gaussian(np.zeros(1), np.eye(1))
    for slope, converged in ((1e-8, True), (-1e-8, True), (1e-3, False), (-1e-3, False)):
        monkeypatch.setattr("chapters_src.generative.elbo.climbing.minimize", at_the_top(slope))
        assert fit_gaussian(f, gradient, [0.0], [[1.0]]).converged is converged


def test_grid_in_one_dimension():
    answer = grid_posterior(lambda z: scipy.stats.norm.logpdf(z[:, 0], 1.5, 0.7), [-8.0], [9.0])
    assert answer.log_evidence == pytest.approx(0.0, abs=1e-12)
    assert answer.mean[0] == pytest.approx(1.5)
    assert answer.covariance[0, 0] == pytest.approx(0.49)


def test_complaints_name_the_argument():
    b = banana()
    with pytest.raises(ValueError, match="banana: variance must be above 0; got 0"):
        banana(variance=0)
    with pytest.raises(ValueError, match=r"log_joint: z must have shape \(m, 2\); got \(3,\)"):
        b.log_joint(np.ones(3))
    with pytest.raises(ValueError, match=r"grid_posterior: high must be above low in every entry"):
        grid_posterior(b.log_joint, [0, 0], [1, 0])
    with pytest.raises(ValueError, match="grid_posterior: points must leave at most 4,000,000"):
        grid_posterior(b.log_joint, [0, 0], [1, 1], points=3000)
    with pytest.raises(ValueError, match="fit_gaussian: points must leave at most 20,000 nodes in 5"):
        fit_gaussian(b.log_joint, b.gradient, np.zeros(5), np.eye(5), points=9)
    with pytest.raises(
        ValueError, match="fit_gaussian: covariance must be positive definite; got an eigenvalue of -1"
    ):
        fit_gaussian(b.log_joint, b.gradient, np.zeros(2), -np.eye(2))
    with pytest.raises(
        ValueError, match="fit_gaussian: covariance must be symmetric; got a matrix that is not"
    ):
        fit_gaussian(b.log_joint, b.gradient, np.zeros(2), [[1e-10, 5e-11], [0.0, 1e-10]])
    with pytest.raises(
        ValueError, match=r"gradient\(z\) must have shape \(9, 2\), one per row of z; got \(9,\)"
    ):
        fit_gaussian(b.log_joint, b.log_joint, np.zeros(2), np.eye(2), points=3)
    with pytest.raises(ValueError, match="log_joint must be a function; got "):
        grid_posterior(1.0, [0.0], [1.0])
