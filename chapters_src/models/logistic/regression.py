"""Logistic regression: a linear model of the logit of yes, fitted by Newton's method or by descent."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require, unread
from chapters_src.core.fit import Fit
from chapters_src.core.newton import minimise_newton
from chapters_src.core.readers import above, at_least, squares_that_last
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic.probabilities import sigmoid, softplus, zero_or_one
from chapters_src.models.logistic.separation import grows_for_ever, may_run_away, separates

__all__ = [
    "fit_logistic",
    "fit_logistic_descent",
    "has_no_minimum",
    "logistic_gradient",
    "logistic_hessian",
    "logistic_loss",
    "standard_errors",
]


@checked(y=zero_or_one, ridge=at_least(0))
def logistic_loss(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> float:
    """The mean cross-entropy of labels 0 and 1, plus a penalty on large parameters.

    L(θ) = (1/n) [Σᵢ log(1 + e^{aᵢ}) − yᵢaᵢ + ½ Σⱼ λⱼθⱼ²],  a = Xθ     {eq}`eq-logistic-ridge`
    """
    a = X @ theta
    return float(softplus(np.where(y == 1, -a, a)).sum() + 0.5 * np.sum(ridge * theta**2)) / len(y)


@checked(y=zero_or_one, ridge=at_least(0))
def logistic_gradient(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    ridge: float | Float[ndarray, "d"] = 0.0,
) -> Float[ndarray, "d"]:
    """The gradient of `logistic_loss`, in the shape of θ.

    ∇L(θ) = (1/n) [Xᵀ(σ(Xθ) − y) + λ⊙θ]               {eq}`eq-logistic-gradient`
    """
    return (X.T @ (sigmoid(X @ theta) - y) + ridge * theta) / len(X)


@checked(ridge=at_least(0))
def logistic_hessian(
    X: Float[ndarray, "n d"], theta: Float[ndarray, "d"], ridge: float | Float[ndarray, "d"] = 0.0
) -> Float[ndarray, "d d"]:
    """The second derivatives of `logistic_loss`, which do not depend on the labels.

    ∇²L(θ) = (1/n) [Xᵀ diag(p(1 − p)) X + diag λ],  p = σ(Xθ)      {eq}`eq-logistic-hessian`
    """
    p = sigmoid(X @ theta)
    return (X.T @ ((p * (1 - p))[:, None] * X) + ridge * np.eye(X.shape[1])) / len(X)


@checked(X=squares_that_last, y=zero_or_one, ridge=at_least(0), steps=at_least(1), tolerance=at_least(0))
def fit_logistic(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
    theta: Float[ndarray, "d"] | None = None,
) -> Fit:
    """Minimise `logistic_loss` by Newton's method from ``theta`` (zeros unless said).

    θₜ₊₁ = θₜ − (∇²L)⁻¹∇L                             {eq}`eq-logistic-newton`

    λ is 1/C in scikit-learn; give one number per column, 0 for the bias, to leave the bias free. If columns
    without a penalty separate the data, even in part, there is no minimum, and ``converged`` is False.
    """
    fit = minimise_newton(
        lambda theta: bare(logistic_loss)(X, y, theta, ridge),
        lambda theta: (
            bare(logistic_loss)(X, y, theta, ridge),
            bare(logistic_gradient)(X, y, theta, ridge),
            bare(logistic_hessian)(X, theta, ridge),
        ),
        np.zeros(X.shape[1]) if theta is None else theta,
        steps,
        tolerance,
    )
    return fit._replace(converged=fit.converged and not has_no_minimum(X, y, fit.theta, ridge, tolerance))


@unread
def has_no_minimum(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    ridge: float | Float[ndarray, "d"],
    tolerance: float,
) -> bool:
    """Whether the loss falls for ever where θ costs nothing; a search only if θ `may_run_away`."""
    free = np.broadcast_to(ridge, theta.shape) == 0
    if free.any() and separates(X[:, free], y, theta[free]):
        return True
    open_ended = free.any() and may_run_away(np.abs(X @ theta).max(), tolerance)
    return open_ended and grows_for_ever((2 * y - 1)[:, None] * X[:, free])


@checked(y=zero_or_one, learning_rate=above(0), ridge=at_least(0), steps=at_least(1))
def fit_logistic_descent(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    learning_rate: float,
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 1000,
    theta: Float[ndarray, "d"] | None = None,
) -> Fit:
    """Take that many steps of gradient descent on `logistic_loss`; ``converged`` if it ends flat.

    θₜ₊₁ = θₜ − η∇L(θₜ)                               {eq}`eq-logistic-descent`
    """
    theta = np.zeros(X.shape[1]) if theta is None else theta
    losses = [bare(logistic_loss)(X, y, theta, ridge)]
    for _ in range(steps):
        gradient = bare(logistic_gradient)(X, y, theta, ridge)
        theta = theta - learning_rate * gradient
        losses.append(bare(logistic_loss)(X, y, theta, ridge))
    return Fit(theta, np.array(losses), bool(np.abs(gradient).max() < 1e-8), steps)


@checked
def standard_errors(X: Float[ndarray, "n d"], theta: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """How far each fitted parameter would vary from sample to sample, for large n and a true model.

    se(θ̂ⱼ) = √[(Xᵀ diag(p(1 − p)) X)⁻¹]ⱼⱼ             {eq}`eq-logistic-errors`
    """
    information = logistic_hessian(X, theta) * len(X)
    require(
        np.linalg.cond(information) <= 1e14,
        "X",
        "have independent columns and p away from 0 and 1",
        "a singular Hessian",
    )
    return np.sqrt(np.diag(np.linalg.inv(information)))
