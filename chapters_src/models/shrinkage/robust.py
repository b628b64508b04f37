"""Regression that an outlier cannot drag along: fits with Huber's loss and with the absolute error."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.finite import unit_of
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.risk import huber_loss
from chapters_src.models.least_squares import least_squares

__all__ = ["fit_absolute", "fit_huber"]


@checked(delta=above(0), steps=at_least(1))
def fit_huber(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], delta: float = 1.0, steps: int = 1_000
) -> Float[ndarray, "d"]:
    """Minimise the sum of Huber losses of y − Xθ.

    θ̂ = argmin Σᵢ ℓ(yᵢ − xᵢᵀθ)                        {eq}`eq-shrinkage-huber`

    Newton's method. The loss is made of parabolas and straight lines, so a step to the minimum of the pieces
    the errors are on now is exact once these are the right ones; until then it stops where the loss is least.
    """
    a, b = unit_of(X), unit_of(y)  # in these units no square is too large
    return _least_huber_loss(X / a, y / b, delta / b, steps) * b / a


def _least_huber_loss(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], delta: float, steps: int
) -> Float[ndarray, "d"]:
    theta = least_squares(X, y)

    def judged(theta: Float[ndarray, "d"]) -> tuple[float, float, Float[ndarray, "d"]]:
        error = y - X @ theta
        slope = X.T @ np.clip(error, -delta, delta)
        return float(bare(huber_loss)(error, delta).sum()), float(slope @ slope), theta

    best = judged(theta)
    for _ in range(steps):
        step = _newton_step(X, y, best[2], delta)
        length = _best_length(y - X @ best[2], X @ step, delta)
        whole, part = judged(best[2] + step), judged(best[2] + length * step)
        after = min(whole, part, key=lambda one: one[:2])
        if not after[0] < best[0]:  # the loss is flat by now, so the slope decides
            return min(best, whole, key=lambda one: one[1])[2]
        best = after
    return best[2]


def _newton_step(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], theta: Float[ndarray, "d"], delta: float
) -> Float[ndarray, "d"]:
    """From θ to the minimum if every error stays on its piece: XₛᵀXₛθ = Xₛᵀyₛ + δ Σ sign(eᵢ)xᵢ.

    Where the small errors do not fix every direction, the large ones pull freely along the others.
    """
    error = y - X @ theta
    small = np.abs(error) <= delta
    pull = delta * X[~small].T @ np.sign(error[~small])
    inverse = np.linalg.pinv(X[small])
    free = pull - inverse @ (X[small] @ pull)
    if np.abs(free).max() > 1e-13 * delta * np.abs(X).sum():  # more than rounding
        return np.asarray(free)
    return np.asarray(inverse @ (error[small] + inverse.T @ pull))


def _best_length(error: Float[ndarray, "n"], change: Float[ndarray, "n"], delta: float) -> float:
    """How far to go along a step that changes the errors by −``change``: where the loss stops falling."""
    moves = change != 0
    error, change = error[moves], change[moves]
    low, high = 0.0, float(np.max((np.abs(error) + delta) / np.abs(change), initial=0.0))
    for _ in range(100):
        middle = 0.5 * (low + high)
        falls = float(np.clip(error - middle * change, -delta, delta) @ change) > 0
        low, high = (middle, high) if falls else (low, middle)
    return high


@checked
def fit_absolute(X: Float[ndarray, "n d"], y: Float[ndarray, "n"]) -> Float[ndarray, "d"]:
    """Minimise the sum of absolute errors exactly; one of the minimisers if there are several.

    θ̂ = argmin Σᵢ |yᵢ − xᵢᵀθ|                         {eq}`eq-shrinkage-absolute`

    Some minimiser passes through d of the points. Starting from d points near the least-squares fit, one is
    let go and the fit turned about the others until it meets the point where the sum is least, and so on
    until no turn helps: the simplex method, with a weighted median in place of the ratio test.
    """
    a, b = unit_of(X), unit_of(y)  # in these units no product is too large
    return _least_absolute_sum(X / a, y / b) * (b / a)


def _least_absolute_sum(X: Float[ndarray, "n d"], y: Float[ndarray, "n"]) -> Float[ndarray, "d"]:
    """The same in units in which nothing overflows."""
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    rank = int(np.sum(s > np.finfo(float).eps * max(X.shape) * s[0]))
    if rank == 0:
        return np.zeros(X.shape[1])
    if rank < X.shape[1]:  # the shortest of the θ with the same Xθ
        return Vt[:rank].T @ _least_absolute_sum(X @ Vt[:rank].T, y)
    # More than d points on one fit could send the search in circles. A nudge far below the precision asked
    # for pulls them apart; the points found then decide, with y as it is.
    scale = max(float(np.abs(y).max()), np.finfo(float).tiny)
    nudged = y + 1e-11 * scale * np.random.default_rng(0).uniform(-1.0, 1.0, len(y))
    points = _turn(X, nudged, _nearest_points(X, np.abs(y - X @ least_squares(X, y))))
    return np.linalg.solve(X[points], y[points])


def _nearest_points(X: Float[ndarray, "n d"], distance: Float[ndarray, "n"]) -> list[int]:
    """The d independent rows of X that come first in order of distance."""
    left = X / np.maximum(np.abs(X).max(axis=1, keepdims=True), np.finfo(float).tiny)
    points: list[int] = []
    for _ in range(X.shape[1]):
        size = np.linalg.norm(left, axis=1)
        # Independent by a margin: a nearly dependent row would make the first system hard to solve.
        i = int(np.argmin(np.where(size > 0.1 * size.max(), distance, np.inf)))
        points.append(i)
        direction = left[i] / size[i]
        left = left - np.outer(left @ direction, direction)
    return points


def _turn(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], points: list[int]) -> list[int]:
    """Exchange points until no turn of the fit about d − 1 of them lowers the sum."""
    points = list(points)
    for _ in range(50 * sum(X.shape)):
        inverse = np.linalg.inv(X[points])
        error = y - X @ (inverse @ y[points])
        error[points] = 0.0
        pull = inverse.T @ (X.T @ np.sign(error))
        j = int(np.argmax(np.abs(pull)))
        if abs(pull[j]) <= 1.0 + 1e-9:
            break
        # Letting point j go costs a slope of 1 and gains |pull|; each point passed takes 2|q| of that away.
        q = X @ (np.sign(pull[j]) * inverse[:, j])
        ahead = np.flatnonzero(np.sign(error) * q > 0)
        order = ahead[np.argsort(error[ahead] / q[ahead])]
        slope = 1.0 - abs(pull[j]) + 2.0 * np.cumsum(np.abs(q[order]))
        points[j] = int(order[min(int(np.searchsorted(slope, 0.0)), len(order) - 1)])
    return points
