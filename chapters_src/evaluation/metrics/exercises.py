"""Exercises of the chapter on metrics: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.evaluation.metrics import auc, average_precision
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, between, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["asked_twice", "flattering_data", "repaired_auc", "shifted_predictions", "squared_probabilities"]


# --- predict: alarms are checked by a second detector

asked_twice = Predict(
    "1. Predict: a second opinion",
    "One payment in a hundred is a fraud. A detector catches 90 % of the frauds and stops 5 % of the honest "
    "payments. Each payment that it stops goes to a second detector, equally good, whose mistakes are "
    "independent of the first one's, and is blocked if that one raises an alarm too. Which share of the "
    "blocked payments are frauds?",
    answer=0.766,
    within=2e-3,
    mistakes=[
        Mistake(0.1538, "that is the precision of the first detector alone"),
        Mistake(0.81, "that is the share of frauds that pass both alarms: the recall of the pair"),
        Mistake(0.9, "that is the recall of one detector: among the blocked, how many are frauds?"),
        Mistake(0.785, "the recall is squared too: a fraud must be seen twice"),
        Mistake(between(0.99, 1.0), "with equally many frauds and honest payments; here frauds are rare"),
    ],
    hints=[
        "Take 10,000 payments and count who is stopped by the first detector, class by class.",
        "Of 100 frauds 90 are stopped, of 9,900 honest payments 495. The second detector sees only these.",
    ],
    why="81 frauds and 24.75 honest payments are blocked, and 81 of 105.75 is 0.766. The base rate among the "
    "stopped payments is 15 %, no longer 1 %. The price is recall: it falls from 0.90 to 0.81.",
)


# --- choose: what does an increasing change of all probabilities do?

squared_probabilities = Choose(
    "2. Choose: all probabilities squared",
    "By a slip in the code a detector reports $q^2$ where it should report $q$. Which of these change?",
    options=[
        Option(
            "AUC, average precision and log loss all change.",
            why="Squaring keeps the order of numbers from 0 to 1, and the first two read only the order.",
        ),
        Option(
            r"Log loss changes, and recall at the threshold $\frac12$ can; AUC and average precision stay.",
            right=True,
            why="Curves over all thresholds depend on the order of the scores alone. What is stated as a "
            r"probability, or compared with a fixed number, does not: $q=0.6$ raises an alarm at $\frac12$ "
            r"and $q^2=0.36$ does not.",
        ),
        Option(
            "Only log loss changes.",
            why=r"A payment with $q=0.6$ was above $\frac12$. Where is $q^2$?",
        ),
        Option(
            "AUC changes and average precision stays, because frauds are rare.",
            why="Both are computed from the order of the scores. Rarity lowers average precision, but "
            "squaring does not change who is rare.",
        ),
    ],
    hints=["Which of them need the numbers, and which only who comes before whom?"],
)


# --- find the false line: what a constant shift of all predictions does to the mean squared error


def _shifted() -> Derivation:
    d = Derivation(
        "every prediction raised by the same amount",
        where={"n": "rows of y", "m": r"=\frac1n\sum_i(y_i-g_i)"},
        y=normal(7),
        g=normal(7),
        delta=normal(),
    )
    d.start(r"\frac1n\sum_i(y_i-g_i-\delta)^2")
    d.equals(
        r"\frac1n\sum_i(y_i-g_i)^2-2\delta m+\delta^2",
        because=r"multiply out; $m=\frac1n\sum_i(y_i-g_i)$ is the mean miss",
    )
    d.equals(r"\frac1n\sum_i(y_i-g_i)^2+(\delta-m)^2-m^2", because="complete the square")
    return d.at_least(
        r"\frac1n\sum_i(y_i-g_i)^2-m^2",
        because=r"a square is not negative; equal at $\delta=m$",
        tight={"delta": lambda y, g: np.mean(y - g)},
    )


shifted_predictions = FalseLine(
    _shifted(),
    {
        3: Variant(r"\frac1n\sum_i(y_i-g_i)^2+(\delta-m)^2+m^2", because="complete the square"),
        4: Variant(
            r"\frac1n\sum_i(y_i-g_i)^2+m^2",
            because=r"a square is not negative; equal at $\delta=m$",
        ),
    },
    name="3. Find the false line: every prediction raised",
    why=r"$(\delta-m)^2$ brings an $m^2$ of its own, which has to be taken away again. A shift by the mean "
    r"miss lowers the mean squared error by $m^2$, and no shift does better.",
    hints=[r"Put $\delta=0$: which lines still give the mean squared error of $g$?"],
)


# --- repair: an area under the ROC curve that depends on the order of the rows


def _pairs(win: Any) -> Any:
    """The mean over all pairs of a 1 and a 0 of something that their scores decide."""

    def area(y: Any, score: Any) -> Any:
        y, score = np.asarray(y), np.asarray(score)
        return np.mean(win(score[y == 1][:, None], score[y == 0][None, :]))

    return area


def _row_by_row(y: Any, score: Any) -> Any:
    """A curve with a corner after every row, also between equal scores."""
    order = np.argsort(-score, kind="stable")
    found = np.cumsum(y[order]) / y.sum()
    return np.mean(found[y[order] == 0])


repaired_auc = Exercise(
    "repaired area",
    answer=_pairs(lambda a, b: (a > b) + 0.5 * (a == b)),
    cases=[
        {"y": np.array([1, 0, 1, 0, 0, 1, 0]), "score": np.array([3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0])},
        {"y": np.array([0, 1, 0, 1, 0]), "score": np.array([2.0, 2.0, 1.0, 1.0, 0.0])},
        {"y": np.array([0, 0, 1, 1]), "score": np.full(4, 0.5)},
        {"y": np.array([1, 1, 0, 0, 1, 0, 1]), "score": np.array([3.0, 1.0, 3.0, 0.0, 2.0, 2.0, 3.0])},
    ],
    mistakes=[
        Mistake(_pairs(lambda a, b: a > b), "a tie counts as lost here; it is worth a half"),
        Mistake(_pairs(lambda a, b: a >= b), "a tie counts as won here; it is worth a half"),
        Mistake(_pairs(lambda a, b: (a < b) + 0.5 * (a == b)), "high scores should come first"),
        Mistake(_row_by_row, "exchange two rows with equal scores: the area should not change"),
    ],
    hint="equal scores pass the threshold together: the curve may have a corner only where the score changes",
)


# --- break: a large area and a small average precision


def _judge_flattering(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: labels, scores."
    y, score = (as_numbers(part) for part in attempt)
    if y.ndim != 1 or y.shape != score.shape or not 2 <= len(y) <= 40:
        return f"two lists of one length, at most 40, please; got shapes {y.shape} and {score.shape}."
    if set(y.tolist()) != {0.0, 1.0} or not np.isfinite(score).all():
        return "the labels are 0 and 1, both occur, and the scores are finite."
    area, precise = auc(y, score), average_precision(y, score)
    if area >= 0.9 and precise <= 0.35:
        return None
    return (
        f"the AUC is {area:.3f} and should be 0.9 or more; "
        f"the average precision is {precise:.3f} and should be 0.35 or less."
    )


flattering_data = Exercise(
    "data with a flattering area",
    judge=_judge_flattering,
    answer=(np.eye(31)[2], -np.arange(31.0)),
    hint="make the 1s rare, and put a few 0s above them: few of all 0s, but many of the alarms",
)
