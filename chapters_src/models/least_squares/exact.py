"""Least squares in fractions, to count how many digits a solver in floats got right."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy import ndarray

__all__ = ["exact_least_squares", "right_digits"]


def exact_least_squares(X: ndarray, y: ndarray) -> list[Fraction]:
    """Solve the normal equations in fractions, where forming XᵀX costs nothing."""
    A = [[Fraction(float(v)) for v in row] for row in X]
    b = [Fraction(float(v)) for v in y]
    d = X.shape[1]
    rows = [
        [
            *(sum((r[i] * r[j] for r in A), Fraction()) for j in range(d)),
            sum((r[i] * t for r, t in zip(A, b, strict=True)), Fraction()),
        ]
        for i in range(d)
    ]
    for i in range(d):
        pivot = next(k for k in range(i, d) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(d):
            if k != i:
                rows[k] = [v - rows[k][i] * w for v, w in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def right_digits(theta: ndarray, exact: list[Fraction]) -> float:
    """How many digits of the largest coefficient are right, from 0 to 16."""
    wrong = max(abs(Fraction(float(t)) - e) for t, e in zip(theta, exact, strict=True))
    ratio = float(wrong / max(map(abs, exact)))
    return min(16.0, max(0.0, -np.log10(ratio))) if ratio > 0 else 16.0
