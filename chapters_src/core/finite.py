"""The quickest look at every entry of an array, and a unit in which none is too large to square."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["sum_of_squares", "unit_of"]


def sum_of_squares(array: np.ndarray) -> Any:
    """NaN if an entry is NaN, and else not; finite only if every entry is.

    One product without a second array of the size of the first. Squares may overflow: then it is infinite.
    """
    flat = array.reshape(-1)
    return flat @ flat


def unit_of(array: np.ndarray) -> float:
    """The power of two that makes the largest entry 1 or nearly 2: dividing by it rounds nothing."""
    return float(np.ldexp(1.0, np.frexp(np.abs(array).max())[1] - 1))
