"""Exercises of the chapter on calibration: a number, a choice, a false line, and two for the notebook."""

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
    probabilities,
    uniform,
)
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above

__all__ = ["equal_size_error", "hidden_error", "lost_square", "what_stays", "which_score"]

which_score = Predict(
    "1. Predict: which score",
    r"You hold out 9 examples and want sets that cover with probability at least $1-\alpha=0.75$. Sort the "
    r"nine scores from the smallest to the largest. Which is the smallest threshold that suffices, whatever "
    r"the model, if the scores are exchangeable and no two are equal? (1 is the smallest score.)",
    answer=8,
    within=0.001,
    mistakes=[
        Mistake(7, r"the new score counts too: take $\lceil0.75\cdot10\rceil$, not $\lceil0.75\cdot9\rceil$"),
        Mistake(7.5, "there is no score number 7.5; which way must you round to keep the promise?"),
        Mistake(6.75, "that is a share of nine; the new score makes ten, and a place is a whole number"),
        Mistake(6, "rounding down breaks the promise"),
        Mistake(2, "small scores fit well: count from the smallest"),
        Mistake(3, "small scores fit well: count from the smallest"),
        Mistake(9, "that covers with probability 0.9: true to the promise, but a smaller score suffices"),
        Mistake(above(9), "then nothing would be excluded; are there too few examples for that promise?"),
    ],
    hints=[
        "Among ten scores in random order, the new one is equally likely to have each rank.",
        r"With which rank $k$ is $k/10$ at least 0.75?",
    ],
    why=r"$k=\lceil0.75\cdot10\rceil=8$: the new score is among the 8 smallest of ten with probability 0.8. "
    "With 7 it would be 0.7.",
)

what_stays = Choose(
    "2. Choose: what a temperature leaves alone",
    r"The logits of a classifier with ten classes are divided by $\tau=3$. What is certain to stay the same?",
    options=[
        Option(
            "which class has the largest probability, for each picture",
            right=True,
            why="Dividing by a positive number keeps the order of the ten logits. So the accuracy stays too.",
        ),
        Option(
            "which of two pictures it is surer of",
            why="With three or more classes this can change: (2, 0, 0) beats (3, 2.2, −9) before, and after "
            "dividing by 3 it is the other way round.",
        ),
        Option(
            "the cross-entropy on the held-out data",
            why="That is the very thing a temperature is chosen to change.",
        ),
        Option(
            "the conformal sets with the same held-out data",
            why=r"Scores $1-\pi_y$ of different pictures can change places, and then so does the threshold.",
        ),
    ],
    hints=["Try it with three classes and two pictures."],
)


def _lost_square() -> FalseLine:
    d = Derivation(
        "what bins resolve",
        where={r"\bar c": r"=\sum_bw_bc_b"},
        w=probabilities(5),
        c=uniform(0, 1, 5),
    )
    d.start(r"\sum_bw_b(c_b-\bar c)^2")
    d.equals(r"\sum_bw_bc_b^2-2\bar c\sum_bw_bc_b+\bar c^2\sum_bw_b", because="multiply out")
    d.equals(r"\sum_bw_bc_b^2-\bar c^2", because=r"$\sum_bw_bc_b=\bar c$ and the shares add up to 1")
    d.equals(r"\bar c(1-\bar c)-\sum_bw_bc_b(1-c_b)", because=r"add and subtract $\bar c$")
    wrong = {
        3: Variant(r"\sum_bw_bc_b^2-2\bar c^2"),
        4: Variant(r"\bar c(1-2\bar c)-\sum_bw_bc_b(1-c_b)"),
    }
    return FalseLine(
        d,
        wrong,
        name="3. Find the false line: a lost square",
        why=r"The middle term is $-2\bar c\cdot\bar c$ and the last is $+\bar c^2$: together $-\bar c^2$.",
        hints=["Put in two groups of one half each, with shares 0 and 1.", r"What is $\sum_bw_b$?"],
    )


lost_square = _lost_square()


def _equal_size(p: Any, y: Any, groups: int) -> float:
    pieces = np.array_split(np.argsort(p, kind="stable"), groups)
    return float(sum(abs(y[piece].sum() - p[piece].sum()) for piece in pieces) / len(p))


def _unsorted(p: Any, y: Any, groups: int) -> float:
    pieces = np.array_split(np.arange(len(p)), groups)
    return float(sum(abs(y[piece].sum() - p[piece].sum()) for piece in pieces) / len(p))


def _unweighted(p: Any, y: Any, groups: int) -> float:
    pieces = np.array_split(np.argsort(p, kind="stable"), groups)
    return float(np.mean([abs(y[piece].mean() - p[piece].mean()) for piece in pieces]))


def _equal_width(p: Any, y: Any, groups: int) -> float:
    number = np.minimum((p * groups).astype(int), groups - 1)
    return float(sum(abs((y - p)[number == b].sum()) for b in range(groups)) / len(p))


def _each_case(p: Any, y: Any, groups: int) -> float:
    return float(np.abs(y - p).mean())


def _case(seed: int, n: int, groups: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=n) ** 2
    return {"p": p, "y": (rng.uniform(size=n) < p).astype(float), "groups": groups}


equal_size_error = Exercise(
    "bins of equal size",
    answer=_equal_size,
    cases=[_case(0, 11, 3), _case(1, 50, 7), _case(2, 8, 8), _case(3, 20, 1)],
    mistakes=[
        Mistake(_unsorted, "sort the forecasts first, and the outcomes with them"),
        Mistake(_unweighted, "the pieces differ in size by one: weigh each gap by its share of the cases"),
        Mistake(_equal_width, "these are bins of equal width; cut the *sorted* forecasts into equal numbers"),
        Mistake(_each_case, "average inside each piece first, and only then take the absolute value"),
    ],
    hint="`np.array_split(np.argsort(p), groups)` gives the row numbers of each piece",
)


def _hides(attempt: Any) -> str | None:
    """None if the forecaster is right, modest and hidden by one bin; else what is wrong."""
    try:
        p, y = attempt
        p, y = np.array(p, dtype=float), np.array(y, dtype=float)
    except (TypeError, ValueError):
        return "give two things: p and y."
    if p.ndim != 1 or p.shape != y.shape or not 1 <= len(p) <= 20:
        return f"p and y are lists of the same length, at most twenty; got {p.shape} and {y.shape}."
    if not (np.isin(y, [0, 1]).all() and ((p >= 0) & (p <= 1)).all()):
        return "forecasts lie between 0 and 1, and outcomes are 0 or 1."
    if not ((p > 0.5) == (y == 1)).all() or (p == 0.5).any():
        return "some forecast is on the wrong side of ½."
    one, ten = _equal_width(p, y, 1), _equal_width(p, y, 10)
    if one > 1e-9:
        return f"with one bin the error is {one:.3g}, not zero."
    if ten < 0.4 - 1e-9:
        return f"with ten bins the error is only {ten:.3g}."
    return None


hidden_error = Exercise(
    "never wrong, and badly calibrated",
    judge=_hides,
    hint="be too modest about what happens and too modest about what does not, equally often",
)
