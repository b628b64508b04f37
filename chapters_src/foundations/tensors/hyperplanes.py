"""How far points lie from a hyperplane, on which side, and where they land on it."""

from __future__ import annotations

from math import hypot

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.shapes import Float, ndarray

__all__ = ["project", "signed_distance"]


@checked
def signed_distance(X: Float[ndarray, "n d"], w: Float[ndarray, "d"], b: float) -> Float[ndarray, "n"]:
    """How far each row of X lies from the hyperplane wᵀx + b = 0, positive on the side to which w points.

    d(x) = (wᵀx + b) / ‖w‖                            {eq}`eq-tensors-distance`
    """
    length = _length(w)
    return X @ (w / length) + b / length


@checked
def project(X: Float[ndarray, "n d"], w: Float[ndarray, "d"], b: float) -> Float[ndarray, "n d"]:
    """The point of the hyperplane wᵀx + b = 0 nearest to each row of X.

    p = x − d(x) w / ‖w‖                              {eq}`eq-tensors-projection`
    """
    unit = w / _length(w)
    return X - np.outer(signed_distance(X, w, b), unit)


def _length(w: ndarray) -> float:
    """‖w‖, which `hypot` takes without squaring, so that it neither overflows nor vanishes."""
    require(w.any(), "w", "have an entry other than 0, or wᵀx + b = 0 is no hyperplane", "zeros")
    return hypot(*w)
