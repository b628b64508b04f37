"""Descent: choose a direction that goes down, choose how far to go, repeat until the ground is flat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require, unread
from chapters_src.core.readers import Limits, above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.descent.landscapes import Landscape

__all__ = [
    "Calls",
    "Walk",
    "backtracking",
    "descend",
    "downhill_slope",
    "steepest",
    "value_or_infinity",
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


@checked(learning_rate=above(0), steps=at_least(0), tolerance=at_least(0))
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
    require(
        start.shape == (f.dimension,),
        "start",
        f"have shape ({f.dimension},), one per coordinate of f",
        start.shape,
    )
    rate = _rate(backtracking if learning_rate is None else learning_rate)
    direction = steepest if direction is None else direction
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
    return lambda f, theta, g, p: learning_rate


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


@unread
def steepest(f: Landscape, theta: Float[ndarray, "d"], g: Float[ndarray, "d"]) -> Float[ndarray, "d"]:
    """Against the gradient, where f falls fastest.

    p = −∇f(θ)                                        {eq}`eq-descent-steepest`
    """
    return -g


@unread
def downhill_slope(g: ndarray, p: ndarray) -> float:
    """∇fᵀp, which is below 0 for a direction that goes down."""
    slope = float(g @ p)
    require(slope < 0, "p", "point downhill, with ∇fᵀp below 0", f"{slope:.3g}")
    return slope


@checked(first=above(0), share=Limits(above=0, below=1))
def backtracking(
    f: Landscape,
    theta: Float[ndarray, "d"],
    g: Float[ndarray, "d"],
    p: Float[ndarray, "d"],
    first: float = 1.0,
    share: float = 1e-4,
) -> float:
    """The first of ``first``, ``first``/2, ``first``/4, … that earns a share c of what the slope promises.

    f(θ + ηp) ≤ f(θ) + cη ∇f(θ)ᵀp                     {eq}`eq-newton-armijo`

    A rise that rounding alone could have produced counts as none, so that the search ends near a minimum too.
    """
    slope, here = downhill_slope(g, p), f.value(theta)
    slack = 4 * np.finfo(float).eps * abs(here)
    eta = first
    with np.errstate(over="ignore", invalid="ignore"):
        while not value_or_infinity(f, theta + eta * p) <= here + share * eta * slope + slack:
            eta /= 2
            if (theta + eta * p == theta).all():
                break
    return eta


@unread
def value_or_infinity(f: Landscape, theta: ndarray) -> float:
    """f(θ), or infinity where θ is out of range."""
    return f.value(theta) if np.isfinite(theta).all() else np.inf
