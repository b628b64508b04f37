"""What a fixed learning rate does on a quadratic, from its curvatures."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.covariances import positive_definite
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray

__all__ = ["best_rate", "convergence_factor", "rate_bound"]


@checked(H=positive_definite)
def rate_bound(H: Float[ndarray, "d e"]) -> float:
    """The learning rate from which on gradient descent on a quadratic no longer converges.

    η < 2/λ_max                                       {eq}`eq-descent-bound`
    """
    return 2.0 / float(np.linalg.eigvalsh(H)[-1])


@checked(H=positive_definite)
def best_rate(H: Float[ndarray, "d e"]) -> float:
    """The learning rate with the smallest `convergence_factor`, (κ − 1)/(κ + 1).

    η = 2/(λ_min + λ_max)                             {eq}`eq-descent-rate`
    """
    curvatures = np.linalg.eigvalsh(H)
    return 2.0 / float(curvatures[0] + curvatures[-1])


@checked(H=positive_definite, learning_rate=above(0))
def convergence_factor(H: Float[ndarray, "d e"], learning_rate: float) -> float:
    """What a step of gradient descent leaves, at worst, of the distance to the minimum; above 1 it diverges.

    maxᵢ |1 − ηλᵢ|                                    {eq}`eq-descent-factor`
    """
    return float(np.abs(1.0 - learning_rate * np.linalg.eigvalsh(H)).max())
