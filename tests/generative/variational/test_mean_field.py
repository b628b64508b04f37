"""Mean field against numerical integrals, the exact posterior and the promise that no update goes down."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.foundations.information import multivariate_gaussian_kl
from chapters_src.generative.variational.mean_field import (
    correlated_mean_field,
    fit_mean_field,
    mean_field_elbo,
    normal_gamma,
    normal_gamma_evidence,
    normal_gamma_posterior,
)

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=6):
    rng = np.random.default_rng(seed)
    prior = normal_gamma(rng.normal(), *rng.uniform(0.5, 3.0, 3))
    return rng.normal(rng.normal(), rng.uniform(0.5, 2.0), n), prior


def log_joint(x, prior, m, gamma):
    """Written with scipy's densities, which share nothing with ours."""
    norm = scipy.stats.norm
    return (
        norm.logpdf(x[:, None], m, gamma**-0.5).sum(axis=0)
        + norm.logpdf(m, prior.mean, (prior.strength * gamma) ** -0.5)
        + scipy.stats.gamma.logpdf(gamma, prior.shape, scale=1 / prior.rate)
    )


def test_evidence_against_an_integral():
    x, prior = problem(0, n=5)

    def inner(gamma):
        return scipy.integrate.quad(
            lambda m: np.exp(log_joint(x, prior, np.array([m]), gamma)[0]), -30, 30, points=[x.mean()]
        )[0]

    value, _ = scipy.integrate.quad(inner, 0, np.inf)
    assert normal_gamma_evidence(x, prior) == pytest.approx(np.log(value), rel=1e-6)


@given(seeds)
def test_posterior_is_proportional_to_the_joint(seed):
    x, prior = problem(seed)
    post = normal_gamma_posterior(x, prior)
    rng = np.random.default_rng(seed)
    m, gamma = rng.normal(size=8), rng.uniform(0.2, 3.0, 8)
    ours = log_joint(np.empty(0), post, m, gamma)
    difference = log_joint(x, prior, m, gamma) - ours
    np.testing.assert_allclose(difference, normal_gamma_evidence(x, prior), rtol=1e-8, atol=1e-8)


@given(seeds)
def test_evidence_one_example_at_a_time(seed):
    """p(x₁, x₂, …) = p(x₁) p(x₂ | x₁) …: yesterday's posterior is today's prior."""
    x, prior = problem(seed)
    total, belief = 0.0, prior
    for value in x:
        total += normal_gamma_evidence(np.array([value]), belief)
        belief = normal_gamma_posterior(np.array([value]), belief)
    assert total == pytest.approx(normal_gamma_evidence(x, prior), rel=1e-9)
    assert belief == pytest.approx(normal_gamma_posterior(x, prior), rel=1e-9)


def test_the_bound_against_an_integral():
    x, prior = problem(1)
    q = {"mean": 0.4, "variance": 0.3, "shape": 3.0, "rate": 2.0}
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    m = q["mean"] + q["variance"] ** 0.5 * nodes
    gamma_q = scipy.stats.gamma(q["shape"], scale=1 / q["rate"])

    def inner(gamma):
        log_q = scipy.stats.norm.logpdf(m, q["mean"], q["variance"] ** 0.5) + gamma_q.logpdf(gamma)
        return gamma_q.pdf(gamma) * (weights @ (log_joint(x, prior, m, gamma) - log_q))

    expected, _ = scipy.integrate.quad(inner, 0, np.inf)
    assert mean_field_elbo(x, prior, **q) == pytest.approx(expected, rel=1e-7)


@settings(max_examples=30, deadline=None)
@given(seeds, st.floats(1e-3, 1e3))
def test_no_update_lowers_the_bound_and_none_exceeds_the_evidence(seed, precision):
    x, prior = problem(seed)
    fit = fit_mean_field(x, prior, precision)
    assert fit.converged
    assert (np.diff(fit.losses) <= 1e-10 * np.abs(fit.losses[1:])).all()
    assert -fit.losses[-1] <= normal_gamma_evidence(x, prior)
    assert len(fit.losses) == len(fit.path) == fit.steps + 1
    assert fit.losses[-1] == -mean_field_elbo(x, prior, *fit.theta)


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_nothing_near_is_better(seed):
    """A general optimiser over the four numbers of q ends at the same bound."""
    x, prior = problem(seed)
    fit = fit_mean_field(x, prior)

    def negative(t):
        return -mean_field_elbo(x, prior, t[0], *np.exp(t[1:]))

    start = np.array([x.mean(), 0.0, 0.0, 0.0])
    best = scipy.optimize.minimize(negative, start, method="BFGS")
    assert -fit.losses[-1] == pytest.approx(-best.fun, abs=1e-5)
    assert -fit.losses[-1] >= -best.fun - 1e-9


def test_steps_are_counted_and_may_run_out():
    x, prior = problem(3)
    fit = fit_mean_field(x, prior, precision=50.0, steps=1)
    assert not fit.converged
    assert fit.steps == 1
    assert fit.path[1, 1] == fit.path[0, 1] == pytest.approx(1 / (50 * (prior.strength + len(x))))


def test_the_spread_of_the_mean_is_underestimated():
    x, prior = problem(2, n=4)
    post, fit = normal_gamma_posterior(x, prior), fit_mean_field(x, prior)
    exact = post.rate / (post.strength * (post.shape - 1))  # the variance of a Student t
    assert fit.theta[0] == pytest.approx(post.mean)
    a = prior.shape + len(x) / 2
    assert fit.theta[1] == pytest.approx((a - 1) / a * exact, rel=1e-5)


@given(seeds, st.integers(1, 5))
def test_correlated(seed, d):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, d))
    S = A @ A.T / d + 0.1 * np.eye(d)
    variances, gap = correlated_mean_field(S)
    assert gap == pytest.approx(
        multivariate_gaussian_kl(np.zeros(d), np.diag(variances), np.zeros(d), S), abs=1e-10
    )
    assert (variances <= np.diag(S) * (1 + 1e-9)).all()
    other = variances * np.exp(0.3 * rng.normal(size=d))
    assert multivariate_gaussian_kl(np.zeros(d), np.diag(other), np.zeros(d), S) >= gap - 1e-12


def test_worked_correlation():
    variances, gap = correlated_mean_field([[1.0, 0.8], [0.8, 1.0]])
    np.testing.assert_allclose(variances, [0.36, 0.36], rtol=1e-12)
    assert gap == pytest.approx(-0.5 * np.log(0.36))


def test_complaints_name_the_argument():
    x, prior = problem(0)
    with pytest.raises(ValueError, match="normal_gamma: rate must be above 0; got 0"):
        normal_gamma(0.0, 1.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="fit_mean_field: prior must be a NormalGamma; got a tuple"):
        fit_mean_field(x, tuple(prior))
    with pytest.raises(ValueError, match="correlated_mean_field: covariance must be positive definite"):
        correlated_mean_field([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="covariance must be symmetric; got a matrix that is not"):
        correlated_mean_field([[1e-10, 5e-11], [0.0, 1e-10]])


def test_what_overflows_is_refused():
    prior = normal_gamma(0.0, 1.0, 2.0, 2.0)
    with np.errstate(all="ignore"):
        for function in (normal_gamma_posterior, normal_gamma_evidence, fit_mean_field):
            with pytest.raises(
                ValueError, match=r"x must be of a size that the computation can bear; got 1e\+200"
            ):
                function([1e200, 1e200, 1e200], prior)
        with pytest.raises(ValueError, match="variance must be a finite number"):
            fit_mean_field([1.0, 2.0], prior, precision=5e-324)
