"""Three ways to ask whether a function is convex, and the slopes of a convex function at a kink."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import above, between
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.calculus.differences import difference_gradient, difference_hessian

__all__ = ["chord_gap", "least_curvature", "subdifferential", "tangent_gap"]


@checked(alpha=between(0, 1))
def chord_gap(
    f: Callable[[Any], Any], x: Float[ndarray, "*d"], y: Float[ndarray, "*d"], alpha: float = 0.5
) -> float:
    """How far the chord from x to y lies above f; negative anywhere, and f is not convex.

    αf(x) + (1 − α)f(y) − f(αx + (1 − α)y)            {eq}`eq-calculus-convex`
    """
    return float(alpha * f(x) + (1 - alpha) * f(y) - f(alpha * x + (1 - alpha) * y))


@checked
def tangent_gap(f: Callable[[Any], Any], x: Float[ndarray, "*d"], y: Float[ndarray, "*d"]) -> float:
    """How far f at y lies above its tangent plane at x; negative anywhere, and f is not convex.

    f(y) − f(x) − ∇f(x)ᵀ(y − x)                       {eq}`eq-calculus-tangent`
    """
    return float(f(y) - f(x) - np.sum(bare(difference_gradient)(f, x) * (y - x)))


@checked
def least_curvature(f: Callable[[Any], Any], x: Float[ndarray, "d"]) -> float:
    """The curvature of f at x in the direction that curves least, an eigenvalue of the Hessian.

    λ_min(H) = min over ‖v‖ = 1 of vᵀHv               {eq}`eq-calculus-curvature`
    """
    H = bare(difference_hessian)(f, x)
    return float(np.linalg.eigvalsh((H + H.T) / 2)[0])


@checked(h=above(0))
def subdifferential(f: Callable[[Any], Any], x: float, h: float = 1e-6) -> tuple[float, float]:
    """The slopes of all lines through (x, f(x)) that stay below a convex f of one number: least and greatest.

    ∂f(x) = [f′(x−), f′(x+)]                          {eq}`eq-calculus-subgradient`

    One-sided differences find them: exact for straight pieces longer than h, within about ½h|f″| elsewhere.
    """
    return float(f(x) - f(x - h)) / h, float(f(x + h) - f(x)) / h
