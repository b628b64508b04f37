"""Exercises of the chapter on trees: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.foundations.information import entropy
from chapters_src.models.trees.growing import fit_tree
from chapters_src.models.trees.tree import predict_tree
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = ["greedy_trap", "logarithm_of_a_column", "most_mixed", "removed_by_a_question", "repaired_split"]

# --- predict: four houses, one question

removed_by_a_question = Predict(
    "1. Predict: what a question removes",
    "With pencil and paper: four houses, in the order of their size, cost 1, 2, 3 and 10. A regression tree "
    "may ask one question about the size. By how much does the best one lower the variance of the price?",
    answer=12,
    within=0.05,
    mistakes=[
        Mistake(3, "cutting off the smallest house is not the best question; try the other two"),
        Mistake(6.25, "two houses on each side is not the best question; try the other two"),
        Mistake(0.5, "that is the variance which is left; the question asks for what was removed"),
        Mistake(12.5, "that is the variance before the question; a little of it is left on one side"),
        Mistake(48, "that is the drop in the sum of squares; the variance is their mean over four houses"),
        Mistake(16, "the variance here divides by the number of houses, not by one less"),
        Mistake(64, "the squared distance of the two means still has to be multiplied by $a(1-a)$"),
        Mistake(24, "the factor 2 belongs to one-hot rows, which have two columns; a price is one number"),
        Mistake(12.5 - 2 / 3, "weigh each side by its share of the houses before you add them up"),
        Mistake(above(12.5), "more than there was cannot be removed: the four prices have variance 12.5"),
        Mistake(below(0), "a question never raises the weighted variance"),
    ],
    hints=[
        "There are three questions to compare: one, two or three houses on the left.",
        r"For each the gain is $a(1-a)(p-q)^2$ with the mean prices $p$ and $q$ of the two sides.",
        "The best one separates the dear house from the others, whose mean is 2.",
    ],
    why=r"$\frac34\cdot\frac14\cdot(2-10)^2=12$ of 12.5. The other two questions remove "
    r"$\frac14\cdot\frac34\cdot(1-5)^2=3$ and $\frac14\cdot(\frac32-\frac{13}2)^2=6.25$. One extreme price "
    "can decide where a regression tree cuts.",
)

# --- choose: a rising map of one column

logarithm_of_a_column = Choose(
    "2. Choose: the logarithm of a column",
    "Before the tree is grown, somebody replaces every radius by its logarithm. No two questions tie. What "
    "changes?",
    options=[
        Option(
            "Nothing at all: the new thresholds are the logarithms of the old ones.",
            why="A threshold is midway between two neighbours, and the logarithm of the middle is not the "
            "middle of the logarithms.",
        ),
        Option(
            "Large radii are drawn together, so the tree cuts more often among small ones.",
            why="The gain is computed from the order of the rows alone; distances do not enter it.",
        ),
        Option(
            "The training rows are divided as before; a new row between two neighbours may go the other way.",
            right=True,
            why="The logarithm keeps the order, so every cut has the gain that it had. Only the place of the "
            "threshold between its two neighbours changes. This is why trees need no scaling of columns.",
        ),
        Option(
            "The impurities change, because the variance of the radius changes.",
            why="It is the targets whose variance is measured, not the inputs.",
        ),
    ],
    hints=[
        "What does the sorted pass use of a column?",
        "Where exactly does a threshold lie between two neighbouring values?",
    ],
)

# --- find the false line: two classes are most mixed at one half


def _mixed() -> Derivation:
    d = Derivation("two classes are most mixed at one half", p=uniform(0.05, 0.95))
    d.start(r"1-p^2-(1-p)^2")
    d.equals(r"2p-2p^2", because="multiply out")
    d.equals(r"2p(1-p)", because=r"take out $2p$")
    d.equals(r"\frac12-2\left(p-\frac12\right)^2", because="complete the square")
    return d.at_most(r"\frac12", because="a square is not negative", tight={"p": 0.5})


most_mixed = FalseLine(
    _mixed(),
    {
        4: Variant(r"\frac12-\left(p-\frac12\right)^2", because="complete the square"),
    },
    name="3. Find the false line: two classes are most mixed at one half",
    why=r"At $p=0$ the node is pure and the impurity must be 0, but that line gives $\frac14$: the factor 2 "
    "of the square was lost.",
    hints=["Put in a value for which you know the impurity.", r"Try $p=0$ or $p=1$ in every line."],
)

# --- repair: a search for the best threshold


def _entropy(part: ndarray) -> float:
    return float(entropy(np.array([part.mean(), 1 - part.mean()])))


def _gini(part: ndarray) -> float:
    return float(2 * part.mean() * (1 - part.mean()))


def _threshold(
    x: Any,
    y: Any,
    measure: Callable[[ndarray], float] = _entropy,
    weigh: Callable[[int], int] = lambda n: n,
    ties: bool = False,
    place: float = 0.5,
    sign: float = 1.0,
) -> float:
    """The best threshold of one column for labels 0 and 1, or what a known slip makes of it."""
    order = np.argsort(x, kind="stable")
    x, y = np.asarray(x, float)[order], np.asarray(y, float)[order]
    best, found = np.inf, float("nan")
    for k in range(1, len(x)):
        if x[k - 1] == x[k] and not ties:
            continue
        mixed = sum(weigh(len(part)) * measure(part) for part in (y[:k], y[k:]))
        if sign * mixed < best - 1e-12:
            best, found = sign * mixed, (1 - place) * x[k - 1] + place * x[k]
    return float(found)


def _case(x: list[float], y: list[float]) -> dict[str, ndarray]:
    return {"x": np.array(x), "y": np.array(y)}


repaired_split = Exercise(
    "repaired split",
    answer=_threshold,
    cases=[
        _case([1, 1, 1, 2, 2, 4, 4, 5, 7, 8], [0, 1, 0, 0, 1, 1, 1, 0, 1, 1]),
        _case([5, 1, 4, 2, 3, 6], [1, 0, 1, 0, 0, 1]),
        _case([2, 2, 2, 3, 3, 5], [0, 0, 1, 1, 1, 1]),
        _case([0.5, 9.0, 1.5, 4.0], [1, 0, 0, 0]),
    ],
    mistakes=[
        Mistake(
            lambda x, y: _threshold(x, y, measure=_gini),
            "that is the threshold for the Gini impurity; here the entropy is asked for",
        ),
        Mistake(
            lambda x, y: _threshold(x, y, weigh=lambda n: 1),
            "a side with two rows counts as much as a side with six: weigh each side by its rows",
        ),
        Mistake(
            lambda x, y: _threshold(x, y, ties=True),
            "a threshold cannot come between equal values of $x$: the rows would not divide as you counted",
        ),
        Mistake(
            lambda x, y: _threshold(x, y, weigh=lambda n: 1, ties=True),
            "two things are wrong: the weights of the sides, and cuts between equal values",
        ),
        Mistake(lambda x, y: _threshold(x, y, place=0.0), "put the threshold midway between the neighbours"),
        Mistake(lambda x, y: _threshold(x, y, place=1.0), "put the threshold midway between the neighbours"),
        Mistake(lambda x, y: _threshold(x, y, sign=-1.0), "the least entropy is wanted, not the largest"),
    ],
    hint="compute by hand what the four rows of the last case should give, then compare",
)

# --- break: data on which greed loses


def _mistakes(X: ndarray, y: ndarray, side: ndarray) -> int:
    """The fewest mistakes of one question, or of none, on the rows of one side."""
    X, y = X[side], y[side]
    fewest = min(y.sum(), (1 - y).sum())
    for column in X.T:
        for threshold in np.unique(column)[:-1]:
            left = column <= threshold
            wrong = sum(min(y[part].sum(), (1 - y[part]).sum()) for part in (left, ~left))
            fewest = min(fewest, wrong)
    return int(fewest)


def fewest_mistakes(X: ndarray, y: ndarray) -> int:
    """The mistakes of the best tree with at most two questions on each path, found by trying all of them."""
    everywhere = np.ones(len(y), bool)
    cuts = [column <= threshold for column in X.T for threshold in np.unique(column)[:-1]]
    return min([_mistakes(X, y, everywhere), *(_mistakes(X, y, cut) + _mistakes(X, y, ~cut) for cut in cuts)])


def _judge_trap(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: X, y."
    X, y = (as_numbers(part) for part in attempt)
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != (len(X),):
        return f"expected X of shape (n, 2) and y of shape (n,), got shapes {X.shape} and {y.shape}."
    if len(X) > 16 or not np.isfinite(X).all() or not np.isin(y, (0, 1)).all():
        return f"at most 16 rows, finite numbers and labels 0 and 1, please; got {len(X)} rows."
    best = fewest_mistakes(X, y.astype(int))
    if best > 0:
        return (
            f"even the best tree of depth 2 makes {best} mistakes: place the classes so that one makes none."
        )
    greedy = fit_tree(X, np.eye(2)[y.astype(int)], max_depth=2)
    wrong = int((predict_tree(greedy, X).argmax(axis=1) != y).sum())
    if 4 * wrong >= len(y):
        return None
    return (
        f"the greedy tree of depth 2 makes {wrong} mistakes in {len(y)} rows: at least a quarter is wanted."
    )


SAME_SIGN = [[0, 0], [0.1, 0.3], [0.3, 0.2], [1, 0.9], [0.9, 1], [0.8, 0.7]]
OTHER_SIGN = [[0.05, 0.95], [0.2, 0.8], [-0.2, 0.75], [0.95, 0.1], [0.7, 0.25], [0.85, 0.05]]

greedy_trap = Exercise(
    "a trap for the greedy tree",
    judge=_judge_trap,
    answer=(np.array(SAME_SIGN + OTHER_SIGN), np.repeat([0, 1], 6)),
    hint="put the classes into opposite quarters, and let the outermost points tempt the first question",
)
