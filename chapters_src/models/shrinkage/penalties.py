"""Ridge and lasso: least squares that pays for large coefficients."""

from __future__ import annotations

import warnings

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.finite import unit_of
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.least_squares import least_squares, reduced_rows

__all__ = ["lasso", "lasso_path", "ridge_path", "soft_threshold"]


@checked(threshold=at_least(0))
def soft_threshold(a: Float[ndarray, "*shape"], threshold: float) -> Float[ndarray, "*shape"]:
    """Move every number towards 0 by ``threshold``, but not past 0.

    S(a, t) = sign(a) max(|a| − t, 0), the minimiser over b of ½(b − a)² + t|b|
    """
    return np.asarray(np.sign(a) * np.maximum(np.abs(a) - threshold, 0.0))


@checked(lams=at_least(0))
def ridge_path(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], lams: Float[ndarray, "m"]
) -> Float[ndarray, "m d"]:
    """The ridge coefficients for each penalty in ``lams``, one row each.

    θ̂(λ) = argmin ‖Xθ − y‖² + λ‖θ‖²                   {eq}`eq-shrinkage-ridge`
    """
    R, z = reduced_rows(X, y)
    return np.array([bare(least_squares)(R, z, lam) for lam in lams])


@checked(lam=at_least(0), tolerance=above(0), sweeps=at_least(1))
def lasso(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    lam: float,
    tolerance: float = 1e-13,
    sweeps: int = 20_000,
    theta: Float[ndarray, "d"] | None = None,
) -> Float[ndarray, "d"]:
    """Minimise ‖Xθ − y‖² + λ‖θ‖₁ one coefficient at a time, starting from ``theta`` (zeros unless said).

    θⱼ ← S(xⱼᵀ(y − Σₖ≠ⱼ θₖxₖ), λ/2) / ‖xⱼ‖²           {eq}`eq-shrinkage-lasso`

    It stops when the duality gap, which bounds what is left to gain, is at most ``tolerance``·‖y‖². The error
    is a sum, as in `least_squares`; scikit-learn halves the mean, so its alpha is λ/(2n).
    """
    start = np.zeros(X.shape[1]) if theta is None else theta
    if lam == 0:
        return least_squares(X, y)
    R, z = reduced_rows(X, y)  # the same problem with few rows, so that n costs nothing in the loop
    a, b = unit_of(R), unit_of(z)  # in these units no square is too large
    return _coordinate_descent(R / a, z / b, lam / a / b, tolerance, sweeps, start * a / b) * b / a


def _coordinate_descent(
    X: Float[ndarray, "m d"],
    y: Float[ndarray, "m"],
    lam: float,
    tolerance: float,
    sweeps: int,
    theta: Float[ndarray, "d"],
) -> Float[ndarray, "d"]:
    columns = list(np.ascontiguousarray(X.T))
    squares = [float(x @ x) for x in columns]
    # A column of zeros explains nothing, whatever its coefficient, so the penalty decides.
    theta[np.array(squares) == 0] = 0.0
    used = [j for j, square in enumerate(squares) if square > 0]
    enough = tolerance * float(y @ y)
    floor = np.inf
    for sweep in range(sweeps):
        residual = y - X @ theta  # afresh, so that the roundings of the updates do not add up
        if _duality_gap(X, y, lam, theta, residual) <= enough:
            return theta
        if sweep % 10 == 9:  # sweeps find the signs soon, and the values given the signs slowly
            theta, objective = _same_signs(X, y, lam, theta)
            if objective >= floor:  # a penalty so small that rounding hides the rest of the gap
                return theta
            residual, floor = y - X @ theta, objective
        for j in used:
            before = theta[j]
            a = float(columns[j] @ residual) + squares[j] * before
            after = np.copysign(max(abs(a) - lam / 2, 0.0), a) / squares[j]
            if after != before:
                theta[j] = after
                residual -= (after - before) * columns[j]
    gap = _duality_gap(X, y, lam, theta, y - X @ theta)
    if gap > enough:
        left = f"a duality gap of {gap / float(y @ y):.1e}·‖y‖²"
        warnings.warn(f"lasso: {sweeps} sweeps left {left}", RuntimeWarning, stacklevel=3)
    return theta


def _same_signs(
    X: Float[ndarray, "m d"], y: Float[ndarray, "m"], lam: float, theta: Float[ndarray, "d"]
) -> tuple[Float[ndarray, "d"], float]:
    """The best point, and its objective, on the way to the minimiser that keeps all signs.

    XₛᵀXₛθₛ = Xₛᵀy − ½λ sign(θₛ) for the θₛ ≠ 0; or, if their columns are dependent, the way on which Xθ stays
    and ‖θ‖₁ falls. It is looked at where it starts, wherever a coefficient reaches 0, and at its end.
    """
    chosen = np.flatnonzero(theta)
    A, start = X[:, chosen], theta[chosen]
    signs = np.sign(start)
    inverse = np.linalg.pinv(A)
    idle = signs - inverse @ (A @ signs)  # what of the signs Xθ does not notice
    if idle @ idle > 1e-12 * len(chosen):
        shrinks = idle * signs > 0
        end = start - idle * np.max(start[shrinks] / idle[shrinks])
    else:
        end = inverse @ (y - 0.5 * lam * inverse.T @ signs)
    crosses = np.flatnonzero(np.sign(end) != signs)
    share = start[crosses] / (start[crosses] - end[crosses])
    stops = np.vstack([start, start + share[:, None] * (end - start), end])  # (2 + crossings, chosen)
    stops[np.arange(len(crosses)) + 1, crosses] = 0.0
    objective = np.sum((y - stops @ A.T) ** 2, axis=1) + lam * np.abs(stops).sum(axis=1)
    least = int(np.argmin(objective))
    best = theta.copy()
    best[chosen] = stops[least]
    return best, float(objective[least])


def _duality_gap(
    X: Float[ndarray, "m d"],
    y: Float[ndarray, "m"],
    lam: float,
    theta: Float[ndarray, "d"],
    residual: Float[ndarray, "m"],
) -> float:
    """How far the objective is above a lower bound: max over ν of 2νᵀy − ‖ν‖² with ‖2Xᵀν‖∞ ≤ λ."""
    steepest = 2 * float(np.abs(X.T @ residual).max())
    nu = residual * min(1.0, lam / steepest) if steepest > 0 else residual
    objective = float(residual @ residual) + lam * float(np.abs(theta).sum())
    return objective - float(2 * nu @ y - nu @ nu)


@checked(lams=at_least(0), tolerance=above(0))
def lasso_path(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], lams: Float[ndarray, "m"], tolerance: float = 1e-13
) -> Float[ndarray, "m d"]:
    """The lasso coefficients for each penalty in ``lams``, one row each, in the order given.

    θ̂(λ) = argmin ‖Xθ − y‖² + λ‖θ‖₁                   {eq}`eq-shrinkage-lasso`

    From the largest penalty, where everything is zero, to the smallest, each starting at the one before.
    """
    R, z = reduced_rows(X, y)
    path = np.zeros((len(lams), X.shape[1]))
    theta = path[0]
    for i in np.argsort(lams)[::-1]:
        path[i] = theta = bare(lasso)(R, z, float(lams[i]), tolerance, theta=theta)
    return path
