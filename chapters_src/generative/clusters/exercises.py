"""Exercises of the chapter on clusters: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from chapters_src.generative.clusters import fit_k_means
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["a_bridge", "bad_start", "one_round", "pairs_in_a_cluster", "stuck_on_a_rectangle"]


# --- predict: a start from which nothing moves

stuck_on_a_rectangle = Predict(
    "1. Predict: a rectangle",
    "Four points: $(0,0)$, $(0,2)$, $(5,0)$ and $(5,2)$. Two centres start at $(2.5,0)$ and $(2.5,2)$. "
    "What is the cost, the sum of all squared distances, when k-means comes to rest?",
    answer=25,
    within=0.01,
    mistakes=[
        Mistake(4, "that is the least possible cost; which points does each centre get from *this* start?"),
        Mistake(10, "add the squares of the distances, not the distances"),
        Mistake(12.5, "there are two pairs of points, and each pair costs as much as the other"),
        Mistake(6.25, "that is what one point costs"),
    ],
    hints=[
        "To which centre does each of the four points go?",
        "Where is the mean of the two lower points?",
    ],
    why="The lower points go to the lower centre, the upper ones to the upper, and their means are where "
    "the centres are already: nothing moves. Each point is 2.5 away, so the cost is 4 · 6.25 = 25. Left and "
    "right pairs would cost 4.",
)


# --- choose: two crowds joined by a bridge

a_bridge = Choose(
    "2. Choose: a bridge",
    "Two dense round crowds of a hundred points each lie far apart. Between them runs a straight chain of "
    "single points, each as close to the next as the points inside a crowd are to their neighbours. You ask "
    "each method for two clusters. Which is most likely to put both crowds into one?",
    options=[
        Option(
            "k-means with several starts",
            why="One centre per crowd is by far the cheapest; the bridge is shared between them.",
        ),
        Option(
            "merging with single linkage",
            right=True,
            why="Each step along the chain is as short as the steps inside a crowd. So crowds and chain are "
            "joined while some outlying point is still alone, and the last two clusters are that point "
            "and everything else.",
        ),
        Option(
            "merging with Ward's distance",
            why="Joining two large clusters with distant means costs a great deal, so it comes last.",
        ),
        Option(
            "cutting a graph of nearest neighbours by the second eigenvector",
            why="Cutting the chain costs an edge or two and leaves two sides of equal size: the ideal cut.",
        ),
    ],
    hints=["For which method does one short step count as much as many?"],
)


# --- find the false line: squared distances of all pairs


def _pairs() -> Derivation:
    mean = {"n": "rows of X", r"\bar x": r"= \frac1n\sum_{i=1}^nx_i"}
    d = Derivation("all pairs of a cluster", where=mean, X=normal(6, 2))
    d.start(r"\sum_{i=1}^n\sum_{j=1}^n\lVert x_i-x_j\rVert^2")
    d.equals(
        r"\sum_{i=1}^n\sum_{j=1}^n\lVert(x_i-\bar x)-(x_j-\bar x)\rVert^2",
        because="the mean cancels",
        broken=r"\sum_{i=1}^n\sum_{j=1}^n\lVert(x_i-\bar x)+(x_j-\bar x)\rVert^2+1",
    )
    d.equals(
        r"\sum_{i=1}^n\sum_{j=1}^n\left(\lVert x_i-\bar x\rVert^2+\lVert x_j-\bar x\rVert^2\right)",
        because="the mixed terms add up to zero",
    )
    return d.equals(r"2n\sum_{i=1}^n\lVert x_i-\bar x\rVert^2", because="each sum is counted $n$ times")


pairs_in_a_cluster = FalseLine(
    _pairs(),
    {
        3: Variant(
            r"\sum_{i=1}^n\lVert x_i-\bar x\rVert^2+\sum_{j=1}^n\lVert x_j-\bar x\rVert^2",
            because="the mixed terms add up to zero",
        ),
        4: Variant(r"2\sum_{i=1}^n\lVert x_i-\bar x\rVert^2", because="both sums are the same"),
    },
    name="3. Find the false line: all pairs of a cluster",
    why="Each square stands in the double sum once for every partner, $n$ times, also when the partner does "
    "not occur in it. So k-means keeps pairs close: a cluster costs the sum over its pairs divided by $2n$.",
    hints=["Count the terms on both sides of each line.", "Try $n=2$ with the points 0 and 2 on a line."],
)


# --- repair: one round


def _round(X: Any, C: Any) -> Any:
    z = np.square(X[:, None] - C).sum(axis=2).argmin(axis=1)
    return np.array([X[z == k].mean(axis=0) if (z == k).any() else C[k] for k in range(len(C))])


def _with(nearest: Any, centre: Any) -> Any:
    """A round with another rule for the nearest centre, or for a new one."""

    def wrong(X: Any, C: Any) -> Any:
        z = nearest(X[:, None] - C)
        return np.array([centre(X[z == k], C[k]) for k in range(len(C))])

    return wrong


def _squares(off: Any) -> Any:
    return np.square(off).sum(axis=2).argmin(axis=1)


def _signed(off: Any) -> Any:
    return np.abs(off.sum(axis=2)).argmin(axis=1)


def _mean_or_stay(members: Any, old: Any) -> Any:
    return members.mean(axis=0) if len(members) else old


one_round = Exercise(
    "one round of k-means",
    answer=_round,
    cases=[
        {
            "X": np.array([[2.0, 2.0], [5.0, 3.0], [0.0, 0.1], [5.0, -4.5], [-1.0, 3.0]]),
            "C": np.array([[0.0, 0.0], [5.0, 2.0], [90.0, 90.0]]),
        },
        {"X": np.array([[0.0], [1.0], [5.0], [6.0]]), "C": np.array([[0.0], [5.0]])},
    ],
    mistakes=[
        Mistake(_with(_signed, _mean_or_stay), "differences of opposite sign still cancel"),
        Mistake(
            _with(_squares, lambda members, old: members.sum(axis=0) / max(len(members), 1)),
            "a centre without points should stay where it is, not go to the origin",
        ),
        Mistake(
            _with(lambda off: np.abs(off).sum(axis=2).argmin(axis=1), _mean_or_stay),
            "that is nearest by the sum of absolute differences; k-means adds squares",
        ),
        Mistake(
            _with(_squares, lambda members, old: np.median(members, axis=0) if len(members) else old),
            "the median is best for absolute differences; for squares it is the mean",
        ),
    ],
    hint="compare the distances for a point whose two coordinates are off in opposite directions, and think "
    "of a centre that nobody chooses",
)


# --- break: a start that ends badly


def _least_cost(x: Any, K: int = 3) -> float:
    """On a line clusters are intervals: try all pairs of borders."""
    x = np.sort(x)
    cuts = combinations(range(1, len(x)), K - 1)
    return min(sum(float(np.square(p - p.mean()).sum()) for p in np.split(x, cut)) for cut in cuts)


def _judge_bad_start(attempt: Any) -> str | None:
    if not isinstance(attempt, tuple) or len(attempt) != 2:
        return "give the six numbers and the three starts, please: `(numbers, starts)`."
    x, start = (as_numbers(part) for part in attempt)
    if x.shape != (6,) or start.shape != (3,) or not (np.isfinite(x).all() and np.isfinite(start).all()):
        return f"give six finite numbers and three starts, please; got shapes {x.shape} and {start.shape}."
    if len(set(start)) < 3 or not set(start) <= set(x):
        return "the three starts must be different, and be among the six numbers."
    least = _least_cost(x)
    cost = float(fit_k_means(x[:, None], start[:, None]).losses[-1])
    if least > 0 and cost > 10 * least:
        return None
    if least == 0:
        return "with at most three different numbers the least cost is 0: take more different ones."
    return f"from there the cost is {cost:.4g}, {cost / least:.1f} times the least possible one, {least:.4g}."


bad_start = Exercise(
    "a start that ends badly",
    judge=_judge_bad_start,
    answer=([0.0, 1.0, 14.0, 15.0, 20.0, 21.0], [0.0, 1.0, 20.0]),
    hint="three pairs of points, far apart; which starts leave one centre with two pairs?",
)
