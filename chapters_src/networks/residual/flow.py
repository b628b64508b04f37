"""Many thin blocks as steps along a flow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["euler_path"]


@checked(blocks=at_least(1), time=above(0))
def euler_path(
    f: Callable[[np.ndarray], np.ndarray], h: Float[ndarray, "*shape"], blocks: int, time: float = 1.0
) -> Float[ndarray, "_ *shape"]:
    """Where h is at first and after each block h ← h + (time/blocks)·f(h), {eq}`eq-residual-euler`."""
    path = [h]
    for _ in range(blocks):
        path.append(path[-1] + time / blocks * f(path[-1]))
    return np.array(path)
