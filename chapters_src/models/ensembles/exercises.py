"""Exercises of the chapter on ensembles: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.models.trees import fit_tree, predict_tree
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = ["as_good_as_ten", "average_of_lines", "members_and_mean", "repaired_boosting", "worse_together"]

# --- predict: fewer trees, but less alike

as_good_as_ten = Predict(
    "1. Predict: ten trees, or a few that are less alike",
    "With pencil and paper: the errors of bagged trees have mean 0, variance 4 and pairwise correlation 0.5. "
    "With columns drawn at every node the mean stays 0, the variance becomes 5 and the correlation 0.2. How "
    "many of these trees are needed until their mean varies no more than the mean of ten bagged ones?",
    answer=4,
    within=0.01,
    mistakes=[
        Mistake(10 / 3, "the equation is solved; a crowd has a whole number of trees"),
        Mistake(3, "the mean of three still has variance $1+\\frac43$, more than 2.2: round up"),
        Mistake(5, "what is divided by $B$ is $(1-\\rho)v=4$, not all of $v$"),
        Mistake(10, "fewer do: what these trees share is 1, what the bagged ones share is 2"),
        Mistake(12.5, "that would be so if all errors were independent"),
        Mistake(13, "that would be so if all errors were independent"),
        Mistake(above(10), "their errors are less alike than those of the ten, so fewer are needed"),
        Mistake(below(3), "the part that all trees share, $\\rho v=1$, is not averaged away"),
    ],
    hints=[
        "First the ten: which part of their variance is shared, and which is divided by ten?",
        "The ten have variance 2.2. The others share 1; what may the rest be at most?",
    ],
    why=r"The ten have $2+\frac2{10}=2.2$, the others $1+\frac4B$, which is 2 for $B=4$ and 2.33 for $B=3$.",
)

# --- choose: bagging a straight line

average_of_lines = Choose(
    "2. Choose: a hundred lines",
    "Somebody bags least squares: a straight line is fitted to each of 100 resamples of the same 200 points, "
    "and their mean is the prediction. What is to be expected?",
    options=[
        Option(
            "A curve that follows the data more closely than a line can.",
            why="The mean of straight lines is a straight line.",
        ),
        Option(
            "Nearly the line that least squares fits to all the points.",
            right=True,
            why="Each resample gives a line close to the full one, and their mean is closer still. What "
            "bagging removes is what resampling adds; a steady method has little to remove.",
        ),
        Option(
            "A line with about a hundredth of the variance.",
            why="The hundred lines come from the same 200 points. What these points have in common with no "
            "other sample is in all of the lines, and averaging keeps it.",
        ),
        Option(
            "A worse line, because each sees only 63 % of the points.",
            why="Each line is fitted to 200 drawn points, some of them several times; the mean makes up for "
            "the noise that the drawing adds.",
        ),
    ],
    hints=["What kind of function is the mean of straight lines?", "How much do the hundred lines differ?"],
)

# --- find the false line: the mean of the errors and the error of the mean


def _members() -> Derivation:
    d = Derivation(
        "two members and their mean",
        where={"m": r"=\frac{a+b}2"},
        a=normal(),
        b=normal(),
        y=normal(),
    )
    d.start(r"(m-y)^2")
    d.equals(r"\frac14\left((a-y)+(b-y)\right)^2", because=r"$m-y=\frac12(a-y)+\frac12(b-y)$")
    d.equals(r"\frac14(a-y)^2+\frac14(b-y)^2+\frac12(a-y)(b-y)", because="multiply out")
    d.equals(
        r"\frac12(a-y)^2+\frac12(b-y)^2-\frac14(a-b)^2",
        because=r"$(a-b)^2=(a-y)^2+(b-y)^2-2(a-y)(b-y)$",
    )
    return d.at_most(
        r"\frac12(a-y)^2+\frac12(b-y)^2",
        because="a square is not negative",
        tight={"b": lambda a: a},
    )


members_and_mean = FalseLine(
    _members(),
    {4: Variant(r"\frac12(a-y)^2+\frac12(b-y)^2-\frac12(a-b)^2")},
    name="3. Find the false line: two members and their mean",
    why=r"For $a=1$, $b=-1$ and $y=0$ the mean is right, so the line must be 0, but it gives $1-2$. The "
    r"product $\frac12(a-y)(b-y)$ takes $\frac14(a-b)^2$ away.",
    hints=["Let the two members err on opposite sides.", r"Try $a=1$, $b=-1$, $y=0$ in every line."],
)

# --- repair: a boosting loop


def _boost(
    x: ndarray,
    y: ndarray,
    rounds: int,
    rate: float,
    target: Any = lambda y, f: y - f,
    start: Any = np.mean,
    step: Any = lambda rate, f, answer: f + rate * answer,
) -> ndarray:
    """Boosting with one question per tree, or what a known slip makes of it."""
    X, f = np.asarray(x, float)[:, None], np.full(len(y), float(start(y)))
    for _ in range(int(rounds)):
        f = step(rate, f, predict_tree(fit_tree(X, target(y, f), max_depth=1), X))
    return f


def _case(y: list[float], rounds: int, rate: float) -> dict[str, Any]:
    return {"x": np.arange(len(y), dtype=float), "y": np.array(y, float), "rounds": rounds, "rate": rate}


repaired_boosting = Exercise(
    "repaired boosting",
    answer=_boost,
    cases=[
        _case([1, 2, 4, 4, 9, 7], 3, 0.4),
        _case([0, 0, 3, 3, 1, 1, 8], 5, 0.3),
        _case([5, -1, 2, 2], 2, 1.0),
        _case([1, 6], 4, 0.1),
    ],
    mistakes=[
        Mistake(
            lambda x, y, rounds, rate: _boost(x, y, rounds, rate, target=lambda y, f: y),
            "every tree is fitted to $y$ again; it should be fitted to what is still wrong",
        ),
        Mistake(
            lambda x, y, rounds, rate: _boost(x, y, rounds, rate, target=lambda y, f: f - y),
            "the residual has the wrong sign, so that each step goes away from $y$",
        ),
        Mistake(
            lambda x, y, rounds, rate: _boost(x, y, rounds, rate, step=lambda rate, f, a: f + a),
            "the learning rate is never used",
        ),
        Mistake(
            lambda x, y, rounds, rate: _boost(x, y, rounds, rate, step=lambda rate, f, a: rate * (f + a)),
            "the learning rate shrinks the old sum too; only the new tree is multiplied by it",
        ),
        Mistake(
            lambda x, y, rounds, rate: _boost(
                x, y, rounds, rate, step=lambda rate, f, a: (1 - rate) * f + rate * a
            ),
            "a mean of old and new is not a sum: the old trees keep their full weight",
        ),
        Mistake(
            lambda x, y, rounds, rate: _boost(x, y, rounds, rate, start=lambda y: 0.0),
            "start from the mean of $y$, the best constant",
        ),
    ],
    hint="print the residuals after each round: they should become smaller",
)

# --- break: three members that are worse together


def _judge_together(attempt: Any) -> str | None:
    votes = as_numbers(attempt)
    if votes.ndim != 2 or len(votes) != 3 or not np.isin(votes, (0, 1)).all() or votes.shape[1] > 12:
        return (
            "give three rows of at most 12 entries, 1 where that member is right and 0 where it is wrong; "
            f"got shape {votes.shape}."
        )
    each, together = votes.mean(axis=1), (votes.sum(axis=0) >= 2).mean()
    if each.min() < 0.5:
        return f"a member is right on only {each.min():.0%}: let each be right on half of the cases or more."
    if together < each.min() - 1e-12:
        return None
    return (
        f"the majority is right on {together:.0%} of the cases, the worst member on {each.min():.0%}: waste "
        "fewer votes on cases that are lost, and more on cases that all get right."
    )


worse_together = Exercise(
    "worse together",
    judge=_judge_together,
    answer=np.array([[1, 1, 1, 0, 0], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1]]),
    hint="a case with one right vote is lost, and that vote is wasted",
)
