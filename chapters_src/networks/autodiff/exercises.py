"""Exercises of the chapter on automatic differentiation: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.pull_normalise.check(pull_normalise)``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.networks.autodiff import central_difference, gradient
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "checkpoint_factor",
    "dual_quotient",
    "misled_engine",
    "mode_ratio",
    "pull_normalise",
    "pull_product",
    "recurrence_gradient",
]


def _normal(seed: int, *shape: int) -> ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


# --- derive: the pull of y = x / ‖x‖


def _pull_normalise(x: Any, g: Any) -> Any:
    r = np.sqrt(x @ x)
    y = x / r
    return (g - y * (y @ g)) / r


pull_normalise = Exercise(
    "pull of the normalised vector",
    answer=_pull_normalise,
    cases=[
        {"x": np.array([3.0, 4.0]), "g": np.array([1.0, 2.0])},
        {"x": np.array([0.0, 2.0, 1.0]), "g": np.array([1.0, -1.0, 0.5])},
        {"x": _normal(1, 5), "g": _normal(2, 5)},
        {"x": np.array([-2.0]), "g": np.array([3.0])},
    ],
    mistakes=[
        Mistake(
            lambda x, g: g / np.sqrt(x @ x),
            "the length $r$ depends on $x$ too: a second path leads through it",
        ),
        Mistake(
            lambda x, g: g - x * (x @ g) / (x @ x),
            "the right direction in the wrong size: every path passes a division by $r$",
        ),
        Mistake(
            lambda x, g: (g + x * (x @ g) / (x @ x)) / np.sqrt(x @ x),
            "check a sign: a longer $r$ makes $x/r$ shorter",
        ),
        Mistake(
            lambda x, g: (g - x * (x @ g)) / np.sqrt(x @ x),
            "the second term holds $y(y^\\top\\bar y)$ with $y$ of length 1, not $x$",
        ),
        Mistake(
            lambda x, g: g / np.sqrt(x @ x) - x / (x @ x),
            "the adjoint $\\bar y$ enters the path through $r$ as well: $\\bar r=-x^\\top\\bar y/r^2$",
        ),
    ],
    hint="write $r=\\lVert x\\rVert$ and $y=x/r$ as two steps and add the adjoints of the two paths to $x$",
)


# --- implement: the rule of a quotient for dual numbers


def _dual_quotient(a: Any, a_dot: Any, b: Any, b_dot: Any) -> Any:
    return np.array([a / b, (a_dot * b - a * b_dot) / b**2])


dual_quotient = Exercise(
    "quotient of two dual numbers",
    answer=_dual_quotient,
    cases=[
        {"a": 6.0, "a_dot": 1.0, "b": 2.0, "b_dot": 5.0},
        {"a": 1.0, "a_dot": 0.0, "b": 4.0, "b_dot": 1.0},
        {"a": -3.0, "a_dot": 2.0, "b": 0.5, "b_dot": -1.0},
    ],
    mistakes=[
        Mistake(
            lambda a, a_dot, b, b_dot: np.array([a / b, a_dot / b_dot if b_dot else np.inf]),
            "a quotient of tangents is no tangent: multiply by the inverse of $b+\\dot b\\varepsilon$",
        ),
        Mistake(
            lambda a, a_dot, b, b_dot: np.array([a / b, (a_dot * b + a * b_dot) / b**2]),
            "check the sign: a growing denominator makes the quotient fall",
        ),
        Mistake(
            lambda a, a_dot, b, b_dot: np.array([a / b, (a * b_dot - a_dot * b) / b**2]),
            "the two terms have changed places",
        ),
        Mistake(
            lambda a, a_dot, b, b_dot: np.array([a / b, (a_dot * b - a * b_dot) / b]),
            "the denominator is squared: put everything over one denominator again",
        ),
        Mistake(
            lambda a, a_dot, b, b_dot: np.array([a / b, a_dot / b]),
            "the denominator moves too, at speed $\\dot b$",
        ),
    ],
    hint="as $\\varepsilon^2=0$, the inverse of $b+\\dot b\\varepsilon$ is $1/b-(\\dot b/b^2)\\varepsilon$",
)


# --- implement: the pull of C = AB


pull_product = Exercise(
    "pull of a matrix product",
    answer=lambda A, B, G: np.stack([G @ B.T, A.T @ G]),
    cases=[
        {
            "A": np.array([[1.0, 2.0], [3.0, 4.0]]),
            "B": np.array([[0.0, 1.0], [2.0, 5.0]]),
            "G": np.array([[1.0, 0.0], [2.0, 1.0]]),
        },
        {"A": _normal(3, 3, 3), "B": _normal(4, 3, 3), "G": _normal(5, 3, 3)},
    ],
    mistakes=[
        Mistake(
            lambda A, B, G: np.stack([G @ B, A @ G]),
            "these are tangents pushed on; an adjoint meets the transpose",
        ),
        Mistake(
            lambda A, B, G: np.stack([B.T @ G, G @ A.T]),
            "the transposes are right and the order is not: $G$ stands on the side where $C$ has that index",
        ),
        Mistake(
            lambda A, B, G: np.stack([A.T @ G, G @ B.T]), "you have the two adjoints, the other way round"
        ),
        Mistake(
            lambda A, B, G: np.stack([G * B, G * A]),
            "that is the rule for products entry by entry; here each entry of $A$ meets a whole row of $B$",
        ),
        Mistake(lambda A, B, G: np.stack([B.T, A.T]), "a pull has to depend on the adjoint $G$ that arrives"),
    ],
    hint="write $\\sum_{ik}G_{ik}\\sum_jA_{ij}B_{jk}$ and differentiate by one $A_{ij}$, by one $B_{jk}$",
)


# --- predict: forward against reverse mode on ℝ¹²⁰⁰ → ℝ⁴⁰ → ℝ³

mode_ratio = Exercise(
    "passes of forward mode over those of reverse mode",
    answer=400.0,
    mistakes=[
        Mistake(1 / 400, "the other way round: here there are many inputs and few outputs"),
        Mistake(1200.0, "reverse mode needs one pass per output as well, and there are three"),
        Mistake(3600.0, "forward mode takes 1200 passes and reverse mode 3: divide, do not multiply"),
        Mistake(30.0, "the width in between is in every pass of both modes, so it cancels"),
        Mistake(3.0, "that is the number of reverse passes; compare it with the number of forward passes"),
    ],
    hint="a pass costs the same in both modes; count the passes each one needs for all of $J$",
    within=1e-6,
)


# --- predict: what checkpointing costs in time

checkpoint_factor = Exercise(
    "time with checkpoints over time without",
    answer=float(Fraction(4, 3)),
    mistakes=[
        Mistake(2.0, "the forward pass doubles, but the backward pass does not, and it is twice as long"),
        Mistake(1.5, "that is for a backward pass as cheap as the forward one; here it costs twice as much"),
        Mistake(1.25, "that is one block of four; here every layer is run a second time"),
        Mistake(13 / 12, "that is one block of four run again; here every layer is"),
        Mistake(1.0, "memory is not saved for nothing: every layer is run once more"),
    ],
    hint="in units of one forward pass: 1 + 2 without checkpoints; what comes on top?",
    within=2e-3,
)


# --- derive and implement: the adjoint of hₜ = a·hₜ₋₁ + xₜ


def _recurrence_gradient(a: float, x: Any) -> Any:
    h = np.zeros(len(x) + 1)
    for t, x_t in enumerate(x):
        h[t + 1] = a * h[t] + x_t
    h_bar, a_bar, x_bar = 1.0, 0.0, np.zeros(len(x))
    for t in reversed(range(len(x))):
        x_bar[t] = h_bar
        a_bar += h_bar * h[t]
        h_bar *= a
    return np.concatenate([[a_bar], x_bar])


def _recurrence_mistake(kind: str) -> Any:
    def wrong(a: float, x: Any) -> Any:
        right = _recurrence_gradient(a, x)
        if kind == "ascending":
            return np.concatenate([right[:1], right[:0:-1]])
        if kind == "ones":
            return np.concatenate([right[:1], np.ones(len(x))])
        h = 0.0
        for x_t in x[:-1]:
            h = a * h + x_t
        return np.concatenate([[h], right[1:]])  # only the last use of a

    return wrong


recurrence_gradient = Exercise(
    "gradient of a linear recurrence",
    answer=_recurrence_gradient,
    cases=[
        {"a": 0.5, "x": np.array([1.0, 2.0, 3.0])},
        {"a": -2.0, "x": np.array([1.0, 0.0, 1.0, 4.0])},
        {"a": 0.9, "x": _normal(6, 8)},
    ],
    mistakes=[
        Mistake(
            _recurrence_mistake("ascending"), "the order of $\\bar x$: the first input has travelled furthest"
        ),
        Mistake(_recurrence_mistake("ones"), "an early input reaches the end through a factor $a$ per step"),
        Mistake(
            _recurrence_mistake("last"), "$a$ is used in every step, and the adjoints of all its uses add up"
        ),
    ],
    hint="run the recurrence and keep every $h_t$; then walk back with $\\bar h_{t-1}=a\\,\\bar h_t$",
)


# --- break: a smooth function that the engine differentiates wrongly


def _judge_misled(attempt: Any) -> str | None:
    if not (isinstance(attempt, tuple) and len(attempt) == 2 and callable(attempt[0])):
        return "give a pair, a function of one number and the number: f, x."
    f, x = attempt
    try:
        x = float(x)
        slopes = [float(central_difference(lambda t: np.float64(f(t)), x, h)) for h in (1e-3, 1e-4, 1e-5)]
        values = [float(f(np.float64(x + h))) for h in (-1e-4, 0.0, 1e-4)]
    except Exception as error:
        return f"the function has to give a number around x, and raised {type(error).__name__}: use numpy."
    scale = max(1.0, abs(slopes[1]))
    if not np.isfinite(slopes).all() or not np.isfinite(values).all():
        return "the function is not finite around that point: only its derivative may go wrong."
    if abs(values[0] - 2 * values[1] + values[2]) > 1e-6 * scale or np.ptp(slopes) > 1e-2 * scale:
        return "the function has no derivative there, as difference quotients disagree: it has to be smooth."
    try:
        with np.errstate(all="ignore"):
            found = float(gradient(lambda t: f(t) + 0 * t)(x))
    except ValueError as error:
        return f"the engine refuses this function, which is honest of it: let it run. ({str(error)[:60]})"
    if np.isfinite(found) and abs(found - slopes[1]) < 0.05 * scale:
        return (
            f"the engine says {found:.4g} and so do differences: "
            "it differentiates the branch that ran, and 0 times infinity is not 0."
        )
    return None


misled_engine = Exercise(
    "a function the engine gets wrong",
    judge=_judge_misled,
    hint="write a smooth function with a case of its own for one point, or with a branch that is not chosen",
)
