"""The same Newton's method for tall data: one pass over the rows per step, a start from a tenth of them."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.fit import Fit
from chapters_src.core.newton import minimise_newton
from chapters_src.core.readers import at_least, squares_that_last
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic.probabilities import zero_or_one
from chapters_src.models.logistic.regression import has_no_minimum

__all__ = ["fit_logistic_by_blocks"]

BLOCK = 2048  # rows that fit into a core's cache together


@checked(X=squares_that_last, y=zero_or_one, ridge=at_least(0), steps=at_least(1), tolerance=at_least(0))
def fit_logistic_by_blocks(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    ridge: float | Float[ndarray, "d"] = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
) -> Fit:
    """`fit_logistic` from zero, each row read once per step: the same θ, sooner on tall data."""
    lam = np.broadcast_to(ridge, X.shape[1]).astype(float)

    def newton(every: int, start: ndarray, steps: int) -> Fit:
        rows, labels, share = X[::every], y[::every], lam / every
        return minimise_newton(
            lambda theta: (_loss(rows @ theta, labels) + 0.5 * float(share @ theta**2)) / len(rows),
            lambda theta: _expansion(rows, labels, theta, share),
            start,
            steps,
            tolerance,
        )

    theta = np.zeros(X.shape[1])
    if len(X) > 100 * X.shape[1]:
        theta = newton(10, theta, 4).theta  # a tenth of the rows knows most of it
    fit = newton(1, theta, steps)
    return fit._replace(converged=fit.converged and not has_no_minimum(X, y, fit.theta, lam, tolerance))


def _loss(a: ndarray, y: ndarray) -> float:
    margin = np.where(y == 1, -a, a)
    return float((np.maximum(margin, 0.0) + np.log1p(np.exp(-np.abs(margin)))).sum())


def _expansion(X: ndarray, y: ndarray, theta: ndarray, lam: ndarray) -> tuple[float, ndarray, ndarray]:
    """Loss, gradient and Hessian in one pass, a block of rows at a time."""
    n = len(X)
    loss, gradient, hessian = 0.5 * float(lam @ theta**2), lam * theta, np.diag(lam)
    scratch = np.empty((min(BLOCK, n), X.shape[1]))
    for i in range(0, n, BLOCK):
        rows, labels = X[i : i + BLOCK], y[i : i + BLOCK]
        a = rows @ theta
        small = np.exp(-np.abs(a))
        p = np.where(a >= 0, 1.0, small) / (1.0 + small)
        loss += _loss(a, labels)
        gradient = gradient + rows.T @ (p - labels)
        weighted = np.multiply(rows, np.sqrt(p * (1 - p))[:, None], out=scratch[: len(rows)])
        hessian = hessian + weighted.T @ weighted  # one matrix with itself: BLAS computes only half
    return loss / n, gradient / n, hessian / n
