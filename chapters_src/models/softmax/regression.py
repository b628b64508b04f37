"""Softmax regression: K linear models side by side, fitted by Newton's method or by descent."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.fit import Fit
from chapters_src.core.newton import minimise_newton
from chapters_src.core.readers import above, at_least, squares_that_last
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.logistic import grows_for_ever, may_run_away
from chapters_src.models.softmax.probabilities import class_numbers, logsumexp, one_hot, softmax

__all__ = ["fit_softmax", "fit_softmax_descent", "softmax_gradient", "softmax_hessian", "softmax_loss"]


def _per_row(ridge: float | Float[ndarray, "d"]) -> float | Float[ndarray, "d 1"]:
    """The penalty λⱼ of row j of W, to be multiplied with W."""
    return np.reshape(ridge, (-1, 1))


@checked(y=class_numbers, ridge=at_least(0))
def softmax_loss(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    W: Float[ndarray, "d K"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> float:
    """The mean cross-entropy of class numbers y, plus a penalty on large weights.

    L(W) = (1/n) [Σᵢ log Σⱼ e^{aᵢⱼ} − aᵢ,yᵢ + ½ Σⱼₖ λⱼWⱼₖ²],  a = XW     {eq}`eq-softmax-cross-entropy`
    """
    a = X @ W
    return float((logsumexp(a) - a[np.arange(len(y)), y]).sum() + 0.5 * (_per_row(ridge) * W**2).sum()) / len(
        y
    )


@checked(y=class_numbers, ridge=at_least(0))
def softmax_gradient(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    W: Float[ndarray, "d K"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> Float[ndarray, "d K"]:
    """The gradient of `softmax_loss`, in the shape of W.

    ∇L(W) = (1/n) [Xᵀ(softmax(XW) − one-hot y) + λ⊙W]      {eq}`eq-softmax-gradient`
    """
    return (X.T @ (softmax(X @ W) - one_hot(y, W.shape[1])) + _per_row(ridge) * W) / len(X)


@checked(ridge=at_least(0))
def softmax_hessian(
    X: Float[ndarray, "n d"], W: Float[ndarray, "d K"], ridge: float | Float[ndarray, "d"] = 0.0
) -> Float[ndarray, "dK dK"]:
    """The second derivatives of `softmax_loss` by the entries of W, row after row.

    ∂²L/∂W.ₖ∂W.ₗ = (1/n) [Xᵀ diag(πₖ([k=l] − πₗ)) X + [k=l] diag λ]    {eq}`eq-softmax-hessian`
    """
    (n, d), K = X.shape, W.shape[1]
    P = softmax(X @ W)
    M = (X[:, :, None] * P[:, None, :]).reshape(n, d * K)  # (n, d, K) -> (n, d·K)
    H = np.zeros((d, K, d, K))
    for k in range(K):
        H[:, k, :, k] = X.T @ (P[:, k, None] * X) + np.eye(d) * ridge
    return (H.reshape(d * K, d * K) - M.T @ M) / n


@checked(
    X=squares_that_last,
    y=class_numbers,
    K=at_least(2),
    ridge=at_least(0),
    steps=at_least(1),
    tolerance=at_least(0),
)
def fit_softmax(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    K: int,
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
) -> Fit:
    """Minimise `softmax_loss` by Newton's method on all d·K weights together, from zero.

    wₜ₊₁ = wₜ − (∇²L)⁻¹∇L,  with the curvature of      {eq}`eq-softmax-hessian`

    Adding one vector to every column of W changes no probability, so H is singular there. A term for the sum
    of the columns makes it regular and moves nothing, because the gradient has no part in that direction.
    Where the loss has no minimum, as with classes that are apart or never occur, ``converged`` is False.
    """
    n, d = X.shape
    pin = np.kron(np.eye(d), np.ones((K, K))) * (X**2).sum() / (n * d * K)

    def loss(w: ndarray) -> float:
        return bare(softmax_loss)(X, y, w.reshape(d, K), ridge)

    def expansion(w: ndarray) -> tuple[float, ndarray, ndarray]:
        W = w.reshape(d, K)
        slope = bare(softmax_gradient)(X, y, W, ridge).ravel()
        return loss(w), slope, bare(softmax_hessian)(X, W, ridge) + pin

    fit = minimise_newton(loss, expansion, np.zeros(d * K), steps, tolerance)
    W = fit.theta.reshape(d, K)
    free = np.broadcast_to(ridge, d) == 0  # large values cost nothing there
    return fit._replace(theta=W, converged=fit.converged and not _endless(X[:, free], y, W[free], tolerance))


def _endless(
    X: Float[ndarray, "n d"], y: Int[ndarray, "n"], W: Float[ndarray, "d K"], tolerance: float
) -> bool:
    """Whether larger and larger weights lower the loss for ever: some own class gains and none loses."""
    (n, d), K = X.shape, W.shape[1]
    a = X @ W
    open_ended = d > 0 and may_run_away(np.ptp(a, axis=1).max(), tolerance)
    own = a[np.arange(n), y]
    a[np.arange(n), y] = -np.inf
    if d > 0 and (own > a.max(axis=1)).all():
        return True
    if not open_ended:
        return False
    others = np.argwhere(np.arange(K) != y[:, None])  # pairs of an example and a class that is not its own
    rows = np.zeros((len(others), d, K))
    rows[np.arange(len(others)), :, y[others[:, 0]]] = X[others[:, 0]]
    rows[np.arange(len(others)), :, others[:, 1]] = -X[others[:, 0]]
    return grows_for_ever(rows.reshape(len(others), d * K))


@checked(y=class_numbers, K=at_least(2), learning_rate=above(0), ridge=at_least(0), steps=at_least(1))
def fit_softmax_descent(
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    K: int,
    learning_rate: float,
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 1000,
) -> Fit:
    """Take that many steps of gradient descent on `softmax_loss` from zero.

    W ← W − η∇L(W)                                    {eq}`eq-softmax-descent`
    """
    W = np.zeros((X.shape[1], K))
    losses = [bare(softmax_loss)(X, y, W, ridge)]
    for _ in range(steps):
        gradient = bare(softmax_gradient)(X, y, W, ridge)
        W = W - learning_rate * gradient
        losses.append(bare(softmax_loss)(X, y, W, ridge))
    return Fit(W, np.array(losses), bool(np.abs(gradient).max() < 1e-8), steps)
