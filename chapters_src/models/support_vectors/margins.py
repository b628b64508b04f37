"""How far points lie from a boundary, and what a soft margin charges for those that lie too near."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.risk import hinge_loss

__all__ = [
    "fit_hinge_descent",
    "signed_distances",
    "soft_margin",
    "soft_margin_subgradient",
    "two_classes",
]


def two_classes(ask: Ask, y: Any) -> Any:
    """Read labels −1 and 1 with at least one of each, or say what else was found."""
    strange = np.abs(y) != 1
    if strange.any():
        ask.fail("hold −1 and 1 alone", f"{y[strange][0]:g}")
    if abs(y.sum()) == len(y):
        ask.fail("hold both −1 and 1", f"{y[0]:g} throughout")
    return y


@checked(y=two_classes)
def signed_distances(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], w: Float[ndarray, "d"], b: float
) -> Float[ndarray, "n"]:
    """The distance of each point from the boundary wᵀx + b = 0, negative on the wrong side.

    yᵢ(wᵀxᵢ + b) / ‖w‖                                {eq}`eq-support-vectors-distance`
    """
    require(w.any(), "w", "have an entry other than 0, or there is no boundary", "zeros")
    return y * (X @ w + b) / np.linalg.norm(w)


@checked(y=two_classes, C=above(0))
def soft_margin(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], w: Float[ndarray, "d"], b: float, C: float
) -> float:
    """What the soft margin minimises: half the squared length of w, and C for each unit of slack.

    P(w, b) = ½‖w‖² + C Σᵢ max(0, 1 − yᵢ(wᵀxᵢ + b))    {eq}`eq-support-vectors-hinge`
    """
    return 0.5 * float(w @ w) + C * float(hinge_loss(y, X @ w + b).sum())


@checked(y=two_classes, C=above(0))
def soft_margin_subgradient(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], w: Float[ndarray, "d"], b: float, C: float
) -> tuple[Float[ndarray, "d"], float]:
    """A subgradient of `soft_margin` by w and by b: only points inside their margin pull.

    (w − C Σᵢ aᵢyᵢxᵢ,  −C Σᵢ aᵢyᵢ),  aᵢ = [yᵢ(wᵀxᵢ + b) < 1]      {eq}`eq-support-vectors-subgradient`
    """
    pull = C * y * (y * (X @ w + b) < 1)
    return w - X.T @ pull, -float(pull.sum())


@checked(y=two_classes, C=above(0), steps=at_least(1))
def fit_hinge_descent(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], C: float, steps: int = 1000) -> Fit:
    """Walk down `soft_margin` with steps of length 1/t along subgradients; θ = (b, w) is the best one met.

    θₜ₊₁ = θₜ − gₜ/(t + nC)                           {eq}`eq-support-vectors-subgradient`

    A subgradient does not shrink near the minimum, so the steps have to; nC keeps the first ones short.
    """
    w, b = np.zeros(X.shape[1]), 0.0
    best, losses = np.append(b, w), [bare(soft_margin)(X, y, w, b, C)]
    least = losses[0]
    for t in range(1, steps + 1):
        slope_w, slope_b = bare(soft_margin_subgradient)(X, y, w, b, C)
        rate = 1.0 / (t + len(y) * C)
        w, b = w - rate * slope_w, b - rate * slope_b
        losses.append(bare(soft_margin)(X, y, w, b, C))
        if losses[-1] <= least:
            best, least = np.append(b, w), losses[-1]
    return Fit(best, np.array(losses), False, steps)
