"""Sequential minimal optimisation: the dual, two weights at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.support_vectors.dual import SupportVectors, gram_matrix
from chapters_src.models.support_vectors.fast import smo_fast
from chapters_src.models.support_vectors.margins import two_classes

__all__ = ["Boundary", "max_margin", "smo"]


@checked(K=gram_matrix, y=two_classes, C=above(0), tolerance=above(0), steps=at_least(0))
def smo(
    K: Float[ndarray, "n n"],
    y: Float[ndarray, "n"],
    C: float,
    tolerance: float = 1e-6,
    steps: int = 100_000,
) -> SupportVectors:
    """Maximise the dual by moving the pair of weights that disagrees most about b, until none does.

    αᵢ ← αᵢ + yᵢt,  αⱼ ← αⱼ − yⱼt,  t = (Eⱼ − Eᵢ)/(Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ)      {eq}`eq-support-vectors-pair`

    t is cut so that both stay between 0 and C.
    """
    alpha = np.zeros(len(y))
    for step in range(steps + 1):
        E = K @ (alpha * y) - y  # errors of the scores without b
        may_rise = np.where(y > 0, alpha < C, alpha > 0)  # whether yᵢαᵢ may
        may_fall = np.where(y > 0, alpha > 0, alpha < C)
        i = np.where(may_rise, E, np.inf).argmin()
        j = np.where(may_fall, E, -np.inf).argmax()
        converged = bool(E[j] - E[i] <= tolerance)
        if converged or step == steps:
            break
        t = (E[j] - E[i]) / max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)  # 0 for twins
        room_i = C - alpha[i] if y[i] > 0 else alpha[i]
        room_j = alpha[j] if y[j] > 0 else C - alpha[j]
        t = min(t, room_i, room_j)
        alpha[i] = np.clip(alpha[i] + y[i] * t, 0, C)  # against rounding
        alpha[j] = np.clip(alpha[j] - y[j] * t, 0, C)
    alpha[alpha < 1e-12 * C] = 0.0  # what rounding left of a weight
    return SupportVectors(alpha, -float(E[i] + E[j]) / 2, converged, step)


class Boundary(NamedTuple):
    """A linear boundary wᵀx + b = 0 and the weights α of the examples that it rests on."""

    w: Float[ndarray, "d"]
    b: float
    alpha: Float[ndarray, "n"]


@checked(y=two_classes, C=above(0), tolerance=above(0))
def max_margin(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], C: float, tolerance: float = 1e-9
) -> Boundary:
    """The boundary of the linear support vector machine; with a very large C, that of the hard margin.

    w = Σᵢ αᵢyᵢxᵢ                                     {eq}`eq-support-vectors-stationary`
    """
    found = smo_fast(X @ X.T, y, C, tolerance)
    return Boundary(X.T @ (found.alpha * y), found.b, found.alpha)
