"""Logistic regression: a flat rule for the logit of yes, fitted by Newton's method or by descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.core.newton import Fit, minimise_newton
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic.scores import _sigmoid, _softplus, yes_or_no

__all__ = [
    "fit_logistic",
    "fit_logistic_descent",
    "logistic_gradient",
    "logistic_hessian",
    "logistic_loss",
    "separates",
    "standard_errors",
]

BLOCK = 2048  # rows that fit into a core's cache together


def _ridge(function: str, ridge: Any, d: int) -> Float[ndarray, "d"]:
    """One penalty for every column of X: the same for all, or 0 for those that are to go free."""
    if np.ndim(ridge) == 0:
        return np.full(d, checks.number(function, "ridge", ridge, at_least=0))
    lam = checks.vector(function, "ridge", ridge, length=d, per="column of X")
    if (lam < 0).any():
        checks.fail(function, "ridge", "be at least 0", f"{lam.min():g}")
    return lam


def _problem(
    function: str, X: Any, y: Any, theta: Any, ridge: Any
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    X = checks.matrix(function, "X", X)
    y = yes_or_no(function, "y", y, length=len(X), per="row of X")
    start = np.zeros(X.shape[1]) if theta is None else theta
    theta = checks.vector(function, "theta", start, length=X.shape[1], per="column of X")
    return X, y, theta, _ridge(function, ridge, X.shape[1])


def logistic_loss(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> float:
    """The mean cross-entropy of labels 0 and 1, plus a penalty on large parameters.

    L(θ) = (1/n) [Σᵢ log(1 + e^{aᵢ}) − yᵢaᵢ + ½ Σⱼ λⱼθⱼ²],  a = Xθ     {eq}`eq-classification-logistic`
    """
    X, y, theta, lam = _problem("logistic_loss", X, y, theta, ridge)
    return _loss(X @ theta, y, theta, lam)


def _loss(a: ndarray, y: ndarray, theta: ndarray, lam: ndarray) -> float:
    return float(_softplus(np.where(y == 1, -a, a)).sum() + 0.5 * lam @ theta**2) / len(y)


def logistic_gradient(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> Float[ndarray, "d"]:
    """The gradient of `logistic_loss`, in the shape of θ.

    ∇L(θ) = (1/n) [Xᵀ(σ(Xθ) − y) + λ⊙θ]               {eq}`eq-classification-logistic-gradient`
    """
    X, y, theta, lam = _problem("logistic_gradient", X, y, theta, ridge)
    return (X.T @ (_sigmoid(X @ theta) - y) + lam * theta) / len(X)


def logistic_hessian(
    X: Float[ndarray, "n d"], theta: Float[ndarray, "d"], ridge: float | Float[ndarray, "d"] = 0.0
) -> Float[ndarray, "d d"]:
    """The second derivatives of `logistic_loss`, which do not depend on the labels.

    ∇²L(θ) = (1/n) [Xᵀ diag(p(1 − p)) X + diag λ],  p = σ(Xθ)      {eq}`eq-classification-hessian`
    """
    X = checks.matrix("logistic_hessian", "X", X)
    theta = checks.vector("logistic_hessian", "theta", theta, length=X.shape[1], per="column of X")
    lam = _ridge("logistic_hessian", ridge, X.shape[1])
    return _expansion(X, np.zeros(len(X)), theta, lam)[2]


def _expansion(X: ndarray, y: ndarray, theta: ndarray, lam: ndarray) -> tuple[float, ndarray, ndarray]:
    """Loss, gradient and Hessian in one pass, a block of rows at a time, so that each is read once."""
    n = len(X)
    loss, gradient, hessian = 0.5 * float(lam @ theta**2), lam * theta, np.diag(lam)
    scratch = np.empty((min(BLOCK, n), X.shape[1]))
    for i in range(0, n, BLOCK):
        rows, labels = X[i : i + BLOCK], y[i : i + BLOCK]
        a = rows @ theta
        p = _sigmoid(a)
        loss += float(_softplus(np.where(labels == 1, -a, a)).sum())
        gradient = gradient + rows.T @ (p - labels)
        weighted = np.multiply(rows, np.sqrt(p * (1 - p))[:, None], out=scratch[: len(rows)])
        hessian = hessian + weighted.T @ weighted  # one matrix with itself: BLAS computes only half
    return loss / n, gradient / n, hessian / n


def separates(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], theta: Float[ndarray, "d"]) -> bool:
    """Whether θ has every example strictly on its side, so that 2θ, 3θ, … lower the loss for ever."""
    X, y, theta, _ = _problem("separates", X, y, theta, 0.0)
    return bool(((X @ theta) * (2 * y - 1) > 0).all())


def fit_logistic(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
    theta: Float[ndarray, "d"] | None = None,
) -> Fit:
    """Minimise `logistic_loss` by Newton's method from ``theta`` (zeros unless said).

    θₜ₊₁ = θₜ − (∇²L)⁻¹∇L                             {eq}`eq-classification-newton`

    λ is 1/C in scikit-learn; give one number a column, 0 for the bias, to leave the bias free. If columns
    without a penalty separate the data, there is no minimum, and ``converged`` is False.
    """
    start = theta
    X, y, theta, lam = _problem("fit_logistic", X, y, start, ridge)
    steps, tolerance = _limits("fit_logistic", steps, tolerance)

    def newton(every: int, start: ndarray, steps: int) -> Fit:
        rows, labels, share = X[::every], y[::every], lam / every
        return minimise_newton(
            lambda theta: _loss(rows @ theta, labels, theta, share),
            lambda theta: _expansion(rows, labels, theta, share),
            start,
            steps,
            tolerance,
        )

    if start is None and len(X) > 100 * X.shape[1]:
        theta = newton(10, theta, 4).theta  # a tenth of the rows knows most of it
    fit = newton(1, theta, steps)
    free = lam == 0  # large values cost nothing there
    endless = free.any() and separates(X[:, free], y, fit.theta[free])
    return fit._replace(converged=fit.converged and not endless)


def _limits(function: str, steps: Any, tolerance: Any) -> tuple[int, float]:
    return checks.integer(function, "steps", steps, at_least=1), checks.number(
        function, "tolerance", tolerance, at_least=0
    )


def fit_logistic_descent(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    learning_rate: float,
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 1000,
    theta: Float[ndarray, "d"] | None = None,
) -> Fit:
    """Take that many steps of gradient descent on `logistic_loss`; ``converged`` if it ends flat.

    θₜ₊₁ = θₜ − η∇L(θₜ)                               {eq}`eq-classification-descent`
    """
    name = "fit_logistic_descent"
    X, y, theta, lam = _problem(name, X, y, theta, ridge)
    eta = checks.number(name, "learning_rate", learning_rate, above=0)
    steps, _ = _limits(name, steps, 0.0)
    losses = np.empty(steps + 1)
    a = X @ theta
    for t in range(steps):
        losses[t] = _loss(a, y, theta, lam)
        gradient = (X.T @ (_sigmoid(a) - y) + lam * theta) / len(X)
        theta = theta - eta * gradient
        a = X @ theta
    losses[steps] = _loss(a, y, theta, lam)
    return Fit(theta, losses, bool(np.abs(gradient).max() < 1e-8), steps)


def standard_errors(X: Float[ndarray, "n d"], theta: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """How far each fitted parameter would vary from sample to sample, for large n and a true model.

    se(θ̂ⱼ) = √[(Xᵀ diag(p(1 − p)) X)⁻¹]ⱼⱼ             {eq}`eq-classification-errors`
    """
    information = logistic_hessian(X, theta) * len(X)
    if np.linalg.cond(information) > 1e14:
        checks.fail(
            "standard_errors", "X", "have independent columns and p away from 0 and 1", "a singular Hessian"
        )
    return np.sqrt(np.diag(np.linalg.inv(information)))
