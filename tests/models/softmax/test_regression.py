"""Softmax regression against scikit-learn, torch and logistic regression."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from chapters_src import data
from chapters_src.models.least_squares import with_bias
from chapters_src.models.logistic import accuracy
from chapters_src.models.logistic.regression import fit_logistic
from chapters_src.models.softmax import softmax
from chapters_src.models.softmax.regression import (
    fit_softmax,
    fit_softmax_descent,
    softmax_gradient,
    softmax_hessian,
    softmax_loss,
)

seeds = st.integers(0, 2**32 - 1)


def dice(seed, n=80, d=3, K=4):
    rng = np.random.default_rng(seed)
    X, W = rng.standard_normal((n, d)), rng.standard_normal((d, K))
    y = np.array([rng.choice(K, p=p) for p in softmax(X @ W)])
    return X, y, W


@given(seed=seeds, ridge=st.sampled_from([0.0, 2.0]))
@settings(deadline=None, max_examples=40)
def test_loss_and_gradient_against_torch(seed, ridge):
    X, y, W = dice(seed, n=9)
    t = torch.tensor(W, requires_grad=True)
    theirs = (
        torch.nn.functional.cross_entropy(torch.tensor(X) @ t, torch.tensor(y)) + ridge / 18 * (t**2).sum()
    )
    theirs.backward()
    assert softmax_loss(X, y, W, ridge) == pytest.approx(theirs.item(), rel=1e-11)
    np.testing.assert_allclose(softmax_gradient(X, y, W, ridge), t.grad.numpy(), rtol=1e-10, atol=1e-13)


@given(seed=seeds, ridge=st.sampled_from([0.0, 2.0]))
@settings(deadline=None, max_examples=20)
def test_hessian_against_torch(seed, ridge):
    """At random weights, where the classes have different probabilities."""
    X, y, W = dice(seed, n=9)
    penalty = np.array([0.0, ridge, 1.0])

    def loss(w):
        t = w.reshape(3, 4)
        squares = (torch.tensor(penalty)[:, None] * t**2).sum()
        return torch.nn.functional.cross_entropy(torch.tensor(X) @ t, torch.tensor(y)) + squares / 18

    theirs = torch.autograd.functional.hessian(loss, torch.tensor(W.ravel())).numpy()
    np.testing.assert_allclose(softmax_hessian(X, W, penalty), theirs, rtol=1e-10, atol=1e-13)


def test_newton_uses_the_true_curvature():
    """One step of Newton from zero is H⁻¹∇L with torch's Hessian."""
    X, y, _ = dice(1, n=30, d=2, K=3)

    def loss(w):
        return (
            torch.nn.functional.cross_entropy(torch.tensor(X) @ w.reshape(2, 3), torch.tensor(y)) + w @ w / 60
        )

    zero = torch.zeros(6, dtype=torch.float64)
    H = torch.autograd.functional.hessian(loss, zero).numpy()
    step = np.linalg.solve(H, softmax_gradient(X, y, np.zeros((2, 3)), 1.0).ravel())
    fit = fit_softmax(X, y, 3, ridge=1.0, steps=1)
    np.testing.assert_allclose(fit.theta.ravel(), -step, rtol=1e-10)


