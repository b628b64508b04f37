"""Slopes of random deep networks along a line of inputs, and how alike they are at neighbouring inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["autocorrelation", "slopes_by_depth"]


@checked(keep=between(0, 1), depths=at_least(0), width=at_least(1))
def slopes_by_depth(
    x: Float[ndarray, "n"], depths: Sequence[int], keep: float, rng: np.random.Generator, width: int = 100
) -> Float[ndarray, "_ n"]:
    """The slope dy/dx of a random network y(x) with as many blocks as each depth says, deepest included.

    A block is h ← keep·h + √(1 − keep²)·f(h) with f(h) = W ReLU(h) and He's weights, so that the size of h
    stays in expectation; keep 0 is a plain network. The tangent of h by x is carried along with h.
    """
    v = rng.normal(size=width) / np.sqrt(width)
    w, b = rng.normal(size=(2, width))
    h, tangent = x[:, None] * w + b, np.broadcast_to(w, (len(x), width))
    move, found = np.sqrt(1 - keep**2), {0: tangent @ v}
    for depth in range(1, max(depths) + 1):
        W = rng.normal(0, np.sqrt(2 / width), size=(width, width))
        tangent = keep * tangent + move * (np.where(h > 0, tangent, 0) @ W)
        h = keep * h + move * np.maximum(h, 0) @ W
        found[depth] = tangent @ v
    return np.array([found[depth] for depth in depths])


@checked(lags=at_least(0))
def autocorrelation(values: Float[ndarray, "n"], lags: Sequence[int]) -> Float[ndarray, "_"]:
    """The mean of c_i·c_{i+lag} divided by that of c_i², with c the values minus their mean."""
    require(max(lags) < len(values), "lags", f"be below {len(values)}, the number of values", max(lags))
    require(np.ptp(values) > 0, "values", "differ from one another", "one value repeated")
    c = values - values.mean()
    return np.array([np.mean(c[: len(c) - lag] * c[lag:]) for lag in lags]) / np.mean(c**2)
