"""Exercises of the chapter on activations: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    above,
    normal,
    positive,
)
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["deadly_step", "repaired_prelu", "steep_gate", "surely_dead", "waking"]


# --- predict: a bias that no input of the box can outweigh

surely_dead = Predict(
    "1. Predict: surely dead",
    r"A ReLU unit of the first layer has the weights $(2,-1,3,-4)$. All inputs lie between $-1$ and $1$. "
    r"What is the largest bias $b$ for which it is dead on every such input?",
    answer=-10,
    within=1e-9,
    mistakes=[
        Mistake(
            -5, r"that is the answer for inputs between 0 and 1; a negative input times $-4$ is positive"
        ),
        Mistake(0, "the sum of the weights is 0, but the inputs need not all be equal"),
        Mistake(10, "the sign: the bias has to outweigh the weights"),
        Mistake(
            above(-9.9), "an input that agrees in sign with every weight brings the pre-activation above 0"
        ),
    ],
    hints=[
        "Which input makes $w^\\top x$ largest?",
        "Choose each $x_j$ on its own: 1 or $-1$, whichever has the sign of its weight.",
    ],
    why=r"The largest $w^\top x$ is $2+1+3+4=10$. At $b=-10$ the highest pre-activation is 0, where a ReLU "
    r"still has output 0 and slope 0 (as torch takes it).",
)


# --- choose: what wakes a dead unit of the first layer

waking = Choose(
    "2. Choose: waking a dead unit",
    "A ReLU unit of the first hidden layer is off on every training example. Training goes on by plain SGD "
    "without weight decay. Which of these can make it learn again?",
    options=[
        Option(
            "another few hundred epochs",
            why="Its gradient is exactly 0 on each example, so each step leaves its weights as they are.",
        ),
        Option("a larger learning rate", why="Any number times a gradient of 0 is 0."),
        Option(
            "new training examples, on some of which its pre-activation is positive",
            right=True,
            why="There its slope is 1, and unless the later layers pass back 0, its weights move.",
        ),
        Option(
            "changing the output weights that read this unit",
            why="They scale what comes back to the unit, but the unit's own slope multiplies it by 0.",
        ),
    ],
    hints=[
        "Write down the gradient of one weight as a product of three factors. Which factor is 0?",
        "That factor depends on the example. Which of the answers changes the examples?",
    ],
)


# --- find the false line: a gate with a steepness


def _steep_gate() -> Derivation:
    d = Derivation("a gate of steepness c", a=normal(), c=positive())
    d.start(r"\frac d{da}\,a\,\sigma(ca)")
    d.equals(r"\sigma(ca)+a\cdot\frac d{da}\sigma(ca)", because="product rule")
    d.equals(r"\sigma(ca)+ca\,\sigma(ca)(1-\sigma(ca))", because="the slope of a sigmoid")
    return d.equals(r"\sigma(ca)\left(1+ca\,\sigma(-ca)\right)", because=r"$1-\sigma(u)=\sigma(-u)$")


steep_gate = FalseLine(
    _steep_gate(),
    {
        3: Variant(r"\sigma(ca)+a\,\sigma(ca)(1-\sigma(ca))", because="the slope of a sigmoid"),
        4: Variant(r"\sigma(ca)\left(1+a\,\sigma(-ca)\right)", because=r"$1-\sigma(u)=\sigma(-u)$"),
    },
    name="3. Find the false line: a steeper gate",
    why=r"By the chain rule $\sigma(ca)$ has the slope $c\,\sigma(ca)(1-\sigma(ca))$. The $c$ was lost.",
    hints=["Which line would also be true for $c=1$ only?", "Let $c$ be large: how steep is the gate at 0?"],
)


# --- repair: what goes back through a PReLU


def _prelu_back(a: Any, slope: Any, delta: Any) -> Any:
    return np.vstack([delta * np.where(a > 0, 1.0, slope), (delta * np.minimum(a, 0)).sum(axis=0)])


def _by_output(a: Any, slope: Any, delta: Any) -> Any:
    out = np.maximum(a, 0) + slope * np.minimum(a, 0)
    return np.vstack([delta * np.where(out > 0, 1.0, slope), (delta * np.minimum(a, 0)).sum(axis=0)])


def _meaned(a: Any, slope: Any, delta: Any) -> Any:
    return np.vstack([delta * np.where(a > 0, 1.0, slope), (delta * np.minimum(a, 0)).mean(axis=0)])


def _given(a: Any, slope: Any, delta: Any) -> Any:
    out = np.maximum(a, 0) + slope * np.minimum(a, 0)
    return np.vstack([delta * np.where(out > 0, 1.0, slope), (delta * a).sum(axis=0)])


def _all_of_a(a: Any, slope: Any, delta: Any) -> Any:
    return np.vstack([delta * np.where(a > 0, 1.0, slope), (delta * a).sum(axis=0)])


def _case(seed: int, slope: list[float], rows: int = 4) -> dict[str, Any]:
    draw = np.random.default_rng(seed)
    shape = rows, len(slope)
    return {"a": draw.normal(size=shape), "slope": np.array(slope), "delta": draw.normal(size=shape)}


repaired_prelu = Exercise(
    "the way back through a PReLU",
    answer=_prelu_back,
    cases=[_case(0, [0.25, -0.5, 1.5]), _case(1, [-1.0, 0.1], 6), _case(2, [0.0], 3)],
    mistakes=[
        Mistake(_given, "this is the function you were given"),
        Mistake(_all_of_a, "the slope multiplies only the negative part of a, so only that part moves it"),
        Mistake(
            _by_output,
            "which branch was taken depends on a; with a negative slope the output has another sign",
        ),
        Mistake(_meaned, "a unit's slope is used by every example: the reports of all uses are added"),
    ],
    hint="two faults: one in the condition, one in what the learned slope is multiplied with",
)


# --- break: one step that kills


def _judge_step(attempt: Any) -> str | None:
    if not (isinstance(attempt, tuple) and len(attempt) == 5):
        return "give five things: X, w, b, y, and which row the step is taken on: X, w, b, y, i."
    try:
        X, w = np.array(attempt[0], dtype=float), np.array(attempt[1], dtype=float)
        b, y, i = float(attempt[2]), float(attempt[3]), int(attempt[4])
        a = X @ w + b
        x, before = X[i], a[i]
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        return f"X is n × d, w has d entries, b and y are numbers, i is a row: {type(error).__name__}."
    if a.ndim != 1 or not 3 <= len(X) <= 10:
        return "X should have between 3 and 10 rows."
    if (
        not np.isfinite([*X.ravel(), *w, b, y]).all()
        or max(np.abs(X).max(), np.abs(w).max(), abs(b), abs(y)) > 10
    ):
        return "keep every number between −10 and 10."
    if len(np.unique(X, axis=0)) < len(X):
        return "two rows of X are the same: all examples should differ."
    if not (a > 0).all():
        return (
            f"the unit has to be on for every example at first, and is off for {int((a <= 0).sum())} of them."
        )
    delta = 2 * (before - y)
    after = X @ (w - 0.1 * delta * x) + b - 0.1 * delta
    alive = int((after > 0).sum())
    if alive:
        way = "the step lifted it" if delta < 0 else "the step was too short for that"
        return f"after the step the unit is still on for {alive} of {len(X)} examples: {way}."
    return None


deadly_step = Exercise(
    "a step that kills",
    judge=_judge_step,
    hint="the pre-activation of z falls by ηδ(1 + xᵀz): which x and which y make that large for every z?",
)