@pytest.mark.parametrize("ridge", [0.1, 5.0])
def test_weights_are_scikit_learns(ridge):
    X, y, _ = dice(2, n=200)
    theirs = LogisticRegression(C=1 / ridge, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(X, y)
    fit = fit_softmax(X, y, 4, ridge=ridge)
    assert fit.converged
    np.testing.assert_allclose(fit.theta, theirs.coef_.T, atol=1e-5)


def test_without_a_penalty_the_columns_sum_to_zero_and_the_gradient_vanishes():
    X, y, _ = dice(3, n=200)
    fit = fit_softmax(X, y, 4)
    assert fit.converged
    np.testing.assert_allclose(fit.theta.sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(softmax_gradient(X, y, fit.theta), 0, atol=1e-10)


def test_without_a_penalty_the_hessian_is_made_regular(monkeypatch):
    def slow(*arguments, **options):
        raise AssertionError("the Hessian was singular")

    monkeypatch.setattr(np.linalg, "lstsq", slow)
    for seed in range(5):
        X, y, _ = dice(seed, n=200)
        assert fit_softmax(X, y, 4).converged


def test_two_classes_are_logistic_regression():
    X, y, _ = dice(4, n=200, K=2)
    W = fit_softmax(X, y, 2).theta
    np.testing.assert_allclose(W[:, 1] - W[:, 0], fit_logistic(X, y.astype(float)).theta, atol=1e-7)


def test_digits_like_scikit_learn():
    images = data.digits()
    X, X_test, y, y_test = data.train_test_split(
        images.X, images.labels, test_fraction=0.7, rng=np.random.default_rng(0)
    )
    theirs = LogisticRegression(solver="newton-cg", tol=1e-12, max_iter=10_000).fit(X, y)
    ours = fit_softmax(with_bias(X), y, 10, ridge=np.r_[0.0, np.ones(64)])
    assert ours.converged
    np.testing.assert_allclose(ours.theta[1:], theirs.coef_.T, atol=1e-10)
    guessed = (with_bias(X_test) @ ours.theta).argmax(axis=1)
    assert accuracy(y_test, guessed) == theirs.score(X_test, y_test)


def test_descent_ends_where_newton_ends():
    X, y, _ = dice(5)
    slow = fit_softmax_descent(X, y, 4, 1.0, ridge=1.0, steps=1500)
    assert slow.converged
    np.testing.assert_allclose(slow.theta, fit_softmax(X, y, 4, ridge=1.0).theta, atol=1e-6)
    assert (np.diff(slow.losses) <= 1e-15).all()
    assert not fit_softmax_descent(X, y, 4, 1.0, ridge=1.0, steps=3).converged


def test_separable_classes_have_no_minimum():
    X = with_bias(np.array([[-3.0], [-2.0], [0.0], [0.2], [2.0], [3.0]]))
    y = np.array([0, 0, 1, 1, 2, 2])
    assert not fit_softmax(X, y, 3).converged
    assert not fit_softmax(X, y, 3, tolerance=0.5).converged  # steps that look small beside a large W
    assert fit_softmax(X, y, 3, ridge=0.1).converged


def test_who_stops_early_has_not_converged_where_there_is_no_minimum():
    X = np.array([[1.0, 1], [1, 0], [1, 0], [1, 1]])
    assert not fit_softmax(X, np.array([0, 0, 0, 1]), 2, tolerance=0.1).converged
    assert fit_softmax(X, np.array([0, 1, 0, 1]), 2, tolerance=0.1).converged


def test_a_feature_whose_squares_vanish_is_refused():
    X, y, _ = dice(6, K=3)
    with pytest.raises(ValueError, match=r"^fit_softmax: X must have columns that reach 1e-150, or are zero"):
        fit_softmax(X * 1e-170, y, 3)


def test_a_class_that_never_occurs_has_no_minimum():
    """Its logit goes down for ever, unless the bias is held."""
    X, y, _ = dice(6, K=3)
    X = with_bias(X)
    assert fit_softmax(X, y, 3).converged
    for ridge in (0.0, [0.0, 1.0, 1.0, 1.0]):
        fit = fit_softmax(X, y, 4, ridge=ridge)
        assert not fit.converged
        np.testing.assert_allclose(softmax(X @ fit.theta)[:, 3], 0, atol=1e-8)
    assert fit_softmax(X, y, 4, ridge=1.0).converged


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y, W: fit_softmax(X, y, 3), "fit_softmax: y must hold class numbers from 0 to 2; got 3"),
        (lambda X, y, W: fit_softmax(X, y, 1), "fit_softmax: K must be at least 2; got 1"),
        (lambda X, y, W: fit_softmax(X, y[:5], 4), "y must have shape (80,), one per row of X; got (5,)"),
        (lambda X, y, W: fit_softmax(X, y, 4, ridge=-2), "ridge must be at least 0; got -2"),
        (lambda X, y, W: fit_softmax(1e200 * X, y, 4), "fit_softmax: X must be of a size that"),
        (lambda X, y, W: fit_softmax_descent(X, y, 4, -1.0), "learning_rate must be above 0; got -1"),
        (lambda X, y, W: softmax_loss(X, y, W[:2]), "softmax_loss: W must have shape (3, K)"),
        (lambda X, y, W: softmax_gradient(X[0], y, W), "softmax_gradient: X must have two axes"),
    ],
)
def test_errors(call, message):
    X, y, W = dice(0)
    y[0] = 3
    with np.errstate(all="ignore"), pytest.raises(ValueError) as caught:  # noqa: PT011 - compared below
        call(X, y, W)
    assert message in str(caught.value)
