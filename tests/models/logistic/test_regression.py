"""Logistic regression against scikit-learn, scipy, torch, and what is known of separable data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from chapters_src import data
from chapters_src.models.least_squares import with_bias
from chapters_src.models.logistic import (
    accuracy,
    fit_logistic,
    fit_logistic_by_blocks,
    fit_logistic_descent,
    logistic_gradient,
    logistic_hessian,
    logistic_loss,
    separates,
    sigmoid,
    standard_errors,
)

seeds = st.integers(0, 2**32 - 1)


def coins(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    theta = rng.standard_normal(d)
    return X, (rng.random(n) < sigmoid(X @ theta)).astype(float), theta


@given(seed=seeds, ridge=st.sampled_from([0.0, 2.0]))
@settings(deadline=None, max_examples=40)
def test_loss_gradient_and_hessian_against_torch(seed, ridge):
    X, y, theta = coins(seed, n=9)

    def loss(t):
        a = torch.tensor(X) @ t
        return (torch.nn.functional.softplus(a) - torch.tensor(y) * a).mean() + ridge / 18 * (t @ t)

    t = torch.tensor(theta, requires_grad=True)
    value = loss(t)
    (gradient,) = torch.autograd.grad(value, t)
    hessian = torch.autograd.functional.hessian(loss, torch.tensor(theta)).numpy()
    assert logistic_loss(X, y, theta, ridge) == pytest.approx(value.item(), rel=1e-12)
    np.testing.assert_allclose(
        logistic_gradient(X, y, theta, ridge), gradient.numpy(), rtol=1e-10, atol=1e-13
    )
    np.testing.assert_allclose(logistic_hessian(X, theta, ridge), hessian, rtol=1e-10, atol=1e-13)


@given(seed=seeds)
@settings(max_examples=40)
def test_the_hessian_never_curves_down(seed):
    X, _, theta = coins(seed, n=5, d=4)
    assert np.linalg.eigvalsh(logistic_hessian(X, 5 * theta)).min() > -1e-14


@pytest.mark.parametrize("ridge", [0.0, 0.1, 10.0])
def test_coefficients_are_scikit_learns(ridge):
    X, y, _ = coins(1, n=300, d=5)
    theirs = LogisticRegression(
        C=1 / ridge if ridge else np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000
    )
    fit = fit_logistic(X, y, ridge=ridge)
    assert fit.converged
    np.testing.assert_allclose(fit.theta, theirs.fit(X, y).coef_[0], atol=1e-5)


def test_the_bias_can_go_free():
    X, y, _ = coins(2, n=200, d=3)
    y = np.maximum(y, np.arange(200) % 2)
    theirs = LogisticRegression(C=0.05, tol=1e-12, max_iter=10_000).fit(X, y)
    ours = fit_logistic(with_bias(X), y, ridge=np.array([0.0, 20.0, 20.0, 20.0])).theta
    np.testing.assert_allclose(ours, np.r_[theirs.intercept_, theirs.coef_[0]], atol=1e-5)


@given(seed=seeds)
@settings(deadline=None, max_examples=25)
def test_the_gradient_vanishes_where_it_ends(seed):
    X, y, _ = coins(seed)
    fit = fit_logistic(X, y, ridge=0.5)
    assert fit.converged
    np.testing.assert_allclose(logistic_gradient(X, y, fit.theta, 0.5), 0, atol=1e-10)
    assert (np.diff(fit.losses) <= 1e-14).all()


@pytest.mark.parametrize("ridge", [0.0, 200.0, np.array([0.0, 200.0, 0.0, 500.0])])
def test_many_rows_take_the_warm_start_to_the_same_place(ridge):
    X, y, _ = coins(3, n=4000, d=4)
    quick, slow = fit_logistic_by_blocks(X, y, ridge), fit_logistic(X, y, ridge)
    np.testing.assert_allclose(quick.theta, slow.theta, atol=1e-9)
    np.testing.assert_allclose(quick.losses[-1], slow.losses[-1], rtol=1e-12)
    assert quick.steps < slow.steps


def test_against_scipys_minimiser():
    X, y, _ = coins(4, n=150, d=4)
    found = scipy.optimize.minimize(
        lambda t: np.logaddexp(0, X @ t).sum() - y @ (X @ t),
        np.zeros(4),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    np.testing.assert_allclose(fit_logistic(X, y).theta, found.x, atol=1e-6)


def test_breast_cancer_like_scikit_learn():
    table = data.breast_cancer()
    split = data.train_test_split(table.X, 1.0 - table.y, test_fraction=0.3, rng=np.random.default_rng(0))
    X, X_test, y, y_test = split
    m, s = X.mean(axis=0), X.std(axis=0)
    X, X_test = (X - m) / s, (X_test - m) / s
    theirs = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    ours = fit_logistic(with_bias(X), y, ridge=np.r_[0.0, np.ones(30)])
    np.testing.assert_allclose(ours.theta, np.r_[theirs.intercept_, theirs.coef_[0]], atol=1e-5)
    assert accuracy(y_test, (with_bias(X_test) @ ours.theta > 0) * 1.0) == theirs.score(X_test, y_test)


class TestDescent:
    def test_ends_where_newton_ends(self):
        X, y, _ = coins(5)
        slow = fit_logistic_descent(X, y, 1.0, ridge=1.0, steps=3000)
        assert slow.converged
        np.testing.assert_allclose(slow.theta, fit_logistic(X, y, ridge=1.0).theta, atol=1e-7)
        assert len(slow.losses) == 3001
        assert (np.diff(slow.losses) <= 1e-15).all()

    def test_one_step_by_hand(self):
        X, y = np.array([[1.0, 2.0], [1.0, -1.0]]), np.array([1.0, 0.0])
        fit = fit_logistic_descent(X, y, 0.5, steps=1)
        np.testing.assert_allclose(fit.theta, [0.0, 0.375])  # −½·mean((½−1)(1,2), (½)(1,−1))
        assert not fit.converged

    def test_can_be_continued(self):
        X, y, _ = coins(6)
        half = fit_logistic_descent(X, y, 0.3, steps=20)
        both = fit_logistic_descent(X, y, 0.3, steps=20, theta=half.theta)
        np.testing.assert_allclose(both.theta, fit_logistic_descent(X, y, 0.3, steps=40).theta, rtol=1e-13)


class TestSeparable:
    X = with_bias(np.array([[-2.0], [-1.0], [1.0], [2.5]]))
    y = np.array([0.0, 0.0, 1.0, 1.0])

    def test_no_minimum_is_reported(self):
        fit = fit_logistic(self.X, self.y)
        assert not fit.converged
        assert separates(self.X, self.y, fit.theta)
        assert fit.losses[-1] < 1e-6
        assert np.abs(fit.theta).max() > 10

    def test_even_a_lenient_tolerance_is_not_fooled(self):
        """The steps look small beside a large θ, but a θ that separates proves that there is no minimum."""
        assert not fit_logistic(self.X, self.y, tolerance=0.5).converged
        assert fit_logistic(self.X, self.y, ridge=0.01, tolerance=0.5).converged

    def test_one_on_the_boundary_is_no_minimum_either(self):
        """Quasi-separation: the classes meet in one point, and the loss still has no minimum."""
        X = with_bias(np.array([[-2.0], [-1.0], [0.0], [0.0], [1.0], [2.0]]))
        fit = fit_logistic(X, np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
        assert not fit.converged

    @pytest.mark.parametrize("fit", [fit_logistic, fit_logistic_by_blocks])
    def test_who_stops_early_has_not_converged_where_there_is_no_minimum(self, fit):
        X, y = np.array([[1.0, 1], [1, 0], [1, 0], [1, 1]]), np.array([0.0, 0, 0, 1])
        assert not fit(X, y, tolerance=0.1).converged
        assert fit(X, np.array([0.0, 1, 0, 1]), tolerance=0.1).converged

    def test_a_penalty_that_spares_what_separates_does_not_help(self):
        one_class = np.ones(4)
        assert not fit_logistic(self.X, one_class, ridge=[0.0, 1.0]).converged  # the bias runs away
        assert fit_logistic(self.X, one_class, ridge=[1.0, 1.0]).converged
        assert fit_logistic(self.X, self.y, ridge=[0.0, 1.0]).converged

    def test_on_the_hyperplane_is_not_on_a_side(self):
        assert separates(self.X, self.y, np.array([0.0, 1.0]))
        assert not separates(self.X, self.y, np.array([1.0, 1.0]))  # the second row has logit 0
        assert not separates(self.X, self.y, np.zeros(2))

    def test_a_penalty_brings_it_back(self):
        fit = fit_logistic(self.X, self.y, ridge=0.01)
        assert fit.converged
        np.testing.assert_allclose(logistic_gradient(self.X, self.y, fit.theta, 0.01), 0, atol=1e-10)

    def test_overlap_has_a_minimum(self):
        fit = fit_logistic(self.X, np.array([0.0, 1.0, 0.0, 1.0]))
        assert fit.converged
        assert not separates(self.X, np.array([0.0, 1.0, 0.0, 1.0]), fit.theta)


def test_every_row_counts_however_many_there_are():
    X, y, theta = coins(11, n=5000, d=2)
    p = sigmoid(X @ theta)
    np.testing.assert_allclose(logistic_hessian(X, theta), (X.T * (p * (1 - p))) @ X / 5000, rtol=1e-12)
    found = scipy.optimize.root(lambda t: logistic_gradient(X, y, t), np.zeros(2), tol=1e-12)
    np.testing.assert_allclose(fit_logistic(X, y).theta, found.x, rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_the_features_does_not_matter(scale):
    X, y, _ = coins(12)
    fit = fit_logistic(X * scale, y)
    assert fit.converged
    np.testing.assert_allclose(fit.theta * scale, fit_logistic(X, y).theta, rtol=1e-9)


@pytest.mark.parametrize("fit", [fit_logistic, fit_logistic_by_blocks])
def test_a_feature_whose_squares_vanish_is_refused(fit):
    X, y, _ = coins(12)
    small = X * [1.0, 1e-170, 1.0]
    with pytest.raises(
        ValueError, match=r"X must have columns that reach 1e-150, or are zero.*got 2.19e-170"
    ):
        fit(small, y)
    assert fit(X * [1.0, 0.0, 1.0], y).theta[1] == 0


def test_repeated_columns_share_the_weight():
    X, y, _ = coins(7, d=2)
    fit = fit_logistic(np.column_stack([X, X[:, 1]]), y)
    single = fit_logistic(X, y).theta
    np.testing.assert_allclose(fit.theta, [single[0], single[1] / 2, single[1] / 2], atol=1e-6)


def test_standard_errors_are_the_scatter_of_the_estimates():
    rng = np.random.default_rng(8)
    X, theta = rng.standard_normal((400, 2)), np.array([0.5, -1.0])
    p = sigmoid(X @ theta)
    fits = np.array([fit_logistic(X, (rng.random(400) < p).astype(float)).theta for _ in range(400)])
    np.testing.assert_allclose(standard_errors(X, theta), fits.std(axis=0), rtol=0.12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y, t: fit_logistic(X, y + 1), "fit_logistic: y must hold only 0 and 1; got 2"),
        (lambda X, y, t: fit_logistic(X, y[:-1]), "y must have shape (60,), one per row of X; got (59,)"),
        (lambda X, y, t: fit_logistic(X[:, 0], y), "X must have two axes"),
        (lambda X, y, t: fit_logistic(X, y, ridge=-1), "ridge must be at least 0; got -1"),
        (lambda X, y, t: fit_logistic(X, y, ridge=[1, -1, 0]), "ridge must be at least 0; got -1"),
        (lambda X, y, t: fit_logistic(X, y, ridge=[1, 1]), "ridge must have shape (3,), one per column of X"),
        (lambda X, y, t: fit_logistic(X, y, steps=0), "steps must be at least 1; got 0"),
        (lambda X, y, t: fit_logistic(X, y, tolerance=-1.0), "tolerance must be at least 0"),
        (lambda X, y, t: fit_logistic(X, y, theta=[1.0]), "theta must have shape (3,), one per column of X"),
        (lambda X, y, t: fit_logistic_descent(X, y, 0.0), "learning_rate must be above 0; got 0"),
        (lambda X, y, t: logistic_loss(X, y, t[:2]), "logistic_loss: theta must have shape (3,)"),
        (
            lambda X, y, t: logistic_gradient(X, y, t[:, None]),
            "logistic_gradient: theta must have shape (3,)",
        ),
        (lambda X, y, t: logistic_hessian(X, t[:1]), "logistic_hessian: theta must have shape (3,)"),
        (lambda X, y, t: separates(X, 2 * y, t), "separates: y must hold only 0 and 1"),
        (lambda X, y, t: standard_errors(5, t), "standard_errors: X must have two axes"),
        (lambda X, y, t: standard_errors(X[:, [0, 0]], t[:2]), "standard_errors: X must have independent"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call(*coins(0))
    assert message in str(caught.value)


def test_arguments_are_left_alone():
    X, y, theta = coins(0)
    before = X.copy(), y.copy(), theta.copy()
    fit_logistic(X, y, theta=theta)
    fit_logistic_descent(X, y, 0.1, steps=3, theta=theta)
    for now, then in zip((X, y, theta), before, strict=True):
        np.testing.assert_array_equal(now, then)
