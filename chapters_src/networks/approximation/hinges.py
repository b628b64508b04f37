"""Universal approximation, constructed: weights written down for a given function and a given tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, above, at_least, beyond, numeric_array
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow import Network, one_input

__all__ = [
    "Approximation",
    "along",
    "approximate",
    "curvature_error",
    "interpolate",
    "lipschitz_error",
    "modulus",
    "units_needed",
]


@checked
def interpolate(knots: Float[ndarray, "n"], values: Float[ndarray, "n"]) -> Network:
    """The network of n − 1 units that passes through the points (x_j, f_j), straight in between.

    ŷ(x) = f₁ + Σ_j (s(j) − s(j−1)) φ(x − x_j),  s(0) = 0                {eq}`eq-approximation-interpolate`

    s(j) is the slope from knot j to the next. To the left of all knots the network is constant, to the right
    the last slope goes on.
    """
    gaps = np.diff(knots)
    require(
        len(knots) >= 2 and (gaps > 0).all(),
        "knots",
        "be two or more in rising order",
        f"{len(knots)}, or out of order",
    )
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.diff(values) / gaps
        changes = np.diff(slopes, prepend=0.0)
    require(np.isfinite(changes).all(), "values", "have finite slopes between the knots", "infinite ones")
    return Network(np.ones((1, len(gaps))), -knots[:-1], changes[:, None], values[:1])


@checked(reach=at_least(0))
def modulus(values: Float[ndarray, "n"], reach: int) -> float:
    """The modulus of continuity of values at equal distances: how much those within ``reach`` places differ.

    ω(δ) = max |f(x) − f(x′)| over |x − x′| ≤ δ       {eq}`eq-approximation-modulus`
    """
    require(reach < len(values), "reach", f"be less than {len(values)}, the number of values", reach)
    windows = sliding_window_view(values, reach + 1)
    return float((windows.max(axis=1) - windows.min(axis=1)).max())


@checked(lipschitz=at_least(0), width=above(0), segments=at_least(1))
def lipschitz_error(lipschitz: float, width: float, segments: int) -> float:
    """How far a chord can be from f if |f(x) − f(x′)| ≤ L|x − x′|: no further, and for some f so far.

    ½Lδ,  δ = width / segments                        {eq}`eq-approximation-lipschitz`
    """
    return lipschitz * (width / segments) / 2


@checked(curvature=at_least(0), width=above(0), segments=at_least(1))
def curvature_error(curvature: float, width: float, segments: int) -> float:
    """How far a chord can be from f if |f″| ≤ M: no further than this, and for a parabola just so far.

    ⅛Mδ²,  δ = width / segments                       {eq}`eq-approximation-curvature`
    """
    return curvature * (width / segments) ** 2 / 8


@checked(tolerance=above(0), width=above(0), lipschitz=at_least(0), curvature=at_least(0))
def units_needed(
    tolerance: float, width: float, lipschitz: float | None = None, curvature: float | None = None
) -> int:
    """The fewest equal segments, one hidden unit each, for which a derived bound is within the tolerance.

    m = ⌈L·width / 2ε⌉ or m = ⌈width·√(M / 8ε)⌉, whichever is less of those that can be had
    {eq}`eq-approximation-units`
    """
    counts = []
    if lipschitz is not None:
        counts.append(lipschitz * width / (2 * tolerance))
    if curvature is not None:
        counts.append(width * float(np.sqrt(curvature / (8 * tolerance))))
    require(counts, "lipschitz", "be given unless curvature is", "neither")
    least = min(counts)
    require(least < 1e7, "tolerance", "be met with fewer than ten million units", f"{least:.3g} units")
    # What is over a whole number by rounding alone needs no further unit.
    return max(1, int(np.ceil(least * (1 - 1e-12))))


def values_at(f: Callable[[Any], Any], x: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """f(x), if that is one number for each entry of x."""
    values = numeric_array(Ask("f"), f(x))
    require(values.shape == x.shape, "f", f"have shape {x.shape}, the shape of its argument", values.shape)
    return values


class Approximation(NamedTuple):
    """A network, where its joints are, and how far from f it can be between the ends, by proof."""

    network: Network
    knots: Float[ndarray, "n"]
    bound: float


@checked(high=beyond("low"), tolerance=above(0), lipschitz=at_least(0), curvature=at_least(0))
def approximate(
    f: Callable[[Any], Any],
    low: float,
    high: float,
    tolerance: float,
    lipschitz: float | None = None,
    curvature: float | None = None,
) -> Approximation:
    """A network within ``tolerance`` of f on all of [low, high], with no training at all.

    f must be Lipschitz with that constant, or twice differentiable with |f″| at most ``curvature``; with
    both, the cheaper of the two proofs is used. f is called once, with all knots.
    """
    m = bare(units_needed)(tolerance, high - low, lipschitz, curvature)
    knots = np.linspace(low, high, m + 1)
    values = values_at(f, knots)
    bounds = []
    if lipschitz is not None:
        bounds.append(lipschitz_error(lipschitz, high - low, m))
    if curvature is not None:
        bounds.append(curvature_error(curvature, high - low, m))
    return Approximation(interpolate(knots, values), knots, min(bounds))


@checked(network=one_input)
def along(direction: Float[ndarray, "d"], network: Network) -> Network:
    """The network of several inputs that feeds u·x to a network of one input: a ridge, constant across u.

    ŷ(x) = g(u·x),  with W₁ = u wᵀ                    {eq}`eq-approximation-ridge`
    """
    return Network(direction[:, None] * network.W1, network.b1, network.W2, network.b2)
