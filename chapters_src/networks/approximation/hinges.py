"""Universal approximation, constructed: weights written down for a given function and a given tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow.network import Network

__all__ = [
    "Approximation",
    "along",
    "approximate",
    "curvature_error",
    "fewest_regions",
    "interpolate",
    "lipschitz_error",
    "units_needed",
]


def interpolate(knots: Float[ndarray, "m"], values: Float[ndarray, "m"]) -> Network:
    """The network with m − 1 units that passes through the points (x_j, f_j), straight in between.

    ŷ(x) = f₀ + Σ_j (s_j − s_{j−1}) φ(x − x_j),  s_{−1} = 0                    {eq}`eq-shallow-interpolate`

    s_j is the slope from knot j to the next. To the left of all knots the network is constant, to the right
    the last slope goes on.
    """
    x = checks.vector("interpolate", "knots", knots)
    f = checks.vector("interpolate", "values", values, length=len(x), per="knot")
    gaps = np.diff(x)
    if len(x) < 2 or not (gaps > 0).all():
        checks.fail("interpolate", "knots", "be two or more in rising order", f"{len(x)}, or out of order")
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.diff(f) / gaps
        changes = np.diff(slopes, prepend=0.0)
    if not np.isfinite(changes).all():
        checks.fail("interpolate", "values", "have finite slopes between the knots", "infinite ones")
    return Network(np.ones((1, len(gaps))), -x[:-1], changes[:, None], f[:1])


def lipschitz_error(lipschitz: float, width: float, segments: int) -> float:
    """How far a chord can be from f if |f(x) − f(y)| ≤ L|x − y|: no further than this, and for some f so far.

    ½Lδ,  δ = width / segments                        {eq}`eq-shallow-lipschitz`
    """
    lipschitz = checks.number("lipschitz_error", "lipschitz", lipschitz, at_least=0)
    width = checks.number("lipschitz_error", "width", width, above=0)
    segments = checks.integer("lipschitz_error", "segments", segments, at_least=1)
    return lipschitz * (width / segments) / 2


def curvature_error(curvature: float, width: float, segments: int) -> float:
    """How far a chord can be from f if |f″| ≤ M: no further than this, and for a parabola just so far.

    ⅛Mδ²,  δ = width / segments                       {eq}`eq-shallow-curvature`
    """
    curvature = checks.number("curvature_error", "curvature", curvature, at_least=0)
    width = checks.number("curvature_error", "width", width, above=0)
    segments = checks.integer("curvature_error", "segments", segments, at_least=1)
    return curvature * (width / segments) ** 2 / 8


def units_needed(
    tolerance: float, width: float, lipschitz: float | None = None, curvature: float | None = None
) -> int:
    """The fewest equal segments, one hidden unit each, for which a derived bound is within the tolerance.

    D = ⌈L·width / 2ε⌉ or D = ⌈width·√(M / 8ε)⌉, whichever is less of those that can be had
    {eq}`eq-shallow-units`
    """
    name = "units_needed"
    tolerance = checks.number(name, "tolerance", tolerance, above=0)
    width = checks.number(name, "width", width, above=0)
    counts = []
    if lipschitz is not None:
        lipschitz = checks.number(name, "lipschitz", lipschitz, at_least=0)
        counts.append(lipschitz * width / (2 * tolerance))
    if curvature is not None:
        curvature = checks.number(name, "curvature", curvature, at_least=0)
        counts.append(width * np.sqrt(curvature / (8 * tolerance)))
    if not counts:
        checks.fail(name, "lipschitz", "be given unless curvature is", "neither")
    least = min(counts)
    if not least < 1e7:
        checks.fail(name, "tolerance", "be met with fewer than ten million units", f"{least:.3g} units")
    # What is over a whole number by rounding alone needs no further unit.
    return max(1, int(np.ceil(least * (1 - 1e-12))))


class Approximation(NamedTuple):
    """A network, where its joints are, and how far from f it can be between the ends, by proof."""

    network: Network
    knots: Float[ndarray, "m"]
    bound: float


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
    low = checks.number("approximate", "low", low)
    high = checks.number("approximate", "high", high, above=low)
    tolerance = checks.number("approximate", "tolerance", tolerance, above=0)
    if lipschitz is not None:
        lipschitz = checks.number("approximate", "lipschitz", lipschitz, at_least=0)
    if curvature is not None:
        curvature = checks.number("approximate", "curvature", curvature, at_least=0)
    elif lipschitz is None:
        checks.fail("approximate", "lipschitz", "be given unless curvature is", "neither")
    D = units_needed(tolerance, high - low, lipschitz, curvature)
    knots = np.linspace(low, high, D + 1)
    values = checks.same_shape("approximate", "f", f(knots), as_name="its argument", shape=knots.shape)
    bounds = []
    if lipschitz is not None:
        bounds.append(lipschitz_error(lipschitz, high - low, D))
    if curvature is not None:
        bounds.append(curvature_error(curvature, high - low, D))
    return Approximation(interpolate(knots, values), knots, min(bounds))


def fewest_regions(tolerance: float, width: float, curvature: float) -> int:
    """No piecewise linear function with fewer pieces comes within ε of a parabola with |f″| = M.

    r ≥ width·√(M / 16ε)                              {eq}`eq-shallow-fewest`

    Only √2 below what the construction uses: nobody can do much better with straight pieces.
    """
    tolerance = checks.number("fewest_regions", "tolerance", tolerance, above=0)
    width = checks.number("fewest_regions", "width", width, above=0)
    curvature = checks.number("fewest_regions", "curvature", curvature, at_least=0)
    least = width * np.sqrt(curvature / (16 * tolerance))
    if not least < 1e15:
        checks.fail("fewest_regions", "tolerance", "be larger for a count that means something", tolerance)
    return max(1, int(np.ceil(least * (1 - 1e-12))))


def along(direction: Float[ndarray, "D_i"], network: Network) -> Network:
    """The network of several inputs that feeds u·x to a network of one input: a ridge, constant across u.

    ŷ(x) = g(u·x),  with W₁ = u wᵀ                    {eq}`eq-shallow-ridge`
    """
    u = checks.vector("along", "direction", direction)
    if not isinstance(network, Network) or len(network.W1) != 1:
        got = f"{len(network.W1)} inputs" if isinstance(network, Network) else f"a {type(network).__name__}"
        checks.fail("along", "network", "be a Network with one input", got)
    return Network(u[:, None] * network.W1, network.b1, network.W2, network.b2)
