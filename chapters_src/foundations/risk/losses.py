"""Losses: how one number says how wrong a prediction is, and which constant each of them prefers."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["best_constant", "hinge_loss", "huber_loss", "power_loss", "zero_one_loss"]


def _signs(ask: Ask, y: Any) -> Any:
    if not np.isin(y, (-1.0, 1.0)).all():
        ask.fail("hold −1 and 1 alone", f"{y[~np.isin(y, (-1.0, 1.0))].flat[0]:g}")
    return y


@checked(y=_signs)
def zero_one_loss(y: Float[ndarray, "n"], score: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """1 for each score whose sign is not the label, −1 or 1; a score of 0 decides nothing and is wrong.

    ℓ(y, s) = [y·s ≤ 0]                               {eq}`eq-risk-hinge`
    """
    return (y * score <= 0).astype(np.float64)


@checked(y=_signs)
def hinge_loss(y: Float[ndarray, "n"], score: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """What each margin y·s lacks to 1: it asks for the right sign, and for some distance from zero.

    ℓ(y, s) = max(0, 1 − y·s)                         {eq}`eq-risk-hinge`
    """
    return np.maximum(0.0, 1.0 - y * score)


@checked(exponent=above(0))
def power_loss(error: Float[ndarray, "*shape"], exponent: float = 2.0) -> Float[ndarray, "*shape"]:
    """The size of an error to some power: 1 is the absolute error, 2 the squared one.

    ℓ(e) = |e|ʳ,  e = ŷ − y,  r = ``exponent``        {eq}`eq-risk-power`
    """
    return np.asarray(np.abs(error) ** exponent)


@checked(delta=above(0))
def huber_loss(error: Float[ndarray, "*shape"], delta: float = 1.0) -> Float[ndarray, "*shape"]:
    """Half the square of a small error, and a straight line of the same slope from ``delta`` on.

    ℓ(e) = ½e² if |e| ≤ δ, else δ(|e| − ½δ)           {eq}`eq-risk-huber`
    """
    small = np.minimum(np.abs(error), delta)
    return np.asarray(small * (np.abs(error) - 0.5 * small))


@checked(exponent=at_least(1))
def best_constant(y: Float[ndarray, "n"], exponent: float = 2.0) -> float:
    """The one prediction for all outputs with the least sum of |y − c|ʳ: the mean at 2, the median at 1.

    ĉ = argmin_c Σᵢ |yᵢ − c|ʳ,  r = ``exponent``       {eq}`eq-risk-power`

    The slope of the sum grows with c, so halving the interval around its zero finds it.
    """
    if exponent == 1:
        return float(np.median(y))
    low, high = float(y.min()), float(y.max())
    while (middle := low + (high - low) / 2) not in (low, high):
        error = middle - y
        size = np.abs(error) / np.abs(error).max()  # at most 1, so that no power overflows
        if np.sum(np.sign(error) * size ** (exponent - 1)) > 0:
            high = middle
        else:
            low = middle
    return middle
