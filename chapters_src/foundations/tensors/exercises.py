"""Exercises of the chapter on tensors: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.foundations.tensors import naive_variance
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["all_pairs", "column_against_row", "mirror", "negative_variance", "without_one"]


# --- predict: how large is the table of all differences?

all_pairs = Predict(
    "1. Predict: the price of all pairs",
    r"A table `X` has 1,000 rows and 50 columns of float64, eight bytes each. How many megabytes "
    r"($10^6$ bytes) does `X[:, None] - X` take, the differences of every row from every other?",
    answer=400,
    within=1,
    unit="MB",
    mistakes=[
        Mistake(0.4, "that is `X` itself; what is the shape of the result?"),
        Mistake(8, "that is one number per pair of rows; here a pair keeps all its columns"),
        Mistake(50, "eight bytes per number"),
        Mistake(20, "align the shapes at the right: (1000, 1, 50) and (1000, 50). Which axes stretch?"),
    ],
    hints=[
        "`X[:, None]` has shape (1000, 1, 50). Align it at the right with (1000, 50).",
        "The result has shape (1000, 1000, 50).",
    ],
    why=r"$1000\cdot1000\cdot50$ numbers of eight bytes, for an answer of $1000\cdot1000$ distances. "
    r"A matrix product gets there in 8 MB, because "
    r"$\lVert x-y\rVert^2=\lVert x\rVert^2-2x^\top y+\lVert y\rVert^2$. Far from zero it loses digits as the "
    r"shortcut for the variance does: subtract the column means first.",
)


# --- choose: the loss of perfect predictions, as a column against a vector

column_against_row = Choose(
    "2. Choose: perfect, and yet",
    r"A model predicts every output exactly, but its predictions `y_hat` have shape $(n,1)$ and `y` has "
    r"shape $(n,)$. What does `np.mean((y - y_hat) ** 2)` return?",
    options=[
        Option(
            "0, because every prediction is right.",
            why="Only the diagonal of the result is 0. What is its shape?",
        ),
        Option(
            "The variance of `y`.",
            why="That is what one gets for predicting the mean everywhere. Here both sides of each "
            "difference vary.",
        ),
        Option(
            "Twice the variance of `y`.",
            right=True,
            why=r"It averages $(y_i-y_j)^2$ over all pairs: two draws from the outputs, so twice their "
            "variance. A training run that minimises it learns to predict the mean.",
        ),
        Option(
            "An error, because the shapes differ.",
            why="(n, 1) and (n,) are compatible: they broadcast to (n, n), and nothing complains.",
        ),
    ],
    hints=[
        "Try it on paper with y = (0, 1): which four differences are there?",
        r"The mean of $(y_i-y_j)^2$ over all $i$ and $j$; multiply the square out.",
    ],
)


# --- find the false line: the mirror image of a point


def _mirror() -> Derivation:
    d = Derivation("the mirror image", x=normal(4), w=normal(4), b=normal())
    d.start(r"w^\top\left(x-2\frac{w^\top x+b}{\lVert w\rVert^2}w\right)+b")
    d.equals(r"w^\top x-2\frac{w^\top x+b}{\lVert w\rVert^2}w^\top w+b", because="multiply out")
    d.equals(r"w^\top x-2(w^\top x+b)+b", because=r"$w^\top w=\lVert w\rVert^2$")
    return d.equals(r"-(w^\top x+b)", because="collect")


mirror = FalseLine(
    _mirror(),
    {
        3: Variant(r"w^\top x-2w^\top x+b", because=r"$w^\top w=\lVert w\rVert^2$"),
        4: Variant(r"b-w^\top x", because="collect"),
    },
    name="3. Find the false line: a mirror",
    why=r"The $b$ inside the bracket was lost. With it the mirror image lies as far on the other side as "
    "$x$ on this one.",
    hints=["Walk twice the signed distance instead of once, and you are behind the mirror.", "Try $x=0$."],
)


# --- implement: take a number out of the moments again


def _without(n: int, mean: float, S: float, x: float) -> tuple[int, float, float]:
    before = (n * mean - x) / (n - 1)
    return n - 1, before, S - (x - mean) * (x - before)


def _forgets(squares: Any) -> Any:
    """The right mean with another way to lower the sum of squares."""

    def wrong(n: int, mean: float, S: float, x: float) -> tuple[int, float, float]:
        before = (n * mean - x) / (n - 1)
        return n - 1, before, S - squares(x, mean, before)

    return wrong


def _scaled_mean(n: int, mean: float, S: float, x: float) -> tuple[int, float, float]:
    before = mean - (x - mean) / n
    return n - 1, before, S - (x - mean) * (x - before)


without_one = Exercise(
    "take one out",
    answer=_without,
    cases=[
        {"n": 3, "mean": 5.0, "S": 26.0, "x": 9.0},
        {"n": 3, "mean": 5.0, "S": 26.0, "x": 2.0},
        {"n": 4, "mean": 2.5, "S": 5.0, "x": 1.0},
        {"n": 2, "mean": -1.0, "S": 8.0, "x": 1.0},
    ],
    mistakes=[
        Mistake(
            _forgets(lambda x, mean, before: (x - mean) ** 2),
            "both factors use the mean with x in it; one needs the mean of the rest",
        ),
        Mistake(
            _forgets(lambda x, mean, before: (x - before) ** 2),
            "both factors use the mean of the rest; one needs the mean with x in it",
        ),
        Mistake(_scaled_mean, "the mean of the others times n − 1, plus x, is n times the mean: solve that"),
        Mistake(_forgets(lambda x, mean, before: 0.0), "the sum of squares has to shrink as well"),
    ],
    hint="write down the two updates for the step from $n-1$ to $n$, and solve them for what was before",
)


# --- break: numbers whose naive variance is negative


def _judge_negative(attempt: Any) -> str | None:
    x = as_numbers(attempt)
    if x.ndim != 1 or not 2 <= len(x) <= 10:
        return f"give two to ten numbers in a list, please; got shape {x.shape}."
    if not np.isfinite(x).all():
        return "finite numbers, please."
    if np.ptp(x) == 0:
        return "the numbers must differ, so that their variance is above zero."
    if np.abs(x).max() > 1e100:
        return "stay below 1e100: beyond, squares overflow, which is another failure."
    found = float(naive_variance(x))
    return (
        None if found < 0 else f"the naive variance of these numbers is {found:.3g}, which is not negative."
    )


negative_variance = Exercise(
    "a negative variance",
    judge=_judge_negative,
    answer=1e10 + np.arange(6.0),
    hint="the two terms must be so large that their rounding errors exceed the variance; then try a few",
)
