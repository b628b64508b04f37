"""Whether a likelihood has a largest value at all: with separated data it only has a direction to grow in."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from chapters_src.core.contract import checked, unread
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic.probabilities import zero_or_one

__all__ = ["grows_for_ever", "may_run_away", "separates"]

CERTAIN = 15.0  # a logit beyond which a fit may be on its way to infinity: p is within 3e-7 of 0 or 1
LENIENT = 1e-6  # a tolerance above which a fit may stop before it gets there


@unread
def may_run_away(largest: float, tolerance: float) -> bool:
    """Whether a fit that came to rest, with logits up to this size, may have been on its way to infinity."""
    return largest > CERTAIN or tolerance > LENIENT


@checked(y=zero_or_one)
def separates(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], theta: Float[ndarray, "d"]) -> bool:
    """Whether θ has every example strictly on its side, so that 2θ, 3θ, … lower the loss for ever."""
    return bool(((X @ theta) * (2 * y - 1) > 0).all())


@unread
def grows_for_ever(A: Float[ndarray, "m d"], level: Float[ndarray, "k d"] | None = None) -> bool:
    """Whether some direction v has Av ≥ 0 with one entry above 0, and ``level`` v = 0.

    Along such a direction a likelihood rises for ever: each example gets more certain or stays as it is.
    It is found by a linear program, max 1ᵀAv over −1 ≤ v ≤ 1.
    """
    scale = np.abs(A).max(axis=1, keepdims=True)
    rows = A[scale[:, 0] > 0] / scale[scale > 0][:, None]
    if len(rows) == 0:
        return False
    even = None if level is None or len(level) == 0 else level
    best = linprog(
        -rows.sum(axis=0),
        A_ub=-rows,
        b_ub=np.zeros(len(rows)),
        A_eq=even,
        b_eq=None if even is None else np.zeros(len(even)),
        bounds=(-1, 1),
    )
    return bool(best.success and -best.fun > 1e-7)
