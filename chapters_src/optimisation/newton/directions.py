"""Directions that know the curvature: Newton's step, and one that never goes up."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.descent import Landscape

__all__ = ["downhill_newton", "newton"]


@checked
def newton(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """To the stationary point of the parabola that fits f at θ, which may be a maximum or a saddle.

    p = −(∇²f(θ))⁻¹ ∇f(θ)                             {eq}`eq-newton-step`
    """
    try:
        return np.linalg.solve(f.hessian(theta), -g)
    except np.linalg.LinAlgError:
        refuse("the Hessian", "have an inverse; try downhill_newton", "a singular matrix")


@checked
def downhill_newton(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """Newton's step with every curvature taken by absolute value, so that it goes down, or nowhere.

    p = −V diag(1/|λ|) Vᵀ ∇f(θ),  ∇²f(θ) = V diag(λ) Vᵀ      {eq}`eq-newton-downhill`

    Curvatures below 10⁻⁸ of the largest count as that much; where all are above it, this is `newton`.
    """
    curvature, V = np.linalg.eigh(f.hessian(theta))
    size = np.abs(curvature)
    size = np.maximum(size, 1e-8 * max(float(size.max()), 1e-300))
    return -V @ ((V.T @ g) / size)
