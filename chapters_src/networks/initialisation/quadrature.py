"""Means over Gaussian pre-activations, by quadrature whose panels end where an activation has its kink."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["gaussian_mean", "gaussian_pair_mean"]

EntryByEntry = Callable[[Float[ndarray, "*shape"]], Float[ndarray, "*shape"]]

FARTHEST = 9.0  # in standard deviations; what lies beyond has probability 2 · 10⁻¹⁹
RADII, RADIUS_WEIGHTS = (FARTHEST / 2 * part for part in np.polynomial.legendre.leggauss(60))
RADII = RADII + FARTHEST / 2  # from 0 to FARTHEST
ANGLES, ANGLE_WEIGHTS = np.polynomial.legendre.leggauss(32)  # on (−1, 1), for each panel


@checked(q=at_least(0))
def gaussian_mean(f: EntryByEntry, q: float) -> float:
    """E f(a) for a ~ N(0, q), for an f of each entry that is smooth but for a kink at 0.

    ∫ f(√q u) e^(−u²/2)/√(2π) du, with half of the points on either side of 0   {eq}`eq-initialisation-mean`
    """
    density = np.exp(-(RADII**2) / 2) / np.sqrt(2 * np.pi)
    a = np.sqrt(q) * RADII
    return float(np.sum(RADIUS_WEIGHTS * density * (f(a) + f(-a))))


@checked(q=at_least(0), rho=between(-1, 1))
def gaussian_pair_mean(f: EntryByEntry, q: float, rho: float) -> float:
    """E f(a)f(a′) for a and a′ ~ N(0, q) with correlation ρ, for an f that is smooth but for a kink at 0.

    a = √q r cos ω,  a′ = √q r cos(ω − arccos ρ)   {eq}`eq-initialisation-likeness`

    In polar coordinates a = 0 and a′ = 0 are fixed angles, and between them nothing has a kink.
    """
    between_them = np.arccos(rho)
    ends = np.array([-0.5, between_them / np.pi - 0.5, 0.5, between_them / np.pi + 0.5, 1.5]) * np.pi
    half = np.diff(ends)[:, None] / 2
    angle = (ends[:-1, None] + half * (1 + ANGLES)).ravel()  # (4 · 32,)
    weights = np.outer((half * ANGLE_WEIGHTS).ravel(), RADIUS_WEIGHTS * RADII * np.exp(-(RADII**2) / 2))
    a, other = (np.sqrt(q) * np.outer(np.cos(way), RADII) for way in (angle, angle - between_them))
    return float(np.sum(weights * f(a) * f(other)) / (2 * np.pi))
