"""Gradient descent on the squared error, and the learning rate it can bear."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["fit_gradient_descent", "step_size_bound"]


@checked
def step_size_bound(X: Float[ndarray, "n d"]) -> float:
    """The learning rate from which on gradient descent on the mean squared error no longer converges.

    η < 2 / λ_max(∇²L) = n / σ_max(X)²                {eq}`eq-least-squares-bound`
    """
    require(X.any(), "X", "have an entry other than 0, or every step size will do", "zeros")
    largest = float(np.linalg.norm(X, 2))
    return len(X) / largest / largest


@checked(learning_rate=above(0), steps=at_least(1), tolerance=at_least(0))
def fit_gradient_descent(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    learning_rate: float,
    steps: int = 15_000,
    tolerance: float = 1e-20,
    theta: Float[ndarray, "d"] | None = None,
) -> Fit:
    """Walk down the mean squared error from ``theta`` (zeros unless said) until a step gets tiny.

    θₜ₊₁ = θₜ − η∇L(θₜ),  until ‖θₜ₊₁ − θₜ‖² < ε       {eq}`eq-least-squares-descent`

    A learning rate above `step_size_bound` makes θ grow until it overflows; the walk then ends at the last
    finite θ with ``converged`` False.
    """
    n, d = X.shape
    here = np.zeros(d) if theta is None else theta
    error = X @ here - y
    path, losses, converged = [here], [float(error @ error) / n], False
    with np.errstate(over="ignore", invalid="ignore"):
        while not converged and len(path) <= steps:
            step = -learning_rate * (2.0 / n) * (X.T @ error)
            here = here + step
            error = X @ here - y
            loss = float(error @ error) / n
            if not (np.isfinite(loss) and np.isfinite(here).all()):
                break
            path.append(here)
            losses.append(loss)
            converged = bool(step @ step < tolerance)
    return Fit(path[-1].copy(), np.array(losses), converged, len(path) - 1, np.array(path))
