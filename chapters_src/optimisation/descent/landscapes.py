"""Functions to go down on, each with its value, gradient and Hessian, and its minima where they are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.covariances import symmetric
from chapters_src.core.readers import Ask, above, at_least, numeric_array
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic import logistic_gradient, logistic_hessian, logistic_loss, zero_or_one

__all__ = ["Landscape", "bowl", "double_well", "logistic_landscape", "quadratic", "rosenbrock", "saddle"]


@dataclass(frozen=True)
class Landscape:
    """A function of ``dimension`` numbers and its first two derivatives; ``minimisers`` where it is least."""

    value: Callable[[Any], float]
    gradient: Callable[[Any], Float[ndarray, "d"]]
    hessian: Callable[[Any], Float[ndarray, "d d"]]
    dimension: int
    minimisers: tuple[Float[ndarray, "d"], ...] = ()


def _landscape(
    dimension: int,
    value: Callable[[ndarray], Any],
    gradient: Callable[[ndarray], Any],
    hessian: Callable[[ndarray], Any],
    minimisers: tuple[ndarray, ...] = (),
) -> Landscape:
    """A landscape whose functions look at their argument first."""

    def read(theta: Any) -> ndarray:
        point = numeric_array(Ask("theta"), theta)
        require(
            point.shape == (dimension,),
            "theta",
            f"have shape ({dimension},), one per coordinate",
            point.shape,
        )
        return point

    return Landscape(
        lambda theta: float(value(read(theta))),
        lambda theta: np.asarray(gradient(read(theta))),
        lambda theta: np.asarray(hessian(read(theta))),
        dimension,
        minimisers,
    )


@checked(H=symmetric)
def quadratic(H: Float[ndarray, "d e"], b: Float[ndarray, "d"] | None = None) -> Landscape:
    """The landscape all others look like close up, for a symmetric H (and b = 0 unless given).

    f(θ) = ½ θᵀHθ − bᵀθ                               {eq}`eq-descent-quadratic`

    With H positive definite it is least at H⁻¹b; otherwise it has no minimum, or many.
    """
    d = len(H)
    b = np.zeros(d) if b is None else b
    least: tuple[ndarray, ...] = ()
    if np.linalg.eigvalsh(H)[0] > 0:
        least = (np.linalg.solve(H, b),)
    return _landscape(d, lambda t: t @ H @ t / 2 - b @ t, lambda t: H @ t - b, lambda t: H, least)


@checked(condition=at_least(1))
def bowl(condition: float, angle: float = 0.0) -> Landscape:
    """A bowl in the plane with curvatures 1 and κ = ``condition``, turned by ``angle`` radians.

    f(θ) = ½ (u² + κv²),  (u, v) = θ in the turned axes
    """
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    H = turn * [1.0, condition] @ turn.T
    return quadratic((H + H.T) / 2)


@checked(steepness=above(0))
def rosenbrock(steepness: float = 100.0) -> Landscape:
    """Rosenbrock's banana: a curved valley, easy to find and tedious to follow; least at (1, 1).

    f(θ) = (1 − θ₀)² + s(θ₁ − θ₀²)²,  s = ``steepness``
    """
    s = steepness

    def value(t: ndarray) -> float:
        return (1 - t[0]) ** 2 + s * (t[1] - t[0] ** 2) ** 2

    def gradient(t: ndarray) -> list[float]:
        off = t[1] - t[0] ** 2
        return [-2 * (1 - t[0]) - 4 * s * t[0] * off, 2 * s * off]

    def hessian(t: ndarray) -> list[list[float]]:
        return [[2 - 4 * s * (t[1] - 3 * t[0] ** 2), -4 * s * t[0]], [-4 * s * t[0], 2 * s]]

    return _landscape(2, value, gradient, hessian, (np.ones(2),))


@checked
def saddle() -> Landscape:
    """A pass between two hills: stationary at 0, where it is no minimum, and without a floor.

    f(θ) = ½ (θ₀² − θ₁²)
    """
    return quadratic(np.diag([1.0, -1.0]))


@checked
def double_well(tilt: float = 0.0) -> Landscape:
    """Two valleys with a pass between them; ``tilt`` lifts the right one.

    f(θ) = ¼ (θ₀² − 1)² + ½ θ₁² + tilt·θ₀             {eq}`eq-descent-double-well`

    Below a tilt of 2/√27 ≈ 0.385 both valleys have a minimum, at roots of θ₀³ − θ₀ + tilt; only the lowest
    counts as a minimiser.
    """
    roots = np.roots([1.0, 0.0, -1.0, tilt])
    flat = np.sort(roots[np.abs(roots.imag) < 1e-9].real)

    def value(t: ndarray) -> float:
        return (t[0] ** 2 - 1) ** 2 / 4 + t[1] ** 2 / 2 + tilt * t[0]

    heights = np.array([value(np.array([x, 0.0])) for x in flat])
    lowest = flat[heights <= heights.min() + 1e-12]
    return _landscape(
        2,
        value,
        lambda t: [t[0] ** 3 - t[0] + tilt, t[1]],
        lambda t: [[3 * t[0] ** 2 - 1, 0.0], [0.0, 1.0]],
        tuple(np.array([x, 0.0]) for x in lowest),
    )


@checked(y=zero_or_one, ridge=at_least(0))
def logistic_landscape(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], ridge: float | Float[ndarray, "d"] = 0.0
) -> Landscape:
    """The mean cross-entropy of a yes-or-no model with logit Xθ, plus a penalty; y holds 0 and 1.

    f(θ) = (1/n) Σᵢ [log(1 + e^{xᵢᵀθ}) − yᵢxᵢᵀθ] + ½ Σⱼ λⱼθⱼ²      {eq}`eq-descent-logistic`

    Give ``ridge`` one number per column, 0 for the bias, to leave the bias free. Without a penalty no
    curvature exceeds σ_max(X)²/4n, because σ(a)(1 − σ(a)) ≤ ¼.
    """
    n, d = X.shape
    total = n * ridge  # `logistic_loss` divides its penalty by n
    return _landscape(
        d,
        lambda t: logistic_loss(X, y, t, total),
        lambda t: logistic_gradient(X, y, t, total),
        lambda t: logistic_hessian(X, t, total),
    )
