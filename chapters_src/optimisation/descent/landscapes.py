"""Functions to go down on, each with its value, gradient and Hessian, and its minima where they are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Landscape", "bowl", "double_well", "logistic_loss", "quadratic", "rosenbrock", "saddle"]


@dataclass(frozen=True)
class Landscape:
    """A function of ``dimension`` numbers and its first two derivatives; ``minimisers`` where it is least."""

    value: Callable[[Any], float]
    gradient: Callable[[Any], Float[ndarray, "d"]]
    hessian: Callable[[Any], Float[ndarray, "d d"]]
    dimension: int
    minimisers: tuple[Float[ndarray, "d"], ...] = ()


def _landscape(
    name: str,
    dimension: int,
    value: Callable[[ndarray], Any],
    gradient: Callable[[ndarray], Any],
    hessian: Callable[[ndarray], Any],
    minimisers: tuple[ndarray, ...] = (),
) -> Landscape:
    """A landscape whose functions look at their argument first."""

    def read(theta: Any) -> ndarray:
        return checks.vector(name, "theta", theta, length=dimension, per="coordinate")

    return Landscape(
        lambda theta: float(value(read(theta))),
        lambda theta: np.asarray(gradient(read(theta))),
        lambda theta: np.asarray(hessian(read(theta))),
        dimension,
        minimisers,
    )


def quadratic(H: Float[ndarray, "d d"], b: Float[ndarray, "d"] | None = None) -> Landscape:
    """The landscape all others look like close up, for a symmetric H (and b = 0 unless given).

    f(θ) = ½ θᵀHθ − bᵀθ                               {eq}`eq-descent-quadratic`

    With H positive definite it is least at H⁻¹b; otherwise it has no minimum, or many.
    """
    H = checks.matrix("quadratic", "H", H)
    d = len(H)
    if H.shape != (d, d) or not np.allclose(H, H.T, rtol=1e-12, atol=0):
        checks.fail("quadratic", "H", "be square and equal to its transpose", f"shape {H.shape}\n{H}"[:60])
    b = np.zeros(d) if b is None else checks.vector("quadratic", "b", b, length=d, per="row of H")
    least: tuple[ndarray, ...] = ()
    if np.linalg.eigvalsh(H)[0] > 0:
        least = (np.linalg.solve(H, b),)
    return _landscape(
        "quadratic", d, lambda t: t @ H @ t / 2 - b @ t, lambda t: H @ t - b, lambda t: H, least
    )


def bowl(condition: float, angle: float = 0.0) -> Landscape:
    """A bowl in the plane with curvatures 1 and κ = ``condition``, turned by ``angle`` radians.

    f(θ) = ½ (u² + κv²),  (u, v) = θ in the turned axes
    """
    condition = checks.number("bowl", "condition", condition, at_least=1)
    angle = checks.number("bowl", "angle", angle)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    H = turn * [1.0, condition] @ turn.T
    return quadratic((H + H.T) / 2)


def rosenbrock(steepness: float = 100.0) -> Landscape:
    """Rosenbrock's banana: a curved valley, easy to find and tedious to follow; least at (1, 1).

    f(θ) = (1 − θ₀)² + s(θ₁ − θ₀²)²,  s = ``steepness``      {eq}`eq-descent-rosenbrock`
    """
    s = checks.number("rosenbrock", "steepness", steepness, above=0)

    def value(t: ndarray) -> float:
        return (1 - t[0]) ** 2 + s * (t[1] - t[0] ** 2) ** 2

    def gradient(t: ndarray) -> list[float]:
        off = t[1] - t[0] ** 2
        return [-2 * (1 - t[0]) - 4 * s * t[0] * off, 2 * s * off]

    def hessian(t: ndarray) -> list[list[float]]:
        return [[2 - 4 * s * (t[1] - 3 * t[0] ** 2), -4 * s * t[0]], [-4 * s * t[0], 2 * s]]

    return _landscape("rosenbrock", 2, value, gradient, hessian, (np.ones(2),))


def saddle() -> Landscape:
    """A pass between two hills: stationary at 0, where it is no minimum, and without a floor.

    f(θ) = ½ (θ₀² − θ₁²)
    """
    return quadratic(np.diag([1.0, -1.0]))


def double_well(tilt: float = 0.0) -> Landscape:
    """Two valleys with a pass between them; ``tilt`` lifts the right one.

    f(θ) = ¼ (θ₀² − 1)² + ½ θ₁² + tilt·θ₀             {eq}`eq-descent-double-well`

    Below a tilt of 2/√27 ≈ 0.385 both valleys have a minimum, at roots of θ₀³ − θ₀ + tilt; only the lowest
    counts as a minimiser.
    """
    tilt = checks.number("double_well", "tilt", tilt)
    roots = np.roots([1.0, 0.0, -1.0, tilt])
    flat = np.sort(roots[np.abs(roots.imag) < 1e-9].real)

    def value(t: ndarray) -> float:
        return (t[0] ** 2 - 1) ** 2 / 4 + t[1] ** 2 / 2 + tilt * t[0]

    heights = np.array([value(np.array([x, 0.0])) for x in flat])
    lowest = flat[heights <= heights.min() + 1e-12]
    return _landscape(
        "double_well",
        2,
        value,
        lambda t: [t[0] ** 3 - t[0] + tilt, t[1]],
        lambda t: [[3 * t[0] ** 2 - 1, 0.0], [0.0, 1.0]],
        tuple(np.array([x, 0.0]) for x in lowest),
    )


def logistic_loss(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], ridge: float = 0.0) -> Landscape:
    """The mean cross-entropy of a yes-or-no model with logit Xθ, plus a penalty; y holds 0 and 1.

    f(θ) = (1/n) Σᵢ [log(1 + e^{xᵢᵀθ}) − yᵢxᵢᵀθ] + ½λ‖θ‖²        {eq}`eq-descent-logistic`

    Its curvature is at most σ_max(X)²/4n + λ anywhere, because σ(a)(1 − σ(a)) ≤ ¼.
    """
    X = checks.matrix("logistic_loss", "X", X)
    n, d = X.shape
    y = checks.vector("logistic_loss", "y", y, length=n, per="row of X")
    if not np.isin(y, (0.0, 1.0)).all():
        checks.fail("logistic_loss", "y", "hold 0 and 1 only", f"{y[~np.isin(y, (0.0, 1.0))][0]:g}")
    lam = checks.number("logistic_loss", "ridge", ridge, at_least=0)

    def share(a: ndarray) -> ndarray:
        return 0.5 * (1.0 + np.tanh(a / 2))  # σ(a), without an exponential that could overflow

    def value(t: ndarray) -> float:
        a = X @ t
        return float(np.mean(np.logaddexp(0.0, a) - y * a)) + lam / 2 * float(t @ t)

    def hessian(t: ndarray) -> ndarray:
        p = share(X @ t)
        return (X.T * (p * (1 - p))) @ X / n + lam * np.eye(d)

    return _landscape("logistic_loss", d, value, lambda t: X.T @ (share(X @ t) - y) / n + lam * t, hessian)
