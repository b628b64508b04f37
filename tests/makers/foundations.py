"""What the functions of the foundations part take that no annotation describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def total(x: Any) -> Any:
    """A function of a point with one value."""
    return np.sum(np.square(x))


DIFFERENCES = ("forward_difference", "central_difference", "difference_gradient")
OF_A_POINT = (
    "difference_jacobian",
    "difference_hessian",
    "linear_model",
    "quadratic_model",
    "chord_gap",
    "tangent_gap",
    "least_curvature",
    "subdifferential",
)

MAKERS: dict[str, Callable[[], Any]] = {
    **{f"{name}.f": lambda: total for name in DIFFERENCES + OF_A_POINT},
    **{f"{name}.x": lambda: np.array([0.5, 0.2, 0.7]) for name in DIFFERENCES},
    **{f"{name}.direction": lambda: np.array([0.1, -0.2, 0.3]) for name in DIFFERENCES[:2]},
}
