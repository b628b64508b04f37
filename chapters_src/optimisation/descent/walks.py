"""Descent: choose a direction that goes down, choose how far to go, repeat until the ground is flat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.descent.landscapes import Landscape

__all__ = [
    "Calls",
    "Walk",
    "backtracking",
    "best_rate",
    "convergence_factor",
    "descend",
    "downhill_newton",
    "exact",
    "golden_section",
    "newton",
    "rate_bound",
    "steepest",
]

Direction = Callable[[Landscape, ndarray, ndarray], ndarray]  # f, θ, ∇f(θ) -> p
Rate = Callable[[Landscape, ndarray, ndarray, ndarray], float]  # f, θ, ∇f(θ), p -> η


class Calls(NamedTuple):
    """How often a walk asked for a value, a gradient and a Hessian: its price."""

    values: int
    gradients: int
    hessians: int


class Walk(NamedTuple):
    """What a descent did: where it ended, and every θ, value and slope on the way, the start included."""

    theta: Float[ndarray, "d"]
    path: Float[ndarray, "t d"]
    values: Float[ndarray, "t"]
    slopes: Float[ndarray, "t"]
    rates: Float[ndarray, "s"]
    converged: bool
    steps: int
    calls: Calls


def descend(
    f: Landscape,
    start: Float[ndarray, "d"],
    learning_rate: float | Rate | None = None,
    direction: Direction | None = None,
    steps: int = 1000,
    tolerance: float = 1e-4,
) -> Walk:
    """Walk down f until the gradient is no longer than ``tolerance``, or for ``steps`` steps.

    θₜ₊₁ = θₜ + ηₜpₜ,  until ‖∇f(θₜ)‖ ≤ ε              {eq}`eq-descent-step`

    ``learning_rate`` is a number or a line search (`backtracking` unless said), ``direction`` a rule for p
    (`steepest` unless said). A rate that is too large makes θ grow until it overflows; the walk then ends at
    the last finite θ with ``converged`` False.
    """
    start = checks.vector("descend", "start", start, length=f.dimension, per="coordinate of f")
    rate = _rate(backtracking if learning_rate is None else learning_rate)
    direction = steepest if direction is None else direction
    steps = checks.integer("descend", "steps", steps, at_least=0)
    tolerance = checks.number("descend", "tolerance", tolerance, at_least=0)
    f, count = _counted(f)
    theta, g = start.copy(), f.gradient(start)
    path, values, slopes = [theta], [f.value(theta)], [float(np.linalg.norm(g))]
    rates: list[float] = []
    with np.errstate(over="ignore", invalid="ignore"):
        while slopes[-1] > tolerance and len(rates) < steps:
            p = direction(f, theta, g)
            eta = rate(f, theta, g, p)
            theta = theta + eta * p
            value = f.value(theta) if np.isfinite(theta).all() else np.inf
            g = f.gradient(theta) if np.isfinite(value) else np.full(f.dimension, np.inf)
            slope = float(np.linalg.norm(g))
            if not np.isfinite(slope):
                break
            path.append(theta)
            values.append(value)
            slopes.append(slope)
            rates.append(eta)
    calls = Calls(count["value"], count["gradient"], count["hessian"])
    arrays = (np.array(path), np.array(values), np.array(slopes), np.array(rates))
    return Walk(path[-1].copy(), *arrays, slopes[-1] <= tolerance, len(rates), calls)


def _rate(learning_rate: float | Rate) -> Rate:
    if callable(learning_rate):
        return learning_rate
    eta = checks.number("descend", "learning_rate", learning_rate, above=0)
    return lambda f, theta, g, p: eta


def _counted(f: Landscape) -> tuple[Landscape, dict[str, int]]:
    """The same landscape, and a tally of what it is asked for."""
    count = {"value": 0, "gradient": 0, "hessian": 0}

    def watched(what: str) -> Callable[[Any], Any]:
        ask = getattr(f, what)

        def answer(theta: ndarray) -> Any:
            count[what] += 1
            return ask(theta)

        return answer

    return replace(f, value=watched("value"), gradient=watched("gradient"), hessian=watched("hessian")), count


def steepest(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """Against the gradient, where f falls fastest.

    p = −∇f(θ)                                        {eq}`eq-descent-steepest`
    """
    return -g


def newton(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """To the stationary point of the parabola that fits f at θ, which may be a maximum or a saddle.

    p = −(∇²f(θ))⁻¹ ∇f(θ)                             {eq}`eq-descent-newton`
    """
    try:
        return np.linalg.solve(f.hessian(theta), -g)
    except np.linalg.LinAlgError:
        checks.fail("newton", "the Hessian", "have an inverse; try downhill_newton", "a singular matrix")


def downhill_newton(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """Newton's step with every curvature taken by absolute value, so that it goes down, or nowhere.

    p = −V diag(1/|λ|) Vᵀ ∇f(θ),  ∇²f(θ) = V diag(λ) Vᵀ      {eq}`eq-descent-downhill-newton`

    Equal to `newton` where f is convex. Curvatures below 10⁻⁸ of the largest count as that much.
    """
    curvature, V = np.linalg.eigh(f.hessian(theta))
    size = np.abs(curvature)
    size = np.maximum(size, 1e-8 * max(float(size.max()), 1e-300))
    return -V @ ((V.T @ g) / size)


def _slope(function: str, g: ndarray, p: ndarray) -> float:
    slope = float(g @ p)
    if not slope < 0:
        checks.fail(function, "p", "point downhill, with ∇fᵀp below 0", f"{slope:.3g}")
    return slope


def backtracking(
    f: Landscape,
    theta: Float[ndarray, "d"],
    g: Float[ndarray, "d"],
    p: Float[ndarray, "d"],
    first: float = 1.0,
    share: float = 1e-4,
) -> float:
    """The first of ``first``, ``first``/2, ``first``/4, … that earns a share c of what the slope promises.

    f(θ + ηp) ≤ f(θ) + cη ∇f(θ)ᵀp                     {eq}`eq-descent-armijo`

    A rise that rounding alone could have produced counts as none, so that the search ends near a minimum too.
    """
    first = checks.number("backtracking", "first", first, above=0)
    share = checks.number("backtracking", "share", share, above=0, below=1)
    slope, here = _slope("backtracking", g, p), f.value(theta)
    slack = 4 * np.finfo(float).eps * abs(here)
    eta = first
    with np.errstate(over="ignore", invalid="ignore"):
        while not _value(f, theta + eta * p) <= here + share * eta * slope + slack:
            eta /= 2
            if (theta + eta * p == theta).all():
                break
    return eta


def exact(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"], p: Float[ndarray, "d"]) -> float:
    """The rate at which f is least along p, from values alone: bracket it, then `golden_section`.

    η = argmin f(θ + ηp)                              {eq}`eq-descent-exact`

    On a function with several valleys along p it is the bottom of one of them.
    """
    _slope("exact", g, p)

    def along(eta: float) -> float:
        return _value(f, theta + eta * p)

    here, high = f.value(theta), 1.0
    while not along(high) < here:
        high /= 2
        if (theta + high * p == theta).all():
            return high  # θ is a minimum as far as values can tell
    while along(2 * high) < along(high):
        high *= 2
        if high > 2.0**200:
            checks.fail("exact", "f", "stop falling along p", "a value that falls for ever")
    return golden_section(along, 0.0, 2 * high)


def golden_section(phi: Callable[[float], float], low: float, high: float, tolerance: float = 1e-9) -> float:
    """Where a function with one valley in [low, high] is least, by cutting the bracket at the golden ratio.

    Each round asks for one value and keeps 62 % of the bracket, until it is ``tolerance`` of what it was.
    Values cannot tell two places near a minimum apart: expect half of the digits, about eight.
    """
    low = checks.number("golden_section", "low", low)
    high = checks.number("golden_section", "high", high, above=low)
    tolerance = checks.number("golden_section", "tolerance", tolerance, above=0, below=1)
    keep, width = (np.sqrt(5) - 1) / 2, high - low
    left, right = high - keep * width, low + keep * width
    at_left, at_right = phi(left), phi(right)
    while high - low > tolerance * width and low < left < right < high:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - keep * (high - low)
            at_left = phi(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + keep * (high - low)
            at_right = phi(right)
    return float(left if at_left <= at_right else right)


def _value(f: Landscape, theta: ndarray) -> float:
    """f(θ), or infinity where θ is out of range."""
    return f.value(theta) if np.isfinite(theta).all() else np.inf


# --- what a fixed rate does on a quadratic


def _curvatures(function: str, H: ndarray) -> ndarray:
    H = checks.matrix(function, "H", H)
    if H.shape[0] != H.shape[1] or not np.allclose(H, H.T, rtol=1e-12, atol=0):
        checks.fail(function, "H", "be square and equal to its transpose", f"shape {H.shape}")
    curvatures = np.linalg.eigvalsh(H)
    if not curvatures[0] > 0:
        checks.fail(function, "H", "be positive definite", f"an eigenvalue of {curvatures[0]:.3g}")
    return curvatures


def rate_bound(H: Float[ndarray, "d d"]) -> float:
    """The learning rate from which on gradient descent on a quadratic no longer converges.

    η < 2/λ_max                                       {eq}`eq-descent-bound`
    """
    return 2.0 / float(_curvatures("rate_bound", H)[-1])


def best_rate(H: Float[ndarray, "d d"]) -> float:
    """The learning rate with the smallest `convergence_factor`, (κ − 1)/(κ + 1).

    η = 2/(λ_min + λ_max)                             {eq}`eq-descent-rate`
    """
    curvatures = _curvatures("best_rate", H)
    return 2.0 / float(curvatures[0] + curvatures[-1])


def convergence_factor(H: Float[ndarray, "d d"], learning_rate: float) -> float:
    """What a step of gradient descent leaves, at worst, of the distance to the minimum; above 1 it diverges.

    maxᵢ |1 − ηλᵢ|                                    {eq}`eq-descent-factor`
    """
    eta = checks.number("convergence_factor", "learning_rate", learning_rate, above=0)
    return float(np.abs(1.0 - eta * _curvatures("convergence_factor", H)).max())
