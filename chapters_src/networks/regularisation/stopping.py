"""Early stopping: on a quadratic, beside a penalty; and on a list of validation losses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Stop", "kept_by_penalty", "kept_by_stopping", "matching_penalty", "stop_early"]


class Stop(NamedTuple):
    """Which check of the validation loss was the best, and after which training ended, both from 0."""

    best: int
    last: int


@checked(curvatures=at_least(0), penalty=above(0))
def kept_by_penalty(curvatures: Float[ndarray, "d"], penalty: float) -> Float[ndarray, "d"]:
    """The share of the way to the minimum at which loss and penalty are in balance, per direction.

    c/(c + λ)                                          {eq}`eq-regularisation-penalty`
    """
    return curvatures / (curvatures + penalty)


@checked(curvatures=at_least(0), learning_rate=above(0), steps=at_least(0))
def kept_by_stopping(
    curvatures: Float[ndarray, "d"], learning_rate: float, steps: int
) -> Float[ndarray, "d"]:
    """The share of the way from zero to the minimum that descent has gone, per direction of the quadratic.

    1 − (1 − ηc)ᵗ                                      {eq}`eq-regularisation-stopping`
    """
    return 1 - (1 - learning_rate * curvatures) ** steps


@checked(curvatures=above(0), learning_rate=above(0), steps=at_least(1))
def matching_penalty(
    curvatures: Float[ndarray, "d"], learning_rate: float, steps: int
) -> Float[ndarray, "d"]:
    """The penalty that shrinks a direction as much as stopping does: at most 1/(ηt).

    λ = c/((1 − ηc)⁻ᵗ − 1)                             {eq}`eq-regularisation-match`
    """
    if (learning_rate * curvatures >= 1).any():
        refuse("learning_rate", "be below 1 over each curvature", learning_rate)
    with np.errstate(over="ignore"):  # after many steps nothing is left to shrink, and λ is 0
        return curvatures / ((1 - learning_rate * curvatures) ** -steps - 1)


@checked(patience=at_least(1))
def stop_early(losses: Float[ndarray, "t"], patience: int) -> Stop:
    """Stop at the first check by which the loss has not improved ``patience`` times; keep the best before."""
    best = 0
    for check, loss in enumerate(losses):
        if loss < losses[best]:
            best = check
        if check - best >= patience:
            return Stop(best, check)
    return Stop(best, len(losses) - 1)
