"""The quickest look at every entry of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["sum_of_squares"]


def sum_of_squares(array: np.ndarray) -> Any:
    """NaN if an entry is NaN, and else not; finite only if every entry is.

    One product without a second array of the size of the first. Squares may overflow: then it is infinite.
    """
    flat = array.reshape(-1)
    return flat @ flat
