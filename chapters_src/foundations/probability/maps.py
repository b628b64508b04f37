"""New distributions from old ones, by a map whose stretching is accounted for."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.probability.vectors import multivariate_normal

__all__ = ["box_muller", "ring", "ring_log_density"]


@checked(n=at_least(1))
def box_muller(n: int, rng: np.random.Generator) -> Float[ndarray, "n 2"]:
    """Pairs of independent standard normal numbers from pairs of uniform ones.

    (z₁, z₂) = √(−2 log u) (cos 2πv, sin 2πv)         {eq}`eq-probability-box-muller`
    """
    radius, angle = np.sqrt(-2 * np.log(1 - rng.random(n))), 2 * np.pi * rng.random(n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


@checked(alpha=above(0))
def ring(z: Float[ndarray, "n d"], alpha: float) -> Float[ndarray, "n d"]:
    """Push every point away from the origin by 1, and shrink the rest.

    g(z) = z/α + z/‖z‖                                {eq}`eq-probability-ring`
    """
    length = np.linalg.norm(z, axis=1, keepdims=True)
    require(length.all(), "z", "have no row of zeros, which has no direction", "one")
    return z / alpha + z / length


@checked(alpha=above(0))
def ring_log_density(x: Float[ndarray, "n d"], alpha: float) -> Float[ndarray, "n"]:
    """The log-density of g(z) for a standard normal z: that of z, less the logarithm of the stretching.

    log p(x) = log N(z; 0, I) − log det J,  det J = (1/α)(1/α + 1/‖z‖)ᵈ⁻¹     {eq}`eq-probability-ring`
    """
    d = x.shape[1]
    length = np.linalg.norm(x, axis=1)
    outside = length > 1  # nothing is mapped to the inside
    before = alpha * (np.where(outside, length, 2.0) - 1)  # ‖z‖
    z = x / np.where(outside, length, 1.0)[:, None] * before[:, None]
    stretching = -np.log(alpha) + (d - 1) * np.log(1 / alpha + 1 / before)
    value = multivariate_normal(np.zeros(d), np.eye(d)).log_density(z) - stretching
    return np.where(outside, value, -np.inf)
