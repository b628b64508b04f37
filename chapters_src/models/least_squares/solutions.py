"""The coefficients that make the squared error least, from the singular values of X or from XᵀX."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["least_squares", "normal_equations"]


@checked(ridge=at_least(0))
def least_squares(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], ridge: float = 0.0
) -> Float[ndarray, "d *k"]:
    """Minimise ‖Xθ − y‖² + λ‖θ‖² exactly, with λ = ``ridge``; the shortest such θ if there are several.

    θ̂ = (XᵀX + λI)⁻¹Xᵀy = V diag(s / (s² + λ)) Uᵀy,  X = U diag(s) Vᵀ      {eq}`eq-shrinkage-ridge`

    XᵀX is never formed, because that would square the condition number.
    """
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    # What rounding alone could have produced counts as zero, as numpy.linalg.lstsq has it.
    keep = s > np.finfo(float).eps * max(X.shape) * s[0]
    s = s[keep]
    return Vt[keep].T @ ((U[:, keep] / (s + ridge / s)).T @ y)


@checked(ridge=at_least(0))
def normal_equations(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], ridge: float = 0.0
) -> Float[ndarray, "d *k"]:
    """Solve the normal equations as they stand: short, quick, and wrong for nearly dependent columns.

    (XᵀX + λI) θ = Xᵀy                                {eq}`eq-least-squares-normal`

    With cond(X) = 10⁸ no digit is left, because cond(XᵀX) = cond(X)². Kept to show that; use `least_squares`.
    """
    d = X.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        square, product = X.T @ X, X.T @ y
    if not (np.isfinite(square).all() and np.isfinite(product).all()):
        refuse("X", "be small enough to square", f"a largest entry of {np.abs(X).max():g}")
    try:
        return np.linalg.solve(square + ridge * np.eye(d), product)
    except np.linalg.LinAlgError:
        rank = np.linalg.matrix_rank(X)
        rule = "have independent columns, because XᵀX is singular otherwise and has no inverse"
        nearly = ", but nearly dependent ones" if rank == d else ""
        refuse("X", rule, f"rank {rank} with {d} columns{nearly}")
