"""Two more maps that can be undone: a push along one direction, and a curve of rational pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, above
from chapters_src.core.shapes import Float, ndarray

__all__ = ["planar", "planar_inverse", "spline", "spline_inverse"]


def _pushes_forward(ask: Ask, u: Any) -> Any:
    slope = float(np.dot(ask.arguments["w"], u))
    ask.require(slope > -1, "have wᵀu above −1, or the map folds", f"wᵀu = {slope:.3g}")
    return u


@checked(u=_pushes_forward)
def planar(
    z: Float[ndarray, "n d"], w: Float[ndarray, "d"], u: Float[ndarray, "d"], b: float
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "n"]]:
    """Push every point along u, by an amount that depends on wᵀz alone; and log|det| of the map.

    x = z + u·tanh(wᵀz + b),  det = 1 + wᵀu·(1 − tanh²)     {eq}`eq-flows-planar`
    """
    bent = np.tanh(z @ w + b)
    return z + bent[:, None] * u, np.log1p((w @ u) * (1 - bent**2))


@checked(u=_pushes_forward)
def planar_inverse(
    x: Float[ndarray, "n d"], w: Float[ndarray, "d"], u: Float[ndarray, "d"], b: float
) -> Float[ndarray, "n d"]:
    """Undo `planar`: wᵀz is the one root of α + wᵀu·tanh(α + b) = wᵀx, found by halving an interval."""
    target, slope = x @ w, float(w @ u)
    low, high = target - abs(slope), target + abs(slope)
    for _ in range(70):
        middle = (low + high) / 2
        too_low = middle + slope * np.tanh(middle + b) < target
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return x - np.tanh(low + b)[:, None] * u


def _rising(ask: Ask, knots: Any) -> Any:
    ask.require(
        len(knots) >= 2 and bool((np.diff(knots) > 0).all()), "rise, and be two numbers or more", knots
    )
    return knots


def _pieces(at: Any, where: Any, x_knots: Any, y_knots: Any, slopes: Any) -> Any:
    """For each number its piece: left ends, width, height, their ratio, the slopes at both ends."""
    require(
        where[0] <= at.min() and at.max() <= where[-1], "at", f"be from {where[0]:g} to {where[-1]:g}", at
    )
    k = np.clip(np.searchsorted(where, at, side="right") - 1, 0, len(where) - 2)
    w, h = np.diff(x_knots)[k], np.diff(y_knots)[k]
    return x_knots[k], y_knots[k], w, h, h / w, slopes[k], slopes[k + 1]


@checked(x_knots=_rising, y_knots=_rising, slopes=above(0))
def spline(
    at: Float[ndarray, "n"],
    x_knots: Float[ndarray, "k"],
    y_knots: Float[ndarray, "k"],
    slopes: Float[ndarray, "k"],
) -> tuple[Float[ndarray, "n"], Float[ndarray, "n"]]:
    """A rising curve through the knots with these slopes there, and the logarithm of its derivative.

    y = y₀ + h(rξ² + δ₀ξ(1 − ξ))/(r + (δ₁ + δ₀ − 2r)ξ(1 − ξ))     {eq}`eq-flows-spline`

    Within a piece, ξ runs from 0 to 1, h is its height and r its mean slope; the pieces join with equal
    slopes.
    """
    x0, y0, w, h, r, d0, d1 = _pieces(at, x_knots, x_knots, y_knots, slopes)
    xi = (at - x0) / w
    both = xi * (1 - xi)
    below = r + (d1 + d0 - 2 * r) * both
    slope = r**2 * (d1 * xi**2 + 2 * r * both + d0 * (1 - xi) ** 2) / below**2
    return y0 + h * (r * xi**2 + d0 * both) / below, np.log(slope)


@checked(x_knots=_rising, y_knots=_rising, slopes=above(0))
def spline_inverse(
    at: Float[ndarray, "n"],
    x_knots: Float[ndarray, "k"],
    y_knots: Float[ndarray, "k"],
    slopes: Float[ndarray, "k"],
) -> Float[ndarray, "n"]:
    """Undo `spline`: on each piece ξ is a root of aξ² + bξ + c = 0, taken in the form that does not cancel.

    ξ = 2c/(−b − √(b² − 4ac))                         {eq}`eq-flows-spline-inverse`
    """
    x0, y0, w, h, r, d0, d1 = _pieces(at, y_knots, x_knots, y_knots, slopes)
    up, bend = at - y0, d1 + d0 - 2 * r
    a = h * (r - d0) + up * bend
    b = h * d0 - up * bend
    c = -r * up
    return x0 + w * 2 * c / (-b - np.sqrt(b**2 - 4 * a * c))
