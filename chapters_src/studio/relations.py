"""What it takes for one line of a derivation to follow from the line before, on given inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.studio.comparison import TINY, as_numbers, largest, relative_disagreement, shown
from chapters_src.studio.minimiser import minimiser

Inputs = dict[str, Any]
Evaluate = Callable[[Inputs], Any]

NUDGE = 2.0**-50  # four units in the last place
ROUNDING = 1e-13  # a difference this small against the terms that made it is rounding
MINIMISER = 1e-7  # how well two numerical minimisers must agree


@dataclass(frozen=True)
class Finding:
    """How far a line is from following: 0 is perfect, inf is out of the question, for the ``complaint``."""

    amount: float
    allowed: float
    inputs: Inputs
    before: Any
    after: Any
    complaint: str = ""

    @property
    def holds(self) -> bool:
        return self.amount <= self.allowed


class Unusable(Exception):
    """A line gave no finite numbers; the message says what it did."""


def usable(value: Any) -> np.ndarray:
    """The value of a line as finite numbers, or Unusable."""
    try:
        numbers = as_numbers(value)
    except TypeError as error:
        raise Unusable(str(error)) from None
    if numbers.size == 0 or not np.isfinite(numbers).all():
        raise Unusable(f"its value is {'empty' if numbers.size == 0 else 'not finite'}: {shown(numbers)}")
    return numbers


def finite(before: Evaluate, after: Evaluate, inputs: Inputs, within: float) -> Finding:
    """The later line gives finite numbers, which is all that a first line has to do."""
    return Finding(0.0, within, inputs, None, usable(after(inputs)))


def equal(before: Evaluate, after: Evaluate, inputs: Inputs, within: float) -> Finding:
    """Both lines have the same shape and the same numbers."""
    return _compare(before, after, inputs, within, lambda a, b: a - b)


def at_most(before: Evaluate, after: Evaluate, inputs: Inputs, within: float) -> Finding:
    """No entry of the earlier line is above the later one's."""
    return _compare(before, after, inputs, within, lambda a, b: np.maximum(a - b, 0))


def at_least(before: Evaluate, after: Evaluate, inputs: Inputs, within: float) -> Finding:
    """No entry of the earlier line is below the later one's."""
    return _compare(before, after, inputs, within, lambda a, b: np.maximum(b - a, 0))


def _compare(
    before: Evaluate, after: Evaluate, inputs: Inputs, within: float, gap: Callable[..., np.ndarray]
) -> Finding:
    a, b = usable(before(inputs)), usable(after(inputs))
    if a.shape != b.shape:
        return Finding(np.inf, within, inputs, a, b, f"shape {b.shape} follows shape {a.shape}")
    distance = largest(gap(a, b))
    amount = distance / max(largest(a), largest(b), TINY)
    if amount > within:
        terms = _size_of_terms([(before, a), (after, b)], inputs)
        if distance <= ROUNDING * terms:
            amount = distance / terms
    return Finding(amount, within, inputs, a, b)


def _size_of_terms(lines: list[tuple[Evaluate, np.ndarray]], inputs: Inputs) -> float:
    """How large the terms are that a value is made of, when they cancel to about nothing.

    Xᵀ(y − Xθ̂) is zero and comes out as 1e-15: against 0 that is wrong by 100 %. But move the inputs by a few
    units in the last place and it moves by as much as itself, which a true 1e-15, such as a small density,
    does not. The motion over the nudge is the size of what cancelled.
    """
    rng = np.random.default_rng(0)
    motion = 0.0
    for _ in range(4):
        moved = {name: _nudged(value, rng) for name, value in inputs.items()}
        for evaluate, rest in lines:
            try:
                value = usable(evaluate(moved))
            except Unusable:
                continue
            if value.shape == rest.shape:
                motion = max(motion, largest(value - rest))
    return motion / NUDGE


def _nudged(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, float):
        return value * (1 + NUDGE * rng.choice([-1, 1]))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * (1 + NUDGE * rng.choice([-1, 1], value.shape))
    return value


