"""Expectations computed exactly, so that a line of algebra about E[·] can be checked to rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.quadrature import normal_rule


def expect_discrete(f: Callable[[Any], Any], values: Any, probabilities: Any) -> Any:
    """E[f(x)] = Σᵢ pᵢ f(xᵢ), f called with one value at a time.

    A value of probability 0 is left out, so that 0 · log 0 counts as 0.
    """
    p = np.asarray(probabilities, dtype=float)
    if p.ndim != 1 or p.size == 0 or p.size != len(values):
        raise ValueError(
            f"expect_discrete: probabilities must have shape ({len(values)},), one per value; got {p.shape}"
        )
    if not (np.isfinite(p).all() and (p >= 0).all() and abs(p.sum() - 1) < 1e-9):
        raise ValueError(f"expect_discrete: probabilities must be at least 0 and sum to 1; got {p.tolist()}")
    return sum(weight * np.asarray(f(value)) for value, weight in zip(values, p, strict=True) if weight > 0)


def expect_gaussian(f: Callable[[float], Any], mean: float, variance: float, points: int = 64) -> Any:
    """E[f(x)] for x ~ N(mean, variance) by Gauss–Hermite quadrature.

    Exact for polynomials of degree below 2 · ``points``; accurate to rounding for smooth f that grows slower
    than the density falls.
    """
    if (
        np.ndim(mean)
        or np.ndim(variance)
        or not (np.isfinite(mean) and np.isfinite(variance) and variance >= 0)
    ):
        raise ValueError(
            "expect_gaussian: mean must be a finite number and variance one of at least 0; "
            f"got {mean!r} and {variance!r}"
        )
    nodes, weights = _standard_normal("expect_gaussian", points)
    x = mean + np.sqrt(variance) * nodes
    return sum(weight * np.asarray(f(value)) for value, weight in zip(x, weights, strict=True))


def expect_gaussian_pair(
    f: Callable[[float, float], Any], mean: Any, covariance: Any, points: int = 32
) -> Any:
    """E[f(u, v)] for (u, v) jointly Gaussian, by a product of two Gauss–Hermite rules.

    The covariance may be singular: its square root comes from the eigenvectors.
    """
    m, S = np.asarray(mean, dtype=float), np.asarray(covariance, dtype=float)
    if m.shape != (2,) or S.shape != (2, 2):
        raise ValueError(
            "expect_gaussian_pair: mean and covariance must have shapes (2,) and (2, 2); "
            f"got {m.shape} and {S.shape}"
        )
    if not (np.isfinite(m).all() and np.isfinite(S).all() and np.allclose(S, S.T, rtol=1e-12, atol=0)):
        raise ValueError(
            f"expect_gaussian_pair: covariance must be symmetric and everything finite; got {S.tolist()}"
        )
    spread, axes = np.linalg.eigh(S)
    if spread[0] < -1e-12 * abs(spread[1]):
        raise ValueError(
            f"expect_gaussian_pair: covariance must have no negative eigenvalue; got {spread[0]:.3g}"
        )
    root = axes * np.sqrt(np.maximum(spread, 0))
    nodes, weights = _standard_normal("expect_gaussian_pair", points)
    total: Any = 0.0
    for a, weight_a in zip(nodes, weights, strict=True):
        for b, weight_b in zip(nodes, weights, strict=True):
            u, v = m + root @ np.array([a, b])
            total = total + weight_a * weight_b * np.asarray(f(u, v))
    return total


def _standard_normal(caller: str, points: int) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(points, (int, np.integer)) or not 1 <= points <= 100:
        raise ValueError(f"{caller}: points must be a whole number from 1 to 100; got {points!r}")
    return normal_rule(points)
