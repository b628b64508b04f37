"""Newton's method for a convex function, with steps halved until they help."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from chapters_src.core.fit import Fit
from chapters_src.core.shapes import Float, ndarray

__all__ = ["lowered", "minimise_newton"]

Expansion = Callable[[ndarray], tuple[float, ndarray, ndarray]]


def minimise_newton(
    loss: Callable[[ndarray], float],
    expansion: Expansion,
    theta: Float[ndarray, "d"],
    steps: int,
    tolerance: float,
) -> Fit:
    """Walk to the minimum of a convex function, each step to the minimum of its second-order expansion.

    θₜ₊₁ = θₜ − s·H(θₜ)⁻¹∇L(θₜ),  s = 1, ½, ¼, …      {eq}`eq-logistic-newton`

    ``expansion`` gives loss, gradient and Hessian. s is the first that lowers the loss by a ten-thousandth of
    what the slope promises. The walk ends when no parameter moves by more than ``tolerance`` · (1 + max|θ|),
    which a loss without a minimum never grants. θⱼ is measured in units of 1/√Hⱼⱼ at the start, so that
    it makes no difference whether a feature came in metres or in nanometres.
    """
    here, (height, gradient, hessian) = theta, expansion(theta)
    unit = np.sqrt(np.maximum(np.diag(hessian), 0.0))
    losses, converged = [height], False
    while not converged and len(losses) <= steps:
        step = _solve(hessian, gradient)
        converged = bool(np.abs(unit * step).max() <= tolerance * (1 + np.abs(unit * here).max()))
        share, there = 1.0, here - step
        # The last step needs no curvature at its end.
        lower, *slopes = (loss(there),) if converged else expansion(there)
        while not lowered(height, lower, share * float(gradient @ step)) and share > 1e-10:
            share, slopes = share / 2, []
            there = here - share * step
            lower = loss(there)
        if not lowered(height, lower, 0.0):  # no share of the step helped
            there, lower = here, height
        here, height = there, lower
        losses.append(height)
        if not converged:
            gradient, hessian = slopes or expansion(here)[1:]
    return Fit(here, np.array(losses), converged, len(losses) - 1)


def lowered(height: float, lower: float, promised: float) -> bool:
    """Whether the loss fell enough; near the bottom a fall is smaller than rounding, hence the last term."""
    return lower <= height - 1e-4 * promised + 1e-14 * abs(height)


def _solve(H: Float[ndarray, "d d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """H⁻¹g, or the shortest of the best answers where H is singular, as for repeated columns."""
    if not (np.isfinite(H).all() and np.isfinite(g).all()):
        raise OverflowError("the expansion is not finite")  # the caller's contract names the argument
    try:
        root = cho_factor(H)
    except LinAlgError:  # not positive definite
        return np.linalg.lstsq(H, g, rcond=None)[0]
    pivots = np.diag(root[0]) / np.sqrt(np.diag(H))
    if pivots.min() < 1e-7:  # positive by rounding only
        return np.linalg.lstsq(H, g, rcond=1e-13)[0]
    return cho_solve(root, g)
