"""What a non-linear map does for classes that no line separates, and what polynomials can do instead."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "bernstein",
    "bernstein_error",
    "chebyshev_points",
    "disc_decision",
    "lifted",
    "monomials",
    "polynomial_through",
]


def lifted(X: Float[ndarray, "n 2"]) -> Float[ndarray, "n 3"]:
    """The plane with a third coordinate that pushes the open unit disc up and leaves the rest at 0.

    (x, y) ↦ (x, y, max(0, 1 − (x² + y²)))            {eq}`eq-shallow-lift`
    """
    X = checks.matrix("lifted", "X", X, columns=2, per="coordinate")
    with np.errstate(over="ignore"):
        return np.column_stack([X, np.maximum(0.0, 1.0 - np.sum(X**2, axis=1))])


def disc_decision(X: Float[ndarray, "n 2"]) -> Float[ndarray, "n"]:
    """One number that decides: 0 inside the unit disc, 1 on the circle and outside.

    D(x, y) = ⌈⌊x² + y²⌋ / (x² + y²)⌉,  D(0, 0) = 0   {eq}`eq-shallow-decision`
    """
    X = checks.matrix("disc_decision", "X", X, columns=2, per="coordinate")
    with np.errstate(over="ignore"):  # whoever is that far out is outside all the same
        squared = np.minimum(np.sum(X**2, axis=1), np.finfo(np.float64).max)
    share = np.divide(np.floor(squared), squared, out=np.zeros_like(squared), where=squared > 0)
    return np.ceil(share)


def bernstein(f: Callable[[Any], Any], degree: int, x: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """Bernstein's polynomial of f on [0, 1]: the mean of f(K/n) over n tosses of a coin that falls 1 with x.

    B_n(x) = Σ_k f(k/n) C(n, k) xᵏ(1 − x)ⁿ⁻ᵏ          {eq}`eq-shallow-bernstein`
    """
    degree = checks.integer("bernstein", "degree", degree, at_least=1, at_most=1000)
    x = checks.vector("bernstein", "x", x)
    if x.min() < 0 or x.max() > 1:
        checks.fail("bernstein", "x", "lie in [0, 1]", f"values from {x.min():g} to {x.max():g}")
    knots = np.arange(degree + 1) / degree
    values = checks.same_shape("bernstein", "f", f(knots), as_name="its argument", shape=knots.shape)
    # de Casteljau's scheme: averages of neighbours only, so that nothing overflows and nothing cancels
    level = np.repeat(values[:, None], len(x), axis=1)  # (degree + 1, n)
    while len(level) > 1:
        level = (1 - x) * level[:-1] + x * level[1:]
    return level[0]


def bernstein_error(lipschitz: float, degree: int) -> float:
    """How far Bernstein's polynomial of a Lipschitz function can be from it: the spread of a coin's mean.

    |B_n(x) − f(x)| ≤ L·√(x(1 − x)/n) ≤ L / 2√n       {eq}`eq-shallow-weierstrass`
    """
    lipschitz = checks.number("bernstein_error", "lipschitz", lipschitz, at_least=0)
    degree = checks.integer("bernstein_error", "degree", degree, at_least=1)
    return lipschitz / (2 * float(np.sqrt(degree)))


def chebyshev_points(degree: int) -> Float[ndarray, "m"]:
    """The places in (−1, 1) where to interpolate with a polynomial, dense at the ends.

    x_k = cos(π(k + ½)/(n + 1)),  k = 0, …, n         {eq}`eq-shallow-chebyshev`
    """
    degree = checks.integer("chebyshev_points", "degree", degree, at_least=0)
    return np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))[::-1]


def polynomial_through(
    nodes: Float[ndarray, "m"], values: Float[ndarray, "m"], x: Float[ndarray, "n"]
) -> Float[ndarray, "n"]:
    """The polynomial of degree m − 1 that passes through all m points, at x, in Lagrange's barycentric form.

    p(x) = Σ_k (w_k / (x − x_k)) f_k / Σ_k w_k / (x − x_k),  w_k = 1 / Π_{j≠k} (x_k − x_j)
    """
    t = checks.vector("polynomial_through", "nodes", nodes)
    f = checks.vector("polynomial_through", "values", values, length=len(t), per="node")
    x = checks.vector("polynomial_through", "x", x)
    gaps = t[:, None] - t + np.eye(len(t))
    with np.errstate(all="ignore"):
        weights = 1.0 / gaps.prod(axis=1)
        weights /= np.abs(weights).max()  # only their ratios count
    if len(set(t.tolist())) < len(t) or not np.isfinite(weights).all():
        checks.fail("polynomial_through", "nodes", "be different, and not too many or too close", f"{len(t)}")
    away = x[:, None] - t
    rows, node = np.nonzero(away == 0)
    away[rows, node] = 1.0
    terms = weights / away
    with np.errstate(all="ignore"):
        result = terms @ f / terms.sum(axis=1)
    result[rows] = f[node]  # the formula has 0/0 at a node, where the value is known
    return result


def monomials(inputs: int, degree: int) -> int:
    """How many coefficients a polynomial of that degree in d variables has.

    C(d + n, n)                                       {eq}`eq-shallow-monomials`
    """
    inputs = checks.integer("monomials", "inputs", inputs, at_least=1)
    degree = checks.integer("monomials", "degree", degree, at_least=0)
    return comb(inputs + degree, degree)
