"""How much a class of predictors can fit: the labellings it reaches, and how well it follows random signs."""

from __future__ import annotations

from math import comb

import numpy as np
from scipy.optimize import linprog

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["cover_count", "labellings", "linear_rademacher"]


@checked
def labellings(X: Float[ndarray, "n d"]) -> int:
    """How many of the 2ⁿ ways to sort these points into two classes a half-space reaches.

    Point by point: a labelling of the first k points is kept if some half-space gives it.
    """
    A = np.column_stack([X, np.ones(len(X))])
    kept = [np.empty(0)]
    for k in range(1, len(X) + 1):
        tried = [np.append(signs, new) for signs in kept for new in (-1.0, 1.0)]
        kept = [signs for signs in tried if _separable(A[:k], signs)]
    return len(kept)


@checked(n=at_least(1), d=at_least(0))
def cover_count(n: int, d: int) -> int:
    """The same for n points in general position in d dimensions, by Cover's formula.

    2 Σₖ₌₀ᵈ (n−1 over k)                              {eq}`eq-generalisation-cover`
    """
    return 2 * sum(comb(n - 1, k) for k in range(d + 1))


@checked(radius=at_least(0))
def linear_rademacher(X: Float[ndarray, "n d"], signs: Float[ndarray, "m n"], radius: float = 1.0) -> float:
    """How well linear functions with ‖θ‖ ≤ ``radius`` follow random signs, a draw per row of ``signs``.

    mean over s of max_θ (1/n) Σᵢ sᵢθᵀxᵢ = (B/n) mean ‖Xᵀs‖   {eq}`eq-generalisation-rademacher`
    """
    return float(radius * np.mean(np.linalg.norm(signs @ X, axis=1)) / len(X))


def _separable(A: ndarray, signs: ndarray) -> bool:
    """Whether some θ has sᵢθᵀaᵢ ≥ 1 for every row: a linear program without an objective."""
    found = linprog(
        np.zeros(A.shape[1]), A_ub=-signs[:, None] * A, b_ub=-np.ones(len(A)), bounds=(None, None)
    )
    return found.status == 0
