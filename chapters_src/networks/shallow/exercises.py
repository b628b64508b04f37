"""Exercises of the chapter on shallow networks: implement, derive, predict, break.

Each is named like what the reader writes: ``exercises.forward.check(forward)``.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from chapters_src.networks.shallow import Network, linear_pieces
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["five_lines", "forward", "jointless", "outer_weights", "pieces_enough", "slope_at"]


def _layers(seed: int, n: int, D_i: int, D_h: int, D_o: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    shapes = {"X": (n, D_i), "W1": (D_i, D_h), "b1": (D_h,), "W2": (D_h, D_o), "b2": (D_o,)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


# --- implement: the general network

# small enough to do by hand; a square first layer, so that a transposed W₁ runs and is found out
BY_HAND = {
    "X": np.array([[1.0, 2.0], [3.0, -1.0]]),
    "W1": np.array([[1.0, -1.0], [2.0, 1.0]]),
    "b1": np.array([-6.0, 1.0]),
    "W2": np.array([[1.0], [-2.0]]),
    "b2": np.array([0.5]),
}


def _relu(a: Any) -> Any:
    return np.maximum(a, 0)


forward = Exercise(
    "the general shallow network",
    answer=lambda X, W1, b1, W2, b2: _relu(X @ W1 + b1) @ W2 + b2,
    cases=[BY_HAND, _layers(1, 5, 3, 4, 2), _layers(2, 1, 1, 3, 1), _layers(3, 7, 2, 6, 3)],
    mistakes=[
        Mistake(
            lambda X, W1, b1, W2, b2: (X @ W1 + b1) @ W2 + b2,
            "without an activation the two maps collapse into one: clip between them",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2: _relu(_relu(X @ W1 + b1) @ W2 + b2),
            "the output is not clipped; a regression may well be negative",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2: _relu((X @ W1 + b1) @ W2 + b2),
            "the activation belongs between the two maps, not at the end",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2: (_relu(X @ W1) + b1) @ W2 + b2,
            "the bias moves the joint, so it is added before clipping",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2: _relu(X @ W1) @ W2 + b2,
            "where is $b_1$? Without it every joint goes through the origin",
        ),
        Mistake(lambda X, W1, b1, W2, b2: _relu(X @ W1 + b1) @ W2, "the output has an offset $b_2$"),
        Mistake(
            lambda X, W1, b1, W2, b2: _relu(X @ W1.T + b1) @ W2 + b2,
            "here $W_1$ is (inputs, units) and used as it is; torch keeps the transpose",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2: np.abs(X @ W1 + b1) @ W2 + b2,
            "clip at zero; the absolute value folds instead",
        ),
    ],
    hint="three steps: $a = XW_1 + b_1$, then $h = \\max(0, a)$, then $hW_2 + b_2$",
)


# --- derive: dŷ/dx between joints


def _unit_case(x: float, w: Any, b: Any, v: Any, c: float) -> dict[str, Any]:
    return {"x": x, "w": np.array(w), "b": np.array(b), "v": np.array(v), "c": c}


def _slope(x: Any, w: Any, b: Any, v: Any, c: Any) -> Any:
    return ((w * x + b > 0) * v * w).sum()


slope_at = Exercise(
    "the slope between joints",
    answer=_slope,
    cases=[
        _unit_case(0.5, [1.5, -1.0, 1.2], [1.5, 0.7, -1.2], [0.8, 1.5, -2.0], -0.5),
        _unit_case(-3.0, [1.0, 2.0], [0.0, 1.0], [5.0, 7.0], 2.0),
        _unit_case(2.0, [-1.0, 2.0, 0.5], [0.5, -3.0, 1.0], [1.0, -1.0, 4.0], 0.0),
        _unit_case(-1.0, [-2.0], [1.0], [3.0], 1.0),
    ],
    mistakes=[
        Mistake(
            lambda x, w, b, v, c: (v * w).sum(),
            "units that are off contribute nothing: only where $w_dx+b_d>0$ is there a slope",
        ),
        Mistake(
            lambda x, w, b, v, c: ((w * x + b > 0) * w).sum(),
            "each activation is weighted by $v_d$ before it is added",
        ),
        Mistake(
            lambda x, w, b, v, c: ((w * x + b > 0) * v).sum(),
            "the inner derivative of $\\phi(w_dx+b_d)$ brings down $w_d$",
        ),
        Mistake(
            lambda x, w, b, v, c: ((w * x + b > 0) * v * np.abs(w)).sum(),
            "$\\lvert w\\rvert v$ is the bend at a joint; a unit that is on has slope $vw$, sign and all",
        ),
        Mistake(
            lambda x, w, b, v, c: c + (_relu(w * x + b) * v).sum(),
            "this is the height of the network; its slope is asked for",
        ),
        Mistake(
            lambda x, w, b, v, c: ((w * x + b < 0) * v * w).sum(),
            "a unit is on where its pre-activation is positive",
        ),
        Mistake(
            lambda x, w, b, v, c: c + ((w * x + b > 0) * v * w).sum(),
            "the offset $c$ does not change with $x$",
        ),
    ],
    hint="differentiate $c+\\sum_dv_d\\max(0,w_dx+b_d)$ term by term",
)


# --- implement: outer weights of the interpolating network


def _changes(knots: Any, values: Any) -> Any:
    return np.diff(np.diff(values) / np.diff(knots), prepend=0.0)


outer_weights = Exercise(
    "outer weights from slopes",
    answer=_changes,
    cases=[
        {"knots": np.array([0.0, 1.0, 3.0, 4.0]), "values": np.array([1.0, 3.0, 2.0, 7.0])},
        {"knots": np.array([-1.0, 1.0]), "values": np.array([2.0, 5.0])},
        {"knots": np.linspace(-1, 1, 9), "values": np.linspace(-1, 1, 9) ** 2},
        {"knots": np.array([0.5, 0.75, 2.0, 2.5, 5.0]), "values": np.array([0.0, -1.0, 4.0, 4.0, 4.5])},
    ],
    mistakes=[
        Mistake(
            lambda knots, values: np.diff(values) / np.diff(knots),
            "these are the slopes, but earlier hinges go on rising: each adds only the *change* of slope",
        ),
        Mistake(
            lambda knots, values: np.diff(np.diff(values), prepend=0.0),
            "a slope is a rise over a run: divide by the gaps between the knots",
        ),
        Mistake(
            lambda knots, values: np.diff(np.diff(values), prepend=0.0) / np.diff(knots),
            "take the slopes first and their differences then: the gaps differ",
        ),
        Mistake(
            lambda knots, values: np.diff(np.diff(values) / np.diff(knots)),
            "the first hinge is missing: at $x_0$ the slope changes from 0 to $s_0$",
        ),
        Mistake(
            lambda knots, values: -_changes(knots, values), "the sign is turned: a rising slope needs $v_j>0$"
        ),
        Mistake(
            lambda knots, values: values[:-1],
            "the network would not pass through the points: what does a hinge add after its knot?",
        ),
    ],
    hint="between knots $k$ and $k+1$ the slope is $v_0+\\dots+v_k$, and it has to be $s_k$",
)


# --- derive: how many shifted chords are enough under a parabola


def _pieces(M: float, width: float, tolerance: float, factor: float = 16.0) -> int:
    return ceil(width * np.sqrt(M / (factor * tolerance)))


pieces_enough = Exercise(
    "chords, moved towards the curve",
    answer=_pieces,
    cases=[
        {"M": 2.0, "width": 2.0, "tolerance": 0.0007},
        {"M": 1.0, "width": 6.3, "tolerance": 0.01},
        {"M": 5.0, "width": 1.0, "tolerance": 1e-5},
        {"M": 0.1, "width": 1.0, "tolerance": 1.0},
    ],
    mistakes=[
        Mistake(
            lambda M, width, tolerance: _pieces(M, width, tolerance, 8.0),
            "that many chords are enough *without* moving them: a shift halves the error",
        ),
        Mistake(
            lambda M, width, tolerance: _pieces(M, width, tolerance, 4.0),
            "moving the chord makes the error smaller, not larger",
        ),
        Mistake(
            lambda M, width, tolerance: width * np.sqrt(M / (16 * tolerance)),
            "a number of pieces is whole: round up",
        ),
        Mistake(
            lambda M, width, tolerance: int(width * np.sqrt(M / (16 * tolerance))),
            "rounding down leaves pieces that are a little too wide",
        ),
        Mistake(
            lambda M, width, tolerance: ceil(width * M / (16 * tolerance)),
            "the error goes with the *square* of the width of a piece: take a root",
        ),
        Mistake(
            lambda M, width, tolerance: ceil(width * np.sqrt(M / (32 * tolerance))),
            "no line can be that good: under a parabola the error is at least $M\\delta^2/16$",
        ),
    ],
    hint="a chord misses by $M\\delta^2/8$ in the middle, by nothing at its ends; move it half-way",
)


# --- predict: regions of five lines, some parallel, three through one point

five_lines = Exercise(
    "regions of five lines",
    answer=13,
    mistakes=[
        Mistake(16, "that is the most five lines can make; here some are parallel and three meet in a point"),
        Mistake(14, "three of the lines meet in one point, which costs a region"),
        Mistake(15, "two pairs are parallel, and three lines meet in one point: each costs a region"),
        Mistake(12, "the three lines through the origin make 6 regions: what do the other two add?"),
        Mistake(32, "$2^5$ counts all patterns of on and off, but in the plane most of them do not occur"),
        Mistake(6, "$D+1$ is for one input, where joints are points"),
    ],
    hint="add the lines one by one: each adds as many regions as the earlier ones cut it into pieces",
    within=1e-9,
)


# --- break: four units without a joint


def _judge_jointless(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 4:
        return "give four things: w, b, v, c."
    w, b, v, c = (as_numbers(part) for part in attempt)
    if not (w.shape == b.shape == v.shape == (4,) and c.shape == ()):
        shapes = ", ".join(str(part.shape) for part in (w, b, v, c))
        return f"w, b and v must have shape (4,) and c be a number; got {shapes}."
    if not all(np.isfinite(part).all() for part in (w, b, v, c)):
        return "all numbers must be finite."
    if not w.all() or not v.all():
        return "every w and every v must differ from zero: such a unit has no joint to hide."
    if len({(w_d, b_d) for w_d, b_d in zip(w.tolist(), b.tolist(), strict=True)}) < 4:
        return "two of the units are alike, and could be one."
    pieces = linear_pieces(Network(w[None], b, v[:, None], c[None]))
    if len(pieces.joints):
        bend = np.diff(pieces.slopes[:, 0])[0]
        return f"there is a joint at {pieces.joints[0]:.4g}, where the slope changes by {bend:.3g}."
    if pieces.slopes[0, 0] == 0:
        return "the network is constant; let it rise or fall."
    return None


jointless = Exercise(
    "four units without a joint",
    judge=_judge_jointless,
    answer=(
        np.array([1.0, -1.0, 2.0, -2.0]),
        np.array([1.0, -1.0, 0.0, 0.0]),
        np.array([3.0, -3.0, 1.0, -1.0]),
        0.0,
    ),
    hint="a unit bends by $\\lvert w\\rvert v$ at $-b/w$; two units at one place, facing apart, can cancel",
)
