"""The game between the two networks, on paper: its best discriminator, its value, and how players circle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import discrete_kl

__all__ = ["best_discriminator", "growth", "jensen_shannon", "play"]


@checked(p=at_least(0), q=at_least(0))
def best_discriminator(p: Float[ndarray, "*shape"], q: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """The probability that a point is true, where data have density p and the generator q there.

    D*(x) = p(x) / (p(x) + q(x))                       {eq}`eq-gan-best`
    """
    require(bool((p + q > 0).all()), "q", "be above 0 where p is 0", "0 in both")
    return np.asarray(1 / (1 + q / p)) if (p > 0).all() else np.asarray(p / (p + q))


@checked(p=sums_to_one, q=sums_to_one)
def jensen_shannon(p: Float[ndarray, "k"], q: Float[ndarray, "k"]) -> float:
    """The mean divergence of two distributions from their midpoint m = (p + q)/2, between 0 and log 2 nats.

    JS(p, q) = ½ KL(p‖m) + ½ KL(q‖m)                   {eq}`eq-gan-value`
    """
    m = (p + q) / 2
    return (discrete_kl(p, m) + discrete_kl(q, m)) / 2


def _uphill_and_down(w: Any, friction: float) -> Any:
    """What is subtracted from (x, y) per unit of rate: x descends xy, y ascends xy − ½·friction·y²."""
    x, y = w
    return np.array([y, friction * y - x])


def _simultaneous(w: Any, old: Any, rate: float, friction: float) -> Any:
    return w - rate * _uphill_and_down(w, friction)


def _alternating(w: Any, old: Any, rate: float, friction: float) -> Any:
    x = w[0] - rate * w[1]  # y answers to the x that has moved already
    return np.array([x, w[1] - rate * _uphill_and_down((x, w[1]), friction)[1]])


def _extragradient(w: Any, old: Any, rate: float, friction: float) -> Any:
    look_ahead = w - rate * _uphill_and_down(w, friction)
    return w - rate * _uphill_and_down(look_ahead, friction)


def _optimistic(w: Any, old: Any, rate: float, friction: float) -> Any:
    return w - rate * (2 * _uphill_and_down(w, friction) - _uphill_and_down(old, friction))


RULES: dict[str, Callable[[Any, Any, float, float], Any]] = {
    "simultaneous": _simultaneous,  # {eq}`eq-gan-simultaneous`
    "alternating": _alternating,  # {eq}`eq-gan-alternating`
    "extragradient": _extragradient,  # {eq}`eq-gan-extragradient`
    "optimistic": _optimistic,
}


@checked(rule=one_of(RULES), rate=above(0), steps=at_least(0), friction=at_least(0))
def play(
    rule: str, rate: float, start: Float[ndarray, "2"], steps: int, friction: float = 0.0
) -> Float[ndarray, "t 2"]:
    """The players (x, y) of min over x, max over y of xy − ½·friction·y², the start first, one row per step.

    The optimistic rule has no look-ahead and extrapolates from the slope of the step before.
    """
    path = [start, start]
    for _ in range(steps):
        path.append(RULES[rule](path[-1], path[-2], rate, friction))
    return np.array(path[1:])


@checked(rule=one_of(RULES), rate=above(0), friction=at_least(0))
def growth(rule: str, rate: float, friction: float = 0.0) -> float:
    """The largest |eigenvalue| of one step: above 1 the players spiral outward, below 1 inward.

    A step is linear in (w, the w before), so its matrix is what it makes of the four unit vectors.
    """
    columns = [
        np.concatenate([RULES[rule](unit[:2], unit[2:], rate, friction), unit[:2]]) for unit in np.eye(4)
    ]
    return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())