def proportional(before: Evaluate, after: Evaluate, draws: list[Inputs], within: float) -> Finding:
    """One constant, not zero, takes the earlier line to the later one in all the draws."""
    pairs = [(usable(before(inputs)), usable(after(inputs))) for inputs in draws]
    for inputs, (a, b) in zip(draws, pairs, strict=True):
        if a.shape != b.shape:
            return Finding(np.inf, within, inputs, a, b, f"shape {b.shape} follows shape {a.shape}")
    a, b = max(pairs, key=lambda pair: largest(pair[0]))
    place = np.unravel_index(np.abs(a).argmax(), a.shape)
    if a[place] == 0 or b[place] == 0:
        return Finding(
            np.inf, within, draws[0], a, b, "the constant of proportionality would be 0 or undefined"
        )
    constant = b[place] / a[place]
    amounts = [relative_disagreement(constant * a, b) for a, b in pairs]
    worst = int(np.argmax(amounts))
    complaint = (
        f"the ratio of the lines changes (before is scaled by the ratio {shown(constant)} found elsewhere)"
    )
    a, b = pairs[worst]
    return Finding(amounts[worst], within, draws[worst], constant * a, b, complaint)


def same_minimiser(
    before: Evaluate, after: Evaluate, draws: list[Inputs], within: float, *, over: str
) -> Finding:
    """Both lines are least at the same value of ``over``.

    Both are minimised numerically from the first draw. Where that fails (a kink, as in the lasso), the later
    line must be an increasing straight-line function of the earlier one in all draws, and grow far away.
    """
    inputs, allowed = draws[0], max(within, MINIMISER)
    for evaluate in (before, after):
        if usable(evaluate(inputs)).size != 1:
            complaint = "only a line that is one number has a minimiser"
            return Finding(np.inf, allowed, inputs, before(inputs), after(inputs), complaint)
    start = np.array(inputs[over], dtype=float)
    functions = [_as_function(evaluate, inputs, over) for evaluate in (before, after)]
    found = [minimiser(f, start) for f in functions]
    if found[0] is not None and found[1] is not None:
        scale = max(largest(found[0]), largest(found[1]), largest(start), TINY)
        amount = largest(found[0] - found[1]) / scale
        complaint = f"these are the values of {over} at which each line is least"
        return Finding(amount, allowed, inputs, found[0], found[1], complaint)
    points = [np.array(draw[over], dtype=float) for draw in draws]
    u, v = ([f(point) for point in points] for f in functions)
    complaint = (
        f"no minimiser over {over} was found, and the lines are not increasing functions of each other"
    )
    amount = misfit(np.array(u), np.array(v)) if _grows(functions[0], points) else np.inf
    return Finding(amount, within, inputs, before(inputs), after(inputs), complaint)


def _as_function(evaluate: Evaluate, inputs: Inputs, name: str) -> Callable[[np.ndarray], float]:
    def f(x: np.ndarray) -> float:
        with np.errstate(all="ignore"):
            value = as_numbers(evaluate({**inputs, name: x if x.ndim else float(x)}))
        return float(value.item()) if np.isfinite(value).all() else np.inf

    return f


def misfit(u: np.ndarray, v: np.ndarray) -> float:
    """How far v is from an increasing straight line in u, relative to its spread; inf if it falls."""
    low, high = u.argmin(), u.argmax()
    if not (np.isfinite(u).all() and np.isfinite(v).all() and u[high] > u[low] and v[high] > v[low]):
        return np.inf
    slope = (v[high] - v[low]) / (u[high] - u[low])
    return largest(v - v[low] - slope * (u - u[low])) / float(v[high] - v[low])


def _grows(f: Callable[[np.ndarray], float], points: list[np.ndarray]) -> bool:
    """Whether f is larger far away, in every direction tried."""
    best = min(f(point) for point in points)
    return all(f(sign * 1e6 * point) > best for point in points for sign in (1, -1))
