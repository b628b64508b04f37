"""Softmax regression: K flat rules side by side, fitted by Newton's method or by descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.core.newton import Fit, minimise_newton
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.logistic.regression import BLOCK, _limits, _ridge
from chapters_src.models.logistic.scores import class_labels, logsumexp, one_hot, softmax

__all__ = ["fit_softmax", "fit_softmax_descent", "softmax_gradient", "softmax_loss"]


def _classes(
    function: str, X: Any, y: Any, K: int | None, W: Any, ridge: Any
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    X = checks.matrix(function, "X", X)
    if W is not None:
        W = checks.matrix(function, "W", W, rows=X.shape[1], per="column of X")
    else:
        W = np.zeros((X.shape[1], checks.integer(function, "K", K, at_least=2)))
    y = class_labels(function, "y", y, length=len(X), K=W.shape[1])
    return X, y, W, _ridge(function, ridge, X.shape[1])[:, None]


def _softmax_loss(X: ndarray, y: ndarray, W: ndarray, lam: ndarray) -> float:
    a = X @ W
    return float((logsumexp(a) - a[np.arange(len(y)), y]).sum() + 0.5 * (lam * W**2).sum()) / len(y)


def softmax_loss(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    W: Float[ndarray, "d K"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> float:
    """The mean cross-entropy of class numbers y, plus a penalty on large weights.

    L(W) = (1/n) [Σᵢ log Σⱼ e^{aᵢⱼ} − aᵢ,yᵢ + ½ Σⱼₖ λⱼWⱼₖ²],  a = XW     {eq}`eq-classification-cross-entropy`
    """
    return _softmax_loss(*_classes("softmax_loss", X, y, None, W, ridge))


def softmax_gradient(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    W: Float[ndarray, "d K"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> Float[ndarray, "d K"]:
    """The gradient of `softmax_loss`, in the shape of W.

    ∇L(W) = (1/n) [Xᵀ(softmax(XW) − one-hot y) + λ⊙W]      {eq}`eq-classification-softmax-gradient`
    """
    X, y, W, lam = _classes("softmax_gradient", X, y, None, W, ridge)
    return (X.T @ (softmax(X @ W) - one_hot(y, W.shape[1])) + lam * W) / len(X)


def fit_softmax(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    K: int,
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
) -> Fit:
    """Minimise `softmax_loss` by Newton's method on all d·K weights together, from zero.

    ∂²L/∂W.ₖ∂W.ₗ = (1/n) Xᵀ diag(πₖ([k=l] − πₗ)) X    {eq}`eq-classification-softmax-hessian`

    Adding one vector to every column of W changes no probability, so H is singular there. A term for the sum
    of the columns makes it regular and moves nothing, because the gradient has no part in that direction.
    Where the loss has no minimum, as with classes that are apart or never occur, ``converged`` is False.
    """
    X, y, W, lam = _classes("fit_softmax", X, y, K, None, ridge)
    steps, tolerance = _limits("fit_softmax", steps, tolerance)
    n, d = X.shape
    Y = one_hot(y, K)
    pin = np.kron(np.eye(d), np.ones((K, K))) * (X**2).sum() / (n * d * K)

    def expansion(w: ndarray) -> tuple[float, ndarray, ndarray]:
        W = w.reshape(d, K)
        P = softmax(X @ W)
        H = np.zeros((d, K, d, K))
        for k in range(K):
            Z = np.sqrt(P[:, k, None]) * X  # a matrix with itself: BLAS computes only half
            H[:, k, :, k] = Z.T @ Z + np.diag(lam[:, 0])
        H = H.reshape(d * K, d * K) / n + pin
        for i in range(0, n, BLOCK):
            rows = slice(i, i + BLOCK)
            M = (X[rows, :, None] * P[rows, None, :]).reshape(-1, d * K)  # (b, d, K) -> (b, d·K)
            H -= M.T @ M / n
        gradient = (X.T @ (P - Y) + lam * W) / n
        return _softmax_loss(X, y, W, lam), gradient.ravel(), H

    fit = minimise_newton(
        lambda w: _softmax_loss(X, y, w.reshape(d, K), lam), expansion, W.ravel(), steps, tolerance
    )
    W = fit.theta.reshape(d, K)
    free = lam[:, 0] == 0  # large values cost nothing there
    endless = free.any() and _endless(X[:, free] @ W[free], y)
    return fit._replace(theta=W, converged=fit.converged and not endless)


def _endless(a: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> bool:
    """Whether larger and larger weights lower the loss for ever, as these logits show.

    Either every example's own logit is above all its others, or a class without examples can be pushed down.
    """
    rivals = a.copy()
    rivals[np.arange(len(y)), y] = -np.inf
    absent = np.setdiff1d(np.arange(a.shape[1]), y)
    pushed = ((a[:, :, None] > a[:, None, absent]).all(axis=0)).any()  # (n, K, 1) > (n, 1, absent)
    return bool((a[np.arange(len(y)), y] > rivals.max(axis=1)).all() or pushed)


def fit_softmax_descent(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    K: int,
    learning_rate: float,
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 1000,
) -> Fit:
    """Take that many steps of gradient descent on `softmax_loss` from zero.

    Wₜ₊₁ = Wₜ − η∇L(Wₜ)                               {eq}`eq-classification-descent`
    """
    X, y, W, lam = _classes("fit_softmax_descent", X, y, K, None, ridge)
    eta = checks.number("fit_softmax_descent", "learning_rate", learning_rate, above=0)
    steps, _ = _limits("fit_softmax_descent", steps, 0.0)
    Y, losses = one_hot(y, K), np.empty(steps + 1)
    for t in range(steps):
        losses[t] = _softmax_loss(X, y, W, lam)
        gradient = (X.T @ (softmax(X @ W) - Y) + lam * W) / len(X)
        W = W - eta * gradient
    losses[steps] = _softmax_loss(X, y, W, lam)
    return Fit(W, losses, bool(np.abs(gradient).max() < 1e-8), steps)
