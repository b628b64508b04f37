"""EM against scikit-learn, scipy, torch's gradients and what the bound promises."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from chapters_src import data
from chapters_src.foundations.information import discrete_kl
from chapters_src.generative.mixtures.gaussian_mixture import (
    Mixture,
    fit_em,
    fit_mixture,
    log_likelihood,
    maximised,
    mixture,
    mixture_elbo,
    responsibilities,
    start_mixture,
)

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=60, d=2, K=3):
    rng = np.random.default_rng(seed)
    centres = 3 * rng.standard_normal((K, d))
    X = centres[rng.integers(K, size=n)] + rng.standard_normal((n, d))
    return X, start_mixture(X, K, rng), rng


def by_sklearn(X, start, steps, tolerance=0.0, floor=1e-6):
    model = GaussianMixture(
        len(start.weights),
        tol=tolerance,
        max_iter=steps,
        reg_covar=floor,
        weights_init=start.weights,
        means_init=start.means,
        precisions_init=np.linalg.inv(start.covariances),
        init_params="random_from_data",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(1, 3), st.integers(1, 4))
def test_same_answer_as_sklearn_from_the_same_start(seed, d, K):
    X, start, _ = problem(seed, d=d, K=K)
    ours, theirs = fit_em(start, X, steps=25, tolerance=0.0), by_sklearn(X, start, 25)
    if not (ours.theta.covariances[:, range(d), range(d)] > 1e-3).all():
        return  # a component has collapsed onto the floor: both answer, but rounding decides what
    np.testing.assert_allclose(ours.theta.weights, theirs.weights_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.theta.means, theirs.means_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.theta.covariances, theirs.covariances_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(log_likelihood(ours.theta, X), theirs.score_samples(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(responsibilities(ours.theta, X), theirs.predict_proba(X), rtol=1e-5, atol=1e-6)


def test_same_answer_as_sklearn_on_the_wines_until_convergence():
    table = data.wine()
    X = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0)
    start = start_mixture(X, 3, np.random.default_rng(1))
    ours, theirs = fit_em(start, X, tolerance=1e-3), by_sklearn(X, start, 100, tolerance=1e-3)
    assert ours.converged and ours.steps == theirs.n_iter_
    assert -ours.losses[-1] / len(X) == pytest.approx(theirs.score(X), abs=1e-6)
    np.testing.assert_array_equal(responsibilities(ours.theta, X).argmax(axis=1), theirs.predict(X))


@settings(max_examples=25, deadline=None)
@given(seeds, st.integers(1, 3))
def test_the_likelihood_never_falls(seed, d):
    X, start, _ = problem(seed, d=d)
    path = fit_em(start, X, steps=30, tolerance=0.0, floor=0.0 if d == 1 else 1e-9).losses
    assert (np.diff(path) < 1e-6 * np.abs(path[1:])).all()


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_bound_and_its_gap(seed):
    """log p(X) − ELBO(r) = Σᵢ KL(rᵢ‖posteriorᵢ), and no r does better than the posterior."""
    X, model, rng = problem(seed)
    r = rng.dirichlet(np.ones(3), len(X))
    best = responsibilities(model, X)
    total = log_likelihood(model, X).sum()
    gap = sum(discrete_kl(row, exact / exact.sum()) for row, exact in zip(r, best, strict=True))
    assert total - mixture_elbo(model, X, r) == pytest.approx(gap, rel=1e-8)
    assert mixture_elbo(model, X, best) == pytest.approx(total, rel=1e-10)


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_the_m_step_is_where_the_gradient_vanishes(seed):
    X, start, _ = problem(seed)
    r = responsibilities(start, X)
    model = maximised(X, r, floor=0.0)
    tensors = [torch.tensor(np.array(part), requires_grad=True) for part in model]
    weights, means, covariances = tensors
    q = torch.distributions.MultivariateNormal(means, covariances)
    joint = torch.log_softmax(torch.log(weights), 0) + q.log_prob(torch.tensor(X)[:, None, :])
    bound = (torch.tensor(r) * joint).sum()
    for gradient in torch.autograd.grad(bound, tensors):
        assert float(gradient.abs().max()) < 1e-6 * len(X) / float(
            np.linalg.eigvalsh(model.covariances).min()
        )


def test_log_likelihood_against_scipy():
    X, model, _ = problem(3, d=2)
    density = sum(w * scipy.stats.multivariate_normal(m, S).pdf(X) for w, m, S in zip(*model, strict=True))
    np.testing.assert_allclose(log_likelihood(model, X), np.log(density), rtol=1e-10)


def test_far_away_points_do_not_underflow():
    model = mixture(np.array([0.5, 0.5]), np.array([[-1.0], [1.0]]), np.ones((2, 1, 1)))
    X = np.array([[-100.0], [0.0], [100.0]])
    np.testing.assert_allclose(responsibilities(model, X), [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-12)
    assert np.isfinite(log_likelihood(model, X)).all()


def test_a_component_collapses_without_a_floor():
    X = np.array([[0.0], [1.0], [1.1], [1.3], [1.4]])
    start = mixture(np.array([0.2, 0.8]), np.array([[0.0], [1.2]]), np.array([[[0.05]], [[0.1]]]))
    with pytest.raises(
        ValueError, match="fit_em: floor must keep the covariances positive definite; got an eigenvalue of "
    ):
        fit_em(start, X, steps=400, tolerance=0.0, floor=0.0)
    saved = fit_em(start, X, steps=400, tolerance=0.0, floor=1e-4)
    assert saved.theta.covariances.min() == pytest.approx(1e-4, rel=1e-3)


def test_the_best_of_several_starts():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, 40) for m in (-4.0, 0.0, 4.0)])[:, None]
    best = fit_mixture(X, 3, np.random.default_rng(1), starts=8)
    np.testing.assert_allclose(np.sort(best.theta.means[:, 0]), [-4, 0, 4], atol=0.2)
    one = fit_em(start_mixture(X, 3, np.random.default_rng(1)), X, steps=500, tolerance=1e-5)
    assert best.losses[-1] <= one.losses[-1] + 1e-9


def test_start_uses_different_rows():
    X = np.array([[0.0, 1.0]] * 5 + [[2.0, 3.0]])
    start = start_mixture(X, 2, np.random.default_rng(0))
    assert len(np.unique(start.means, axis=0)) == 2
    spread = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0)) / 6 + 1e-6 * np.eye(2)
    np.testing.assert_allclose(start.covariances, [spread, spread], rtol=1e-12)
    np.testing.assert_allclose(start.weights, 0.5)
    with pytest.raises(ValueError, match="have at least 3 different rows; got 2 among 6"):
        start_mixture(X, 3, np.random.default_rng(0))


def test_complaints_name_the_argument():
    X, model, _ = problem(0)
    with pytest.raises(ValueError, match=r"mixture: weights must be at least 0 and sum to 1 .*; got sum 2"):
        mixture(np.ones(2), np.zeros((2, 1)), np.ones((2, 1, 1)))
    with pytest.raises(ValueError, match="fit_em: start must be a Mixture; got a tuple"):
        fit_em(tuple(model), X)
    with pytest.raises(ValueError, match=r"X must have shape \(n, 2\); got"):
        log_likelihood(model, X[:, :1])
    with pytest.raises(ValueError, match="maximised: r must be at least 0 and sum to 1 along the last axis"):
        maximised(X, np.ones((len(X), 3)))
    broken = Mixture(model.weights, model.means, -model.covariances)
    with pytest.raises(ValueError, match="positive definite"):
        responsibilities(broken, X)


@pytest.mark.parametrize("size", [1e154, 1e200, 1e300])
def test_values_whose_squares_overflow_are_refused(size):
    X, model, rng = problem(0)
    r = np.full((len(X), 3), 1 / 3)
    calls = {
        "fit_em": lambda: fit_em(model, X * size),
        "fit_mixture": lambda: fit_mixture(X * size, 2, rng),
        "start_mixture": lambda: start_mixture(X * size, 2, rng),
        "log_likelihood": lambda: log_likelihood(model, X * size),
        "responsibilities": lambda: responsibilities(model, X * size),
        "mixture_elbo": lambda: mixture_elbo(model, X * size, r),
        "maximised": lambda: maximised(X * size, r),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=f"^{name}: X must be below 1e150 in size"):
            call()
    with pytest.raises(ValueError, match=r"^mixture: means must be below 1e150 in size"):
        mixture(model.weights, model.means * size, model.covariances)


@pytest.mark.parametrize("size", [1e-60, 1e60, 1e140])
def test_em_does_not_depend_on_the_unit(size):
    """The same start in other units ends at the same place, and log p changes by −n d log(size)."""
    X, start, _ = problem(4)
    moved = mixture(start.weights, start.means * size, start.covariances * size**2)
    plain = fit_em(start, X, steps=20, tolerance=0.0, floor=0.0)
    other = fit_em(moved, X * size, steps=20, tolerance=0.0, floor=0.0)
    np.testing.assert_allclose(other.theta.means / size, plain.theta.means, rtol=1e-6, atol=1e-9)
    shift = X.size * np.log(size)
    np.testing.assert_allclose(other.losses - shift, plain.losses, rtol=0, atol=1e-6 * max(1, abs(shift)))


def test_a_point_out_of_reach_is_refused():
    narrow = mixture([1.0], [[0.0]], [[[1e-300]]])
    with pytest.raises(ValueError, match=r"^log_likelihood: X must lie within reach of every component"):
        log_likelihood(narrow, [[1e10]])


def test_a_large_floor_can_lower_the_likelihood():
    X = data.wine().X[:, [0, 6]]
    start = start_mixture(X, 3, np.random.default_rng(9))
    exact, floored = (fit_em(start, X, 100, 0.0, floor).losses for floor in (0.0, 0.3))
    assert np.diff(exact).max() < 1e-9
    assert np.diff(floored).max() > 0.5


def test_components_that_start_alike_stay_alike_on_a_saddle():
    X = data.wine().X[:, [0, 6]]
    one = fit_em(start_mixture(X, 1, np.random.default_rng(0)), X, steps=2).losses[-1]
    start = start_mixture(X, 3, np.random.default_rng(9))
    alike = start._replace(means=start.means[[0, 0, 0]])
    nudged = alike._replace(means=alike.means + 1e-3 * np.random.default_rng(0).normal(size=(3, 2)))
    np.testing.assert_allclose(fit_em(alike, X, 100, 0.0).losses[-1], one, rtol=1e-9)
    assert fit_em(nudged, X, 400, 0.0).losses[-1] < one - 50
