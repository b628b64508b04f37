"""Where in the plane each class has the largest logit."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, ndarray

__all__ = ["class_region"]


def _a_class(ask: Ask, k: Any) -> Any:
    """Read the number of a column of W."""
    if not 0 <= k < ask.lengths["K"]:
        ask.fail(f"be a class number from 0 to {ask.lengths['K'] - 1}", k)
    return k


@checked(k=_a_class)
def class_region(
    W: Float[ndarray, "3 K"], k: int, corners: Float[ndarray, "m 2"]
) -> Float[ndarray, "corners 2"]:
    """The part of a convex polygon in which class k has the largest logit; no corners if there is none.

    {x : aₖ ≥ aⱼ for all j},  a = Wᵀ(1, x)             {eq}`eq-softmax-region`

    Each rival cuts the polygon along a straight line, so what remains is convex.
    """
    region = corners
    for rival in range(W.shape[1]):
        lead = W[0, k] - W[0, rival] + region @ (W[1:, k] - W[1:, rival])
        region = _where_ahead(region, lead)
    return region


def _where_ahead(corners: Float[ndarray, "m 2"], lead: Float[ndarray, "m"]) -> Float[ndarray, "corners 2"]:
    """The part of a polygon on which a linear function, known at its corners, is at least 0."""
    kept = []
    for i in range(len(corners)):
        here, there = corners[i - 1], corners[i]
        if min(lead[i - 1], lead[i]) < 0 < max(lead[i - 1], lead[i]):  # the side is cut where the lead is 0
            kept.append(here + lead[i - 1] / (lead[i - 1] - lead[i]) * (there - here))
        if lead[i] >= 0:
            kept.append(there)
    return np.reshape(kept, (-1, 2))
