"""Polynomials, the older universal family: through points, as the mean of a coin, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.approximation.hinges import values_at

__all__ = [
    "bernstein",
    "chebyshev_points",
    "monomials",
    "polynomial_through",
]


@checked(degree=between(1, 1000), x=between(0, 1))
def bernstein(f: Callable[[Any], Any], degree: int, x: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """Bernstein's polynomial of f on [0, 1]: the mean of f(K/n) over n tosses of a coin that falls 1 with x.

    B_n(x) = Σ_k f(k/n) C(n, k) xᵏ(1 − x)ⁿ⁻ᵏ          {eq}`eq-approximation-bernstein`
    """
    knots = np.arange(degree + 1) / degree
    values = values_at(f, knots)
    # de Casteljau's scheme: averages of neighbours only, so that nothing overflows and nothing cancels
    level = np.repeat(values[:, None], len(x), axis=1)  # (degree + 1, n)
    while len(level) > 1:
        level = (1 - x) * level[:-1] + x * level[1:]
    return level[0]


@checked(degree=at_least(0))
def chebyshev_points(degree: int) -> Float[ndarray, "m"]:
    """The places in (−1, 1) where to interpolate with a polynomial, dense at the ends.

    x_k = cos(π(k + ½)/(n + 1)),  k = 0, …, n         {eq}`eq-approximation-chebyshev`
    """
    return np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))[::-1]


@checked
def polynomial_through(
    nodes: Float[ndarray, "m"], values: Float[ndarray, "m"], x: Float[ndarray, "n"]
) -> Float[ndarray, "n"]:
    """The polynomial of degree m − 1 that passes through all m points, at x, in Lagrange's barycentric form.

    p(x) = Σ_k (w_k / (x − x_k)) f_k / Σ_k w_k / (x − x_k),  w_k = 1 / Π_{j≠k} (x_k − x_j)
    """
    gaps = nodes[:, None] - nodes + np.eye(len(nodes))
    with np.errstate(all="ignore"):
        weights = 1.0 / gaps.prod(axis=1)
        weights /= np.abs(weights).max()  # only their ratios count
    require(
        len(set(nodes.tolist())) >= len(nodes) and np.isfinite(weights).all(),
        "nodes",
        "be different, and not too many or too close",
        len(nodes),
    )
    away = x[:, None] - nodes
    rows, node = np.nonzero(away == 0)
    away[rows, node] = 1.0
    terms = weights / away
    with np.errstate(all="ignore"):
        result = terms @ values / terms.sum(axis=1)
    result[rows] = values[node]  # the formula has 0/0 at a node, where the value is known
    return result


@checked(inputs=between(1, 10**6), degree=between(0, 1000))
def monomials(inputs: int, degree: int) -> int:
    """How many coefficients a polynomial of that degree in d variables has.

    C(d + n, n)                                       {eq}`eq-approximation-monomials`
    """
    return comb(inputs + degree, degree)
