"""Exercises of the chapter on support vectors: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray
from scipy.optimize import linprog

from chapters_src.models.support_vectors import max_margin
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.samplers import Sampler

__all__ = ["narrow_street", "other_units", "repaired_pair", "squared_slack", "three_points"]


# --- predict: the weight of one of three points

three_points = Predict(
    "1. Predict: the weight of a point",
    r"With pencil and paper: two healthy cells ($y=-1$) at $(0,0)$ and $(0,2)$, a tumour cell ($y=+1$) at "
    r"$(4,1)$, hard margin. What is the weight $\alpha$ of the tumour cell?",
    answer=1 / 8,
    within=1e-3,
    mistakes=[
        Mistake(1 / 16, "that is what each healthy cell carries; both classes carry the same total"),
        Mistake(1 / 4, r"that is the total of all three weights, or you took $w$ of length 1"),
        Mistake(1 / 2, r"that is the length of $w$; which multiple of $(4,1)$ stands in it?"),
        Mistake(2.0, "that is half the width of the street"),
        Mistake(1.0, "that is the score of the tumour cell, on its kerb"),
    ],
    hints=[
        "First find the street: between which two parallel lines can it be widest?",
        r"The kerbs are $x_1=0$ and $x_1=4$, with scores −1 and 1. That gives $w$.",
        r"$w=\sum_i\alpha_iy_ix_i$: look at the first coordinate.",
    ],
    why=r"$w=(\frac12,0)$, and only the tumour cell has a first coordinate: $4\alpha=\frac12$. "
    r"The healthy cells carry $\frac1{16}$ each.",
)


# --- choose: all features are multiplied by ten

other_units = Choose(
    "2. Choose: ten times larger numbers",
    "All features are measured in millimetres instead of centimetres, so that every number grows tenfold. "
    r"How must $C$ change for the soft margin to make the same predictions?",
    options=[
        Option(
            r"$C$ stays: all features change alike, and no direction is favoured.",
            why=r"No direction is favoured, but $\lVert w\rVert^2$ shrinks and the slack does not: "
            "the balance between them changes.",
        ),
        Option(
            r"$C/10$, because $w$ becomes ten times smaller.",
            why=r"$w$ does become ten times smaller. But the objective has its square.",
        ),
        Option(
            r"$C/100$.",
            right=True,
            why=r"With $w/10$ every score and slack is as before, and $\frac12\lVert w\rVert^2$ is "
            r"a hundredth. With $C/100$ the whole objective is a hundredth, least at the same boundary.",
        ),
        Option(
            r"$100\,C$, because distances have grown.",
            why=r"The street is ten times as wide in the new unit, so $\lVert w\rVert^2$ is smaller: "
            "the price has to follow it down.",
        ),
    ],
    hints=[
        "Which weights give the new numbers the old scores?",
        "Compare both terms of the objective for these weights.",
    ],
)


# --- find the false line: the dual for squared slack


def _signs(rng: np.random.Generator, size: tuple[int, ...]) -> ndarray:
    return np.resize([1.0, -1.0], size)


def _balanced(rng: np.random.Generator, size: tuple[int, ...]) -> ndarray:
    """Positive weights whose totals over the even and the odd places agree."""
    alpha, even = rng.uniform(0.1, 1, size), np.arange(size[0]) % 2 == 0
    alpha[even] *= alpha[~even].sum() / alpha[even].sum()
    return alpha


def _squared() -> Derivation:
    rows = np.arange(24.0).reshape(8, 3) % 5 - 2
    half, signs = np.full(8, 0.5), np.resize([1.0, -1.0], 8)
    d = Derivation(
        "slack is squared",
        where={"u": r"=\sum_i\alpha_iy_ix_i"},
        X=normal(8, 3),
        y=Sampler("±1", _signs, (8,)),
        alpha=Sampler("equal totals", _balanced, (8,)),
        w=normal(3),
        b=normal(),
        C=uniform(0.5, 3),
    )
    d.start(r"\frac12\lVert w\rVert^2+\frac C2\sum_i\max(0,1-y_i(w^\top x_i+b))^2")
    d.at_least(
        r"\frac12\lVert w\rVert^2+\sum_i\alpha_i(1-y_i(w^\top x_i+b))-\frac1{2C}\sum_i\alpha_i^2",
        because=r"$\frac C2\xi_i^2\ge\alpha_i\xi_i-\frac1{2C}\alpha_i^2$, with the slack $\xi_i\ge1-y_is_i$",
        tight={"w": np.zeros(3), "b": 0.0, "alpha": np.full(8, 1.5), "C": 1.5},
    )
    d.equals(
        r"\frac12\lVert w\rVert^2-w^\top u+\sum_i\alpha_i-\frac1{2C}\sum_i\alpha_i^2",
        because=r"$\sum_i\alpha_iy_i=0$",
    )
    d.equals(
        r"\frac12\lVert w-u\rVert^2-\frac12\lVert u\rVert^2+\sum_i\alpha_i-\frac1{2C}\sum_i\alpha_i^2",
        because="complete the square",
    )
    return d.at_least(
        r"\sum_i\alpha_i-\frac12\lVert u\rVert^2-\frac1{2C}\sum_i\alpha_i^2",
        because="a square is not negative",
        tight={"X": rows, "y": signs, "alpha": half, "w": rows.T @ (half * signs)},
    )


squared_slack = FalseLine(
    _squared(),
    {
        4: Variant(
            r"\frac12\lVert w-u\rVert^2-\lVert u\rVert^2+\sum_i\alpha_i-\frac1{2C}\sum_i\alpha_i^2",
            because="complete the square",
        ),
        5: Variant(
            r"\sum_i\alpha_i-\lVert u\rVert^2-\frac1{2C}\sum_i\alpha_i^2",
            because="a square is not negative",
        ),
    },
    name="3. Find the false line: squared slack",
    question=r"Slack is now charged by its square. Take any $w$ and $b$, and any $\alpha_i\ge0$ with "
    r"$\sum_i\alpha_iy_i=0$; $u=\sum_i\alpha_iy_ix_i$ as in the text. One step does not follow, and the "
    "mistake is carried on. Which line is the first that is false?",
    why=r"$\frac12\lVert w-u\rVert^2$ contains $\frac12\lVert u\rVert^2$, so that half of it has to be taken "
    r"away. The dual is $D(\alpha)-\frac1{2C}\sum_i\alpha_i^2$, and no upper bound on $\alpha_i$ is needed.",
    hints=[r"Put $w=0$ into each line: what is left?", r"Multiply out $\frac12\lVert w-u\rVert^2$."],
)


# --- repair: a step for a pair that clips each weight by itself


def _step(K: Any, y: Any, alpha: Any, i: int, j: int, shared: float = 2.0) -> float:
    E = K @ (alpha * y) - y
    return float((E[j] - E[i]) / (K[i, i] + K[j, j] - shared * K[i, j]))


def _moved(y: Any, alpha: Any, C: float, i: int, j: int, t: float) -> Any:
    """Both weights after the step t, cut at the walls of the box."""
    up_i, down_i = (C - alpha[i], alpha[i]) if y[i] > 0 else (alpha[i], C - alpha[i])
    up_j, down_j = (C - alpha[j], alpha[j]) if y[j] > 0 else (alpha[j], C - alpha[j])
    t = float(np.clip(t, -min(down_i, up_j), min(up_i, down_j)))
    return alpha + _change(y, i, j, t)


def _each_clipped(K: Any, y: Any, alpha: Any, C: float, i: int, j: int) -> Any:
    return np.clip(_unclipped(K, y, alpha, C, i, j), 0, C)


def _unclipped(K: Any, y: Any, alpha: Any, C: float, i: int, j: int) -> Any:
    return alpha + _change(y, i, j, _step(K, y, alpha, i, j))


def _change(y: Any, i: int, j: int, t: float) -> Any:
    change = np.zeros(len(y))
    change[i], change[j] = y[i] * t, -y[j] * t
    return change


_X = np.array([[2.0, 1.0], [1.0, 2.0], [0.5, -1.0], [-1.0, 0.0]])
_Y = np.array([1.0, -1.0, 1.0, -1.0])
_PAIR = {"K": _X @ _X.T, "y": _Y}

repaired_pair = Exercise(
    "a repaired step for a pair",
    answer=lambda K, y, alpha, C, i, j: _moved(y, alpha, C, i, j, _step(K, y, alpha, i, j)),
    cases=[
        {**_PAIR, "alpha": np.array([0.3, 0.1, 0.2, 0.4]), "C": 0.5, "i": 0, "j": 1},
        {**_PAIR, "alpha": np.array([0.3, 0.1, 0.2, 0.4]), "C": 0.5, "i": 1, "j": 0},
        {**_PAIR, "alpha": np.zeros(4), "C": 10.0, "i": 0, "j": 1},
        {**_PAIR, "alpha": np.array([0.5, 0.5, 0.0, 0.0]), "C": 0.5, "i": 2, "j": 3},
        {**_PAIR, "alpha": np.array([0.0, 0.25, 0.5, 0.25]), "C": 0.5, "i": 1, "j": 3},
    ],
    mistakes=[
        Mistake(_each_clipped, "each weight is cut by itself, so one moves further: what is Σ αᵢyᵢ?"),
        Mistake(_unclipped, "a weight has left the box from 0 to C"),
        Mistake(
            lambda K, y, alpha, C, i, j: _moved(y, alpha, C, i, j, -_step(K, y, alpha, i, j)),
            "this walks down: the dual is to be made large",
        ),
        Mistake(
            lambda K, y, alpha, C, i, j: _moved(y, alpha, C, i, j, _step(K, y, alpha, i, j, shared=1.0)),
            "the curvature is ‖xᵢ − xⱼ‖², with 2Kᵢⱼ",
        ),
        Mistake(lambda K, y, alpha, C, i, j: alpha, "the pair does not move at all"),
    ],
    hint="how far may t go in each direction before αᵢ or αⱼ meets 0 or C? Cut t, then move both",
)


# --- break: a point that narrows the street

_TUMOUR = [[8.2, 8.4], [6.2, 6.8], [7.6, 5.4], [8.6, 7.0], [6.9, 8.6], [8.8, 4.4], [5.4, 8.2]]
_HEALTHY = [[2.0, 3.0], [3.6, 2.2], [1.4, 5.0], [4.4, 3.6], [2.8, 4.6], [5.4, 1.6], [1.2, 1.6]]
_CELLS, _LABELS = np.array([*_TUMOUR, *_HEALTHY]), np.repeat([1.0, -1.0], 7)


def _separable(X: ndarray, y: ndarray) -> bool:
    """Whether a line has all points on their sides: a linear program asks for margins of 1."""
    rows = -y[:, None] * np.column_stack([X, np.ones(len(y))])
    return bool(linprog(np.zeros(3), A_ub=rows, b_ub=-np.ones(len(y)), bounds=(None, None)).success)


def _judge_intruder(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: a point and its label."
    point, label = (as_numbers(part) for part in attempt)
    if point.shape != (2,) or label.shape != () or abs(float(label)) != 1:
        return "give two coordinates and a label of −1 or 1, such as (5.0, 5.0), 1.0."
    if not np.isfinite(point).all() or np.abs(point).max() > 1e3:
        return "coordinates of at most a thousand, please."
    X, y = np.vstack([_CELLS, point]), np.append(_LABELS, float(label))
    if not _separable(X, y):
        return "no line separates the fifteen points any more."
    hard, soft = ([max_margin(_CELLS, _LABELS, C).w, max_margin(X, y, C).w] for C in (1e4, 0.1))
    share = float(np.linalg.norm(hard[0]) / np.linalg.norm(hard[1]))
    if share > 0.1:
        return f"the street still has {share:.0%} of its width."
    cosine = soft[0] @ soft[1] / np.linalg.norm(soft[0]) / np.linalg.norm(soft[1])
    turned = float(np.degrees(np.arccos(min(1.0, cosine))))
    return None if turned < 5 else f"at C = 0.1 the boundary turns by {turned:.1f}°."


narrow_street = Exercise(
    "a point that narrows the street",
    judge=_judge_intruder,
    answer=((4.55, 3.7), 1.0),
    hint="which cell is nearest to the boundary? Put one of the other kind right in front of it",
)
