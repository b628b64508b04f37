"""Exercises of the chapter on detection: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.networks.detection import iou, non_maximum_suppression
from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    positive,
    uniform,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "chain_of_boxes",
    "moved_both_ways",
    "repaired_hits",
    "said_twice",
    "stamp_of_five",
]


# --- predict: a detector that says everything twice

said_twice = Predict(
    "1. Predict: everything said twice",
    "A picture shows 2 objects. A detector finds both, and because suppression was forgotten it reports each "
    "box twice, at the same place. The scores, from the top: first object 0.9, its copy 0.8, second object "
    "0.7, its copy 0.6. What is the average precision?",
    answer=5 / 6,
    within=0.004,
    mistakes=[
        Mistake(
            1.0, "the copy of the first object comes before the second object, and counts as a false alarm"
        ),
        Mistake(0.5, "precision is read where a new object is found, not at the end of the list"),
        Mistake(
            3 / 4, "each object adds a half of recall; what is the precision where the second one is found?"
        ),
        Mistake(5 / 12, "divide by the number of objects, not by the number of reports"),
        Mistake(2 / 3, "that is the precision at the second object; the first one was found at precision 1"),
    ],
    hints=[
        "An object can be found once: mark the four reports as right or wrong.",
        "Right, wrong, right, wrong. The precision is read at the first and at the third report.",
    ],
    why="The precision is 1 at the first object and 2/3 at the second, and each adds half of the recall: "
    "(1 + 2/3)/2 = 0.833. The last copy comes after everything is found and costs nothing.",
)


# --- choose: at which stride a stamp with unequal weights answers a constant with a constant

stamp_of_five = Choose(
    "2. Choose: a stamp of five",
    "A transposed convolution along one axis lays down the stamp (1, 2, 3, 2, 1). It is given a constant. At "
    "which of these strides does it answer, away from the ends, with a constant?",
    options=[
        Option("Stride 2.", why="The places get 1 + 3 + 1 = 5 and 2 + 2 = 4 in turn."),
        Option(
            "Stride 3.",
            right=True,
            why="1 + 2, 2 + 1 and 3: every place gets 3. Divided by 3, this stamp interpolates linearly.",
        ),
        Option("Stride 4.", why="Only the two ends of a stamp meet others: the sums are 2, 2, 3, 2."),
        Option(
            "Stride 5.",
            why="5 divides 5, but that is enough only for equal weights. Here the stamps lie side by side: "
            "1, 2, 3, 2, 1, again and again.",
        ),
    ],
    hints=[
        "Which taps reach the same place? Those that are a multiple of the stride apart.",
        "For each first tap, add up the weights in steps of the stride: are the sums equal?",
    ],
)


# --- find the false line: a box of the right size, moved along both axes


def _moved() -> Derivation:
    d = Derivation(
        "a box moved along both axes", w=positive(), h=positive(), u=uniform(0.1, 0.9), v=uniform(0.1, 0.9)
    )
    d.start(r"\frac{(w-uw)(h-vh)}{2wh-(w-uw)(h-vh)}")
    d.equals(r"\frac{(1-u)(1-v)}{2-(1-u)(1-v)}", because="divide by $wh$, above and below")
    d.equals(r"\frac{1-u-v+uv}{1+u+v-uv}", because="multiply out")
    return d.equals(r"\frac2{1+u+v-uv}-1", because="above stands 2 minus what stands below")


moved_both_ways = FalseLine(
    _moved(),
    {
        3: Variant(r"\frac{1-u-v+uv}{1+u+v+uv}", because="multiply out"),
        4: Variant(r"\frac{2+2uv}{1+u+v+uv}-1", because="above stands $2+2uv$ minus what stands below"),
    },
    name="3. Find the false line: moved along both axes",
    why="$2-(1-u-v+uv)$ is $1+u+v-uv$: the minus belongs to all four terms. With $u=v=0.18$ the right line "
    "gives an IoU of about a half.",
    hints=[
        "A box of width $w$ and height $h$ is moved by the shares $u$ and $v$ of them. Move it by nothing, "
        "or along one axis only: which lines can you not tell from a right one?",
        "Put $u=v=\\frac12$ into every line.",
    ],
)


# --- repair: hits that let one object be found by everybody


def _hits(overlaps: Any, scores: Any, least: float) -> Any:
    left, found = np.array(overlaps, dtype=float), np.zeros(len(scores))
    for row in np.argsort(-np.asarray(scores), kind="stable"):
        best = left[row].argmax()
        if left[row, best] >= least:
            found[row] = 1
            left[:, best] = -1
    return found


def _every_box(overlaps: Any, scores: Any, least: float) -> Any:
    return (np.asarray(overlaps).max(axis=1) >= least) * 1.0


def _as_listed(overlaps: Any, scores: Any, least: float) -> Any:
    return _hits(overlaps, -np.arange(len(scores)), least)


def _own_best_only(overlaps: Any, scores: Any, least: float) -> Any:
    overlaps, found, taken = np.asarray(overlaps), np.zeros(len(scores)), set()
    for row in np.argsort(-np.asarray(scores), kind="stable"):
        best = int(overlaps[row].argmax())
        if overlaps[row, best] >= least and best not in taken:
            found[row] = 1
            taken.add(best)
    return found


def _sorted_answer(overlaps: Any, scores: Any, least: float) -> Any:
    return _hits(overlaps, scores, least)[np.argsort(-np.asarray(scores), kind="stable")]


def _strictly(overlaps: Any, scores: Any, least: float) -> Any:
    return _hits(overlaps, scores, least + 1e-9)


repaired_hits = Exercise(
    "repaired hits",
    answer=_hits,
    cases=[
        {"overlaps": [[0.0, 0.9], [0.0, 0.5], [0.5, 0.6]], "scores": [0.3, 0.9, 0.6], "least": 0.5},
        {"overlaps": [[0.9, 0.6], [0.7, 0.0]], "scores": [0.2, 0.8], "least": 0.5},
        {"overlaps": [[0.2, 0.3], [0.0, 0.1]], "scores": [0.9, 0.4], "least": 0.5},
        {"overlaps": [[0.8], [0.7], [0.9]], "scores": [0.5, 0.9, 0.1], "least": 0.6},
    ],
    mistakes=[
        Mistake(_every_box, "an object that somebody has found cannot be found again"),
        Mistake(_as_listed, "the box with the highest score chooses first, wherever it stands in the list"),
        Mistake(_own_best_only, "if the best object is taken, another free one may still fit well enough"),
        Mistake(_sorted_answer, "give the answers in the order of the boxes, not of the scores"),
        Mistake(_strictly, "an overlap of exactly the least is enough"),
    ],
    hint="go through the boxes by falling score, and mark each object as taken when it is found",
)


# --- break: a box that is suppressed by one that suppresses nobody else


def _chain(boxes: Any) -> str | None:
    numbers = as_numbers(boxes)
    if numbers is None or numbers.shape != (3, 4):
        return "give three boxes, (left, top, right, bottom) each."
    if (numbers[:, 2:] <= numbers[:, :2]).any():
        return "each box needs left < right and top < bottom."
    scores = np.array([0.9, 0.8, 0.7])
    three = [int(row) + 1 for row in non_maximum_suppression(numbers, scores, 0.5)]
    if three == [1, 3] and len(non_maximum_suppression(numbers[1:], scores[1:], 0.5)) == 1:
        return None
    first, last, across = (float(iou(numbers[[a]], numbers[[b]])[0, 0]) for a, b in ((0, 1), (1, 2), (0, 2)))
    seen = f"of all three, box {' and '.join(map(str, three))} stays"
    if first <= 0.5:
        return f"{seen}: the second box must fall to the first, but their IoU is {first:.2f}."
    if last <= 0.5:
        return f"{seen}: without the first box the third must fall to the second; their IoU is {last:.2f}."
    return f"{seen}: the first box must spare the third, but their IoU is {across:.2f}."


chain_of_boxes = Exercise(
    "chain of boxes",
    judge=_chain,
    hint="move a box of width 1 to the right in steps that are less than a third",
)
