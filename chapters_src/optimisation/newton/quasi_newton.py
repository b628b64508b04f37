"""Directions that learn the curvature from gradients alone: BFGS, and L-BFGS with a short memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.descent import Landscape

__all__ = ["BFGS", "LBFGS", "bfgs_update", "lbfgs_product"]


@checked
def bfgs_update(
    G: Float[ndarray, "d d"], s: Float[ndarray, "d"], y: Float[ndarray, "d"]
) -> Float[ndarray, "d d"]:
    """The symmetric estimate G of the inverse Hessian after a step s that changed the gradient by y.

    G⁺ = (I − ρsyᵀ) G (I − ρysᵀ) + ρssᵀ,  ρ = 1/sᵀy           {eq}`eq-newton-bfgs`

    Multiplied out, which takes d² multiplications where the product of matrices takes d³.
    """
    _curved_upwards(float(s @ y))
    rho, Gy = 1 / (s @ y), G @ y
    return G - rho * (np.outer(s, Gy) + np.outer(Gy, s)) + (rho + rho**2 * (y @ Gy)) * np.outer(s, s)


@checked
def lbfgs_product(
    S: Float[ndarray, "m d"], Y: Float[ndarray, "m d"], g: Float[ndarray, "d"]
) -> Float[ndarray, "d"]:
    """G times g, where m updates with the rows of S and Y have made G from a multiple of the identity.

    G₀ = (sᵀy/yᵀy) I of the last row                          {eq}`eq-newton-two-loops`

    The matrix G is never formed: about 4md multiplications.
    """
    s_dot_y = np.sum(S * Y, axis=1)
    _curved_upwards(float(s_dot_y.min()))
    shares = np.zeros(len(S))
    for i in reversed(range(len(S))):
        shares[i] = S[i] @ g / s_dot_y[i]
        g = g - shares[i] * Y[i]
    g = s_dot_y[-1] / (Y[-1] @ Y[-1]) * g
    for i in range(len(S)):
        g = g + (shares[i] - Y[i] @ g / s_dot_y[i]) * S[i]
    return g


def _curved_upwards(s_dot_y: float) -> None:
    require(s_dot_y > 0, "y", "have a positive product with s", f"{s_dot_y:.3g}")


@dataclass
class BFGS:
    """A rule for directions that improves G, its estimate of the inverse Hessian, in every step of one walk.

    p = −G∇f(θ)

    A step along which the slope did not rise (sᵀy ≤ 0) teaches it nothing and is left out.
    """

    G: ndarray | None = None
    last: tuple[ndarray, ndarray] | None = None

    def __call__(self, f: Landscape, theta: ndarray, g: ndarray) -> ndarray:
        if self.last is not None:
            s, y = theta - self.last[0], g - self.last[1]
            if _teaches(s, y):
                first_guess = (s @ y) / (y @ y) * np.eye(len(s))
                self.G = bfgs_update(first_guess if self.G is None else self.G, s, y)
        self.last = theta, g
        return -g if self.G is None else -self.G @ g


@dataclass
class LBFGS:
    """BFGS that remembers only the last ``memory`` steps and changes of the gradient, for one walk."""

    memory: int = 10
    pairs: list[tuple[ndarray, ndarray]] = field(default_factory=list)
    last: tuple[ndarray, ndarray] | None = None

    def __call__(self, f: Landscape, theta: ndarray, g: ndarray) -> ndarray:
        if self.last is not None:
            s, y = theta - self.last[0], g - self.last[1]
            if _teaches(s, y):
                self.pairs = [*self.pairs, (s, y)][-self.memory :]
        self.last = theta, g
        if not self.pairs:
            return -g
        S, Y = (np.array(rows) for rows in zip(*self.pairs, strict=True))
        return -lbfgs_product(S, Y, g)


def _teaches(s: ndarray, y: ndarray) -> bool:
    """Whether the slope rose along s by more than rounding could have made it."""
    return bool(s @ y > 1e-10 * np.linalg.norm(s) * np.linalg.norm(y))
