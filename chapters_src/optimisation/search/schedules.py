"""Learning rates that change: each function gives the rate for step t, counted from 0."""

from __future__ import annotations

import math

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Limits, above, at_least

__all__ = [
    "cosine_rate",
    "exponential_rate",
    "inverse_time_rate",
    "one_cycle_rate",
    "restart_rate",
    "step_rate",
    "warm_up_cosine_rate",
    "warm_up_linear_rate",
    "warm_up_rate",
]


@checked(t=at_least(0), high=above(0), every=at_least(1), factor=Limits(above=0, at_most=1))
def step_rate(t: int, high: float, every: int, factor: float = 0.1) -> float:
    """A staircase: times ``factor`` after each ``every`` steps.

    ηₜ = η₀ · r^⌊t/k⌋
    """
    return high * factor ** (t // every)


@checked(t=at_least(0), high=above(0), factor=Limits(above=0, at_most=1))
def exponential_rate(t: int, high: float, factor: float) -> float:
    """Times ``factor`` at every step: the staircase with steps of length one.

    ηₜ = η₀ · rᵗ
    """
    return high * factor**t


@checked(t=at_least(0), high=above(0), delay=above(0))
def inverse_time_rate(t: int, high: float, delay: float) -> float:
    """About one over the time, once t is well beyond ``delay``; half of ``high`` at t = ``delay``.

    ηₜ = η₀ / (1 + t/τ)
    """
    return high / (1 + t / delay)


@checked(t=at_least(0), high=above(0), steps=at_least(1), low=at_least(0))
def cosine_rate(t: int, high: float, steps: int, low: float = 0.0) -> float:
    """Half a cosine from ``high`` down to ``low``, which is reached at t = ``steps`` and kept.

    ηₜ = η_low + ½(η_high − η_low)(1 + cos πt/T)              {eq}`eq-search-cosine`
    """
    return _cosine(high, _at_most("low", low, high), min(t / steps, 1.0))


@checked(t=at_least(0), high=above(0), steps=at_least(1), start=at_least(0))
def warm_up_rate(t: int, high: float, steps: int, start: float = 0.0) -> float:
    """A straight line from ``start`` up to ``high``, which is reached at t = ``steps`` and kept.

    ηₜ = η_start + (η_high − η_start) · min(1, t/T)
    """
    return _at_most("start", start, high) + (high - start) * min(t / steps, 1.0)


@checked(t=at_least(0), high=above(0), warm_up=at_least(1), low=at_least(0))
def warm_up_cosine_rate(t: int, high: float, warm_up: int, steps: int, low: float = 0.0) -> float:
    """`warm_up_rate` for the first ``warm_up`` steps, `cosine_rate` for the rest of ``steps``."""
    _at_most("low", low, high)
    require(steps > warm_up, "steps", f"be at least {warm_up + 1}", steps)
    if t < warm_up:
        return warm_up_rate(t, high, warm_up)
    return cosine_rate(t - warm_up, high, steps - warm_up, low)


@checked(t=at_least(0), high=above(0), warm_up=at_least(1), low=at_least(0))
def warm_up_linear_rate(t: int, high: float, warm_up: int, steps: int, low: float = 0.0) -> float:
    """`warm_up_rate` for the first ``warm_up`` steps, then a straight line to ``low`` at t = ``steps``."""
    _at_most("low", low, high)
    require(steps > warm_up, "steps", f"be at least {warm_up + 1}", steps)
    if t < warm_up:
        return warm_up_rate(t, high, warm_up)
    return high - (high - low) * min((t - warm_up) / (steps - warm_up), 1.0)


@checked(t=at_least(0), high=above(0), first=at_least(1), growth=at_least(1), low=at_least(0))
def restart_rate(t: int, high: float, first: int, growth: int = 2, low: float = 0.0) -> float:
    """Half a cosine again and again: ``first`` steps long, then each ``growth`` times as long as the last."""
    _at_most("low", low, high)
    length = first
    if growth == 1:
        return cosine_rate(t % length, high, length, low)
    while t >= length:
        t, length = t - length, length * growth
    return cosine_rate(t, high, length, low)


@checked(
    t=at_least(0),
    high=above(0),
    steps=at_least(2),
    rise=Limits(above=0, below=1),
    start=above(0),
    end=at_least(0),
)
def one_cycle_rate(
    t: int, high: float, steps: int, rise: float = 0.3, start: float | None = None, end: float | None = None
) -> float:
    """One cosine up to ``high`` during the first share ``rise`` of the steps, one down to almost nothing.

    ``start`` is ``high``/25 and ``end`` is ``start``/10⁴ unless said, as in torch's OneCycleLR. The last of
    the ``steps`` rates, at t = ``steps`` − 1, is ``end``.
    """
    require(rise * steps > 1, "rise", f"give more than one of the {steps} steps", f"{rise:g}")
    start = high / 25 if start is None else _at_most("start", start, high)
    end = start / 1e4 if end is None else _at_most("end", end, high)
    top = rise * steps - 1  # as torch counts: the first and the last step belong to the cycle
    if t <= top:
        return _cosine(start, high, t / top)
    return _cosine(high, end, min((t - top) / (steps - 1 - top), 1.0))


def _cosine(begin: float, end: float, share: float) -> float:
    return end + (begin - end) * (1 + math.cos(math.pi * share)) / 2


def _at_most(name: str, rate: float, high: float) -> float:
    require(rate <= high, name, f"be at most {high:g}", rate)
    return rate
