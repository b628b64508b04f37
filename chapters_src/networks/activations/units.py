"""When a ReLU unit is dead: on the examples at hand, and on every input of a box."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import beyond
from chapters_src.core.shapes import Bool, Float, ndarray

__all__ = ["highest_preactivation", "is_dead"]


@checked
def is_dead(a: Float[ndarray, "n units"]) -> Bool[ndarray, "units"]:
    """For each unit whether its pre-activation is at most 0 on every example.

    A ReLU then puts out 0 and has slope 0, so no example changes its weights.
    """
    return np.asarray((a <= 0).all(axis=0))


@checked(high=beyond("low"))
def highest_preactivation(
    W: Float[ndarray, "d units"], b: Float[ndarray, "units"], low: float = 0.0, high: float = 1.0
) -> Float[ndarray, "units"]:
    """The largest pre-activation that inputs between low and high can give each unit.

    max a = b + Σⱼ max(low·wⱼ, high·wⱼ)               {eq}`eq-activations-highest`

    Where it is not positive, a ReLU unit is dead for all inputs of the box, seen or not.
    """
    return np.asarray(b + np.maximum(low * W, high * W).sum(axis=0))
