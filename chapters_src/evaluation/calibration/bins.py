"""Does what is promised with probability p come true in a share p of the cases?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.logistic import zero_or_one

__all__ = ["Reliability", "brier_parts", "calibration_error", "reliability"]


class Reliability(NamedTuple):
    """One entry per bin that is not empty: how many forecasts, their mean, and the share that came true."""

    counts: Int[ndarray, "b"]
    promised: Float[ndarray, "b"]
    came_true: Float[ndarray, "b"]


@checked(p=between(0, 1), y=zero_or_one, bins=at_least(1))
def reliability(p: Float[ndarray, "n"], y: Float[ndarray, "n"], bins: int = 10) -> Reliability:
    """Sort forecasts p of events y into bins of equal width, and compare promise and outcome in each."""
    number = np.minimum((p * bins).astype(int), bins - 1)  # p = 1 belongs to the last bin
    _, number, counts = np.unique(number, return_inverse=True, return_counts=True)
    return Reliability(counts, np.bincount(number, p) / counts, np.bincount(number, y) / counts)


@checked(p=between(0, 1), y=zero_or_one, bins=at_least(1))
def calibration_error(p: Float[ndarray, "n"], y: Float[ndarray, "n"], bins: int = 10) -> float:
    """The expected calibration error: the mean gap between promise and outcome, bins weighted by size.

    ECE = Σ_b (n_b/n) |ȳ_b − p̄_b|                     {eq}`eq-calibration-ece`
    """
    counts, promised, came_true = reliability(p, y, bins)
    return float(counts @ np.abs(came_true - promised) / len(p))


@checked(p=between(0, 1), y=zero_or_one)
def brier_parts(p: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> tuple[float, float]:
    """The two parts of the mean of (y − p)²: calibration and refinement, over groups of equal forecasts.

    (1/n) Σᵢ(yᵢ − pᵢ)² = Σ_b w_b(p_b − c_b)² + Σ_b w_bc_b(1 − c_b)     {eq}`eq-calibration-brier`
    """
    said, group, counts = np.unique(p, return_inverse=True, return_counts=True)
    w, c = counts / len(p), np.bincount(group, y) / counts
    return float(w @ (said - c) ** 2), float(w @ (c * (1 - c)))
