"""Exercises of the chapter on approximation: predict, choose, find the false line, reach, implement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    normal,
    positive,
    uniform,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "flat_on_both_sides",
    "root_error",
    "sag_of_a_parabola",
    "steep_at_one_end",
    "what_is_promised",
    "where_to_bend",
]


# --- predict: chords of √x at equal distances; how many times as many units for a tenth of the error?

steep_at_one_end = Predict(
    "1. Predict: steep at one end",
    r"A network interpolates $\sqrt x$ on $[0,1]$ at equal distances. By which factor must the number of "
    r"units grow, so that its largest error falls to a tenth?",
    answer=100,
    within=0.5,
    mistakes=[
        Mistake(10, r"so it would be for a Lipschitz function; how steep is $\sqrt x$ at 0?"),
        Mistake(np.sqrt(10), r"so it would be if $f''$ were bounded; look at $x=0$"),
        Mistake(1000, "too many: the error goes down with the square root of the spacing"),
    ],
    hints=[
        "On which segment is the error largest?",
        r"On the first segment, $[0,\delta]$, the chord is $x/\sqrt\delta$.",
        r"The largest value of $\sqrt x-x/\sqrt\delta$ is $\frac14\sqrt\delta$.",
    ],
    why=r"The first segment is the worst, with the error $\frac14\sqrt\delta$. A tenth of it takes a "
    r"hundredth of the spacing. The modulus of continuity says the same: $\omega(\delta)=\sqrt\delta$.",
)


# --- choose: what the theorem says

what_is_promised = Choose(
    "2. Choose: what is promised",
    "Hinges, one input, one hidden layer. Which of these sentences has this chapter proved?",
    options=[
        Option(
            r"For every continuous $f$ on $[0,1]$ some number of units is enough to come within 0.01.",
            right=True,
            why="This is the theorem. The number depends on $f$, and nothing is said about finding the "
            "weights.",
        ),
        Option(
            r"Some number of units is enough to come within 0.01 of every continuous $f$ from $[0,1]$ to "
            r"$[0,1]$.",
            why="With $m$ units there are at most $m+1$ straight pieces. A function that goes up and down "
            "more often than that is missed, so no width serves all.",
        ),
        Option(
            r"For every continuous $f$ on $\mathbb R$ some number of units is enough to come within 0.01 "
            "everywhere.",
            why=r"Beyond the last joint the network is a straight line. It leaves $x^2$ without limit.",
        ),
        Option(
            r"With enough units, gradient descent from a random start comes within 0.01 of $f$.",
            why="The theorem says that the weights exist. What descent finds is another question, and "
            "nothing here proves an answer.",
        ),
    ],
    hints=["Mind the order: is the function chosen first, or the number of units?"],
)


# --- find the false line: how far a chord of a parabola is from it, exactly


def _sag() -> Derivation:
    d = Derivation(
        "a chord of a parabola",
        where={"f(u)": "=u^2"},
        p=normal(),
        delta=positive(),
        t=uniform(0, 1),
    )
    d.start(r"f(p+t\delta)-(1-t)f(p)-t\,f(p+\delta)")
    squared = r"(p+t\delta)^2-(1-t)^2p^2-t^2(p+\delta)^2"
    d.equals(r"(p+t\delta)^2-(1-t)p^2-t(p+\delta)^2", because="$f(u)=u^2$", broken=squared)
    d.equals(r"2pt\delta+t^2\delta^2-2pt\delta-t\delta^2", because="multiply out")
    return d.equals(r"-t(1-t)\delta^2", because="collect")


sag_of_a_parabola = FalseLine(
    _sag(),
    {
        2: Variant(r"(p+t\delta)^2-(1-t)^2p^2-t^2(p+\delta)^2", because="$f(u)=u^2$"),
        3: Variant(r"2t(1-t)p^2+2t(1-t)p\delta", because="multiply out"),
        4: Variant(r"2t(1-t)p(p+\delta)", because="collect"),
    },
    name="3. Find the false line: a chord of a parabola",
    why=r"The weights $1-t$ and $t$ stand outside $f$ and are not squared. The result gives it away: a "
    r"parabola is bent equally everywhere, so its distance from a chord cannot depend on the place $p$.",
    hints=[
        "What should happen to the result if the same chord is drawn elsewhere on the parabola?",
        r"Put in $p=0$ and $t=\frac12$.",
    ],
)


# --- reach: eight units for √x

UNITS = 8
TARGET = 0.01


def root_error(knots: Any) -> float:
    """The largest error of the chords of √x, exactly: (√b − √a)² / 4(√a + √b) on the segment [a, b]."""
    roots: ndarray = np.sqrt(np.asarray(knots, float))
    return float((np.diff(roots) ** 2 / (4 * (roots[1:] + roots[:-1]))).max())


def _judge_knots(attempt: Any) -> str | None:
    knots = as_numbers(attempt)
    if knots.shape != (UNITS + 1,):
        return f"give {UNITS + 1} knots, for {UNITS} units; got shape {knots.shape}."
    if not np.isfinite(knots).all() or (np.diff(knots) <= 0).any():
        return "the knots must be in rising order."
    if knots[0] != 0 or knots[-1] != 1:
        return f"the knots must run from 0 to 1; these run from {knots[0]:g} to {knots[-1]:g}."
    off = root_error(knots)
    if off <= TARGET:
        return None
    roots = np.sqrt(knots)
    worst = int(np.argmax(np.diff(roots) ** 2 / (roots[1:] + roots[:-1])))
    return (
        f"the largest error is {off:.4f}, on segment {worst + 1} of {UNITS}, from {knots[worst]:.3g} to "
        f"{knots[worst + 1]:.3g}."
    )


where_to_bend = Exercise(
    "where to bend",
    judge=_judge_knots,
    answer=(np.arange(UNITS + 1) / UNITS) ** 4,
    hint="the square root bends most near 0: crowd the knots there, for example with a power of j/8",
)


# --- implement: the outer weights of a network that is flat on both sides of its knots


def _flat(knots: Any, values: Any) -> Any:
    return np.diff(np.diff(values) / np.diff(knots), prepend=0.0, append=0.0)


def _last_goes_on(knots: Any, values: Any) -> Any:
    slopes = np.diff(values) / np.diff(knots)
    return np.append(np.diff(slopes, prepend=0.0), 0.0)


def _slopes_as_weights(knots: Any, values: Any) -> Any:
    return np.append(np.diff(values) / np.diff(knots), 0.0)


def _twice_the_last(knots: Any, values: Any) -> Any:
    weights = _flat(knots, values)
    return np.append(weights[:-1], -weights[:-1][-1])


def _other_sign(knots: Any, values: Any) -> Any:
    return -_flat(knots, values)


flat_on_both_sides = Exercise(
    "flat on both sides",
    answer=_flat,
    cases=[
        {"knots": np.array([0.0, 1.0, 3.0]), "values": np.array([1.0, 2.0, -2.0])},
        {"knots": np.array([-1.0, 0.0]), "values": np.array([0.0, 2.0])},
        {"knots": np.array([0.0, 0.5, 1.0, 2.0, 4.0]), "values": np.array([3.0, 1.0, 1.0, 2.0, -1.0])},
    ],
    mistakes=[
        Mistake(_last_goes_on, "to the right of the last knot this goes on with the last slope"),
        Mistake(
            _slopes_as_weights, "slopes add up: each hinge must bring the change of slope, not the slope"
        ),
        Mistake(_twice_the_last, "the last hinge must undo the whole slope, not the change before it"),
        Mistake(_other_sign, "upside down: the change is the new slope less the old"),
    ],
    hint="what is the slope just before the last knot, and what should it be after it?",
)
