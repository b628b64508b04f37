"""What a fixed learning rate does on a quadratic, from its curvatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above
from chapters_src.core.shapes import Float, ndarray

__all__ = ["best_rate", "convergence_factor", "positive_definite", "rate_bound", "symmetric"]


def symmetric(ask: Ask, H: Any) -> Any:
    """Read a square matrix that is equal to its transpose."""
    ask.require(
        H.shape[0] == H.shape[1] and np.allclose(H, H.T, rtol=1e-12, atol=0),
        "be square and equal to its transpose",
        f"shape {H.shape}",
    )
    return H


def positive_definite(ask: Ask, H: Any) -> Any:
    """Read a symmetric matrix whose curvatures are all above 0."""
    lowest = np.linalg.eigvalsh(symmetric(ask, H))[0]
    ask.require(lowest > 0, "be positive definite", f"an eigenvalue of {lowest:.3g}")
    return H


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
