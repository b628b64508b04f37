"""A minimiser that needs values of a function and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.studio.oracle import finite_difference_gradient

SETTLED = 1e-10  # what one more Newton step could still gain, relative to the function's values


def minimiser(f: Callable[[np.ndarray], float], start: np.ndarray, steps: int = 60) -> np.ndarray | None:
    """Where f is least, by damped Newton steps from ``start``; None if they do not settle.

    Meant for smooth functions of a few variables. Curvature is taken by absolute value, so that each step
    goes downhill even where f is not convex; NaN and inf count as uphill.
    """
    x = np.array(start, dtype=float)
    scale = abs(f(x))
    inverse = None
    for _ in range(steps):
        gradient = _rough_gradient(f, x)
        value = f(x)
        if inverse is not None and gradient @ inverse @ gradient <= SETTLED * max(scale, abs(value)):
            return _polished(f, x, inverse)
        inverse = _inverse_curvature(f, x)
        if inverse is None or not np.isfinite(gradient).all():
            return None
        direction = (-inverse @ gradient).reshape(x.shape)
        gain = float(gradient @ inverse @ gradient)
        length = 1.0
        while not f(x + length * direction) <= value - 1e-4 * length * gain:
            length /= 2
            if length < 1e-8:
                return _polished(f, x, inverse) if gain <= SETTLED * max(scale, abs(value)) else None
        x = x + length * direction
    return None


def _polished(f: Callable[[np.ndarray], float], x: np.ndarray, inverse: np.ndarray) -> np.ndarray | None:
    """Full steps while they shrink: f itself no longer shows a difference, its gradient still does."""
    before = np.inf
    for _ in range(6):
        gradient = _gradient(f, x)
        if gradient is None:
            return None
        step = (-inverse @ gradient).reshape(x.shape)
        size = float(np.abs(step).max())
        if not size < before / 2:
            break
        x, before = x + step, size
    return x if before <= 1e-4 * (1 + np.abs(x).max()) else None


def _gradient(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray | None:
    try:
        return finite_difference_gradient(f, x, step=2.0**-7).ravel()
    except ValueError:  # the edge of the domain
        return None


def _rough_gradient(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """Central differences, good to about eight digits: enough to walk by."""
    h = 1e-5 * np.maximum(1, np.abs(x.ravel()))
    moves = [move.reshape(x.shape) for move in np.diag(h)]
    return np.array([f(x + move) - f(x - move) for move in moves]) / (2 * h)


def _inverse_curvature(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray | None:
    """The inverse of the Hessian with every curvature positive; None where there is none."""
    hessian = _hessian(f, x)
    if not np.isfinite(hessian).all() or not hessian.any():
        return None
    curvature, axes = np.linalg.eigh(hessian)
    size = np.abs(curvature)
    return axes / np.maximum(size, 1e-10 * size.max()) @ axes.T


def _hessian(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    h = 1e-4 * np.maximum(1, np.abs(x.ravel()))
    moves = [move.reshape(x.shape) for move in np.diag(h)]
    H = np.empty((x.size, x.size))
    centre = f(x)
    for i, a in enumerate(moves):
        H[i, i] = (f(x + a) - 2 * centre + f(x - a)) / h[i] ** 2
        for j, b in enumerate(moves[:i]):
            corners = f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)
            H[i, j] = H[j, i] = corners / (4 * h[i] * h[j])
    return H
