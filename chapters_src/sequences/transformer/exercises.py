"""Exercises of the chapter on transformers: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio.derivation import Derivation, normal
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.questions import Choose, Option, Predict

__all__ = ["gate_slope", "gated_width", "one_side_turned", "repaired_block", "shift_matrix"]


# --- predict: how wide a gated network may be

gated_width = Predict(
    "1. Predict: how wide may the gate be?",
    "A model has $d=768$, and its network has $4d=3072$ hidden units in two matrices. You replace it by "
    "SwiGLU, which has three matrices, and want the same number of weights (no biases). How many hidden "
    "units may it have?",
    answer=2048,
    mistakes=[
        Mistake(3072, "three matrices of that width have half as many weights again"),
        Mistake(1536, "that halves the width; three matrices must share what two had"),
        Mistake(1024, "a third of the width is too little: two matrices had $2\\cdot3072\\,d$ weights"),
        Mistake(4608, "a third matrix needs room: the width must fall"),
        Mistake(6144, "that is $2\\cdot3072$, what the three widths have to share"),
    ],
    hints=[
        "Count the weights of each, as a multiple of $d$.",
        "$3\\,d\\,m=2\\,d\\cdot3072$.",
    ],
    why="$3dm=2d\\cdot4d$ gives $m=\\frac83d=2048$.",
)


# --- choose: rotary encoding of the queries alone

one_side_turned = Choose(
    "2. Choose: only the queries were turned",
    "Somebody applies rotary encoding to the queries and forgets the keys. What can a score tell about "
    "positions now?",
    options=[
        Option(
            "Where the query stands, and nothing about the key's position.",
            right=True,
            why="The score is $x^\\top R(p\\omega)^\\top y$: $p$ is in it, and $q$ is not.",
        ),
        Option(
            "The offset, as before.", why="The offset came from $R(q\\omega)$ meeting $R(p\\omega)^\\top$."
        ),
        Option(
            "Nothing: one turn changes no inner product.",
            why="Turning *both* vectors by the same angle changes nothing; here one of them is turned.",
        ),
        Option(
            "Where the key stands.",
            why="The key was left as it is, so its position is nowhere in the score.",
        ),
    ],
    hints=["Write the score with $R(q\\omega)$ replaced by $I$.", "Which of $p$ and $q$ is left?"],
)


# --- find the false line: the slope of a gated unit


def _gate() -> Derivation:
    d = Derivation("the slope of a gated unit", x=normal(), w=normal(), v=normal())
    d.start(r"\frac{\partial}{\partial x}\left(wx\,\sigma(wx)\,vx\right)")
    d.equals(
        r"w\,\sigma(wx)\,vx+wx\,\sigma(wx)\left(1-\sigma(wx)\right)w\,vx+wx\,\sigma(wx)\,v",
        because="the product rule, factor by factor",
    )
    d.equals(
        r"2vwx\,\sigma(wx)+vw^2x^2\,\sigma(wx)\left(1-\sigma(wx)\right)",
        because="the first and the last term are the same",
    )
    return d.equals(
        r"vwx\,\sigma(wx)\left(2+wx\left(1-\sigma(wx)\right)\right)", because="take out what both terms share"
    )


gate_slope = FalseLine(
    _gate(),
    {
        2: Variant(
            r"w\,\sigma(wx)\,vx+wx\,\sigma(wx)\left(1-\sigma(wx)\right)vx+wx\,\sigma(wx)\,v",
            because="the product rule, factor by factor",
        ),
        3: Variant(
            r"2vwx\,\sigma(wx)+vwx^2\,\sigma(wx)\left(1-\sigma(wx)\right)",
            because="the first and the last term are the same",
        ),
        4: Variant(
            r"vwx\,\sigma(wx)\left(2+x\left(1-\sigma(wx)\right)\right)",
            because="take out what both terms share",
        ),
    },
    name="3. Find the false line: the slope of a gated unit",
    question="One hidden unit of SwiGLU with one input is $wx\\,\\sigma(wx)\\cdot vx$. Here is its slope. "
    "Which is the first false line?",
    why="The inner derivative of $\\sigma(wx)$ is $w$, and the middle term lost it.",
    hints=["Three factors contain $x$, so the rule gives three terms.", "Differentiate $\\sigma(wx)$ alone."],
)


# --- repair: a post-norm block that runs and is wrong


def _norm(x: Any, axis: int = -1) -> Any:
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + 1e-5)


def _post(axis: int = -1, second_skip: bool = True, pre: bool = False) -> Callable[..., Any]:
    """The block of the exercise with some of its faults repaired."""

    def block(x: Any, A: Any, V: Any, W_1: Any, W_2: Any) -> Any:
        if pre:
            y = x + A @ _norm(x, axis) @ V
            return y + np.maximum(_norm(y, axis) @ W_1, 0) @ W_2
        y = _norm(x + A @ x @ V, axis)
        return _norm((y if second_skip else x) + np.maximum(y @ W_1, 0) @ W_2, axis)

    return block


def _tokens(seed: int, T: int, d: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    weights = rng.random((T, T))
    draw = lambda *shape: rng.normal(size=shape) / np.sqrt(d)  # noqa: E731
    return {
        "x": 1 + rng.normal(size=(T, d)),
        "A": weights / weights.sum(axis=1, keepdims=True),
        "V": draw(d, d),
        "W_1": draw(d, 2 * d),
        "W_2": draw(2 * d, d),
    }


repaired_block = Exercise(
    "a post-norm block, repaired",
    answer=_post(),
    cases=[_tokens(0, 3, 4), _tokens(1, 5, 6), _tokens(2, 2, 8)],
    mistakes=[
        Mistake(
            _post(axis=0, second_skip=False),
            "as it stands: follow one token. Whose mean is subtracted, and what is its second short cut?",
        ),
        Mistake(
            _post(axis=0),
            "the short cuts are right; now the norm: a token must not depend on the mean of other tokens",
        ),
        Mistake(
            _post(second_skip=False),
            "the norm is right; now the second short cut: what attention brought is no longer in the stream",
        ),
        Mistake(_post(pre=True), "that is a pre-norm block; this one has its norms after the additions"),
    ],
    hint="there are two faults: one in which axis is averaged, one in what the network's output is added to",
)


# --- implement: the matrix that moves every row of the sinusoidal table on by k


def _blocks(k: float, d: int, base: float, sign: float = 1.0, power: float = 2.0) -> Any:
    M = np.zeros((d, d))
    for i in range(d // 2):
        a = k * base ** (-power * i / d)
        c, s = np.cos(a), sign * np.sin(a)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return M


def _halves(k: float, d: int, base: float) -> Any:
    order = np.argsort(np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)]))
    return _blocks(k, d, base)[np.argsort(order)][:, np.argsort(order)]


shift_matrix = Exercise(
    "shift_matrix",
    answer=_blocks,
    cases=[
        {"k": 3, "d": 4, "base": 100.0},
        {"k": 1, "d": 2, "base": 10.0},
        {"k": -7, "d": 6, "base": 10_000.0},
        {"k": 250, "d": 16, "base": 10_000.0},
    ],
    mistakes=[
        Mistake(
            lambda k, d, base: _blocks(k, d, base, sign=-1.0),
            "that matrix moves back by $k$; a *row* of the table stands on its left",
        ),
        Mistake(
            lambda k, d, base: _blocks(k, d, base, power=1.0),
            "pair $i$ turns by $\\text{base}^{-2i/d}$ radians per step: the 2 is missing",
        ),
        Mistake(
            lambda k, d, base: _blocks(k, d, base, power=-2.0),
            "later pairs turn more slowly, so the exponent is negative",
        ),
        Mistake(
            lambda k, d, base: _blocks(1, d, base),
            "the angle is $\\omega_ik$: a step of $k$ turns $k$ times as far as a step of 1",
        ),
        Mistake(
            _halves,
            "that is for a table with all sines first; here sines and cosines alternate",
        ),
        Mistake(
            lambda k, d, base: np.eye(d) * np.cos(k * base ** (-2 * (np.arange(d) // 2) / d)),
            "cosines alone shrink a row; a turn needs the sines beside the diagonal",
        ),
    ],
    hint="two columns at a time: find $M_i$ with "
    "$[\\sin\\omega(p+k),\\cos\\omega(p+k)]=[\\sin\\omega p,\\cos\\omega p]\\,M_i$",
)
