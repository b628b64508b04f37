"""Expectations over a Gaussian from a few points."""

from __future__ import annotations

from functools import cache

import numpy as np

from chapters_src.core.shapes import Float, ndarray

__all__ = ["normal_rule"]


@cache
def normal_rule(points: int) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"]]:
    """Gauss–Hermite nodes and weights for a mean over N(0, 1), kept because finding them takes longest."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    return nodes, weights / weights.sum()
