"""Gamma numbers from normal and uniform ones, by keeping some proposals and rejecting the others."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["log_standard_gamma", "standard_gamma"]

BLOCK = 20_000  # proposals at a time: few enough for the cache


@checked(shape=above(0), n=at_least(1))
def standard_gamma(shape: float, n: int, rng: np.random.Generator) -> Float[ndarray, "n"]:
    """n gamma numbers of rate 1 by the method of Marsaglia and Tsang (2000).

    A cubed, nearly normal number has nearly this density; each is kept with the probability that mends the
    rest, and at least 95 in 100 are kept. For a shape a below 1,
    y is drawn with shape a + 1, and y·u^(1/a) is returned.
    """
    if shape < 1:
        return np.exp(log_standard_gamma(shape, n, rng))
    kept = np.empty(n)
    filled = 0
    while filled < n:
        more = _proposals(shape, min(BLOCK, n - filled), rng)
        kept[filled : filled + len(more)] = more
        filled += len(more)
    return kept


@checked(shape=above(0), n=at_least(1))
def log_standard_gamma(shape: float, n: int, rng: np.random.Generator) -> Float[ndarray, "n"]:
    """Logarithms of n gamma numbers, which stay finite where the numbers themselves round to 0."""
    if shape < 1:
        return np.log(standard_gamma(shape + 1, n, rng)) + np.log(1 - rng.random(n)) / shape
    return np.log(standard_gamma(shape, n, rng))


def _proposals(shape: float, n: int, rng: np.random.Generator) -> Float[ndarray, "m"]:
    d = shape - 1 / 3
    z = rng.standard_normal(n)
    v = 1 + z / np.sqrt(9 * d)
    v *= v * v
    z *= z
    u = 1 - rng.random(n)
    keep = u < 1 - 0.0331 * z * z  # nearly all, without a logarithm; v > 0 for them, as shape ≥ 1
    rest = np.flatnonzero(~keep & (v > 0))
    keep[rest] = np.log(u[rest]) < z[rest] / 2 + d * (1 - v[rest] + np.log(v[rest]))
    return d * v[keep]
