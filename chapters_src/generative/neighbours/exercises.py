"""Exercises of the chapter on neighbours: predict, choose, find the false line, repair, build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["all_alike", "at_least_one", "half_and_quarters", "kept", "what_may_be_read"]


# --- predict: a perplexity by hand

half_and_quarters = Predict(
    "1. Predict: how many neighbours is that?",
    "A point picks its neighbour with probabilities ½, ¼ and ¼. What is the perplexity of this choice?",
    answer=2**1.5,
    within=0.01,
    mistakes=[
        Mistake(3, "three neighbours count as three only if they are equally likely"),
        Mistake(1.5, "that is the entropy in bits; the perplexity is 2 to that power"),
        Mistake(1.5 * np.log(2), "that is the entropy in nats; the perplexity is e to that power"),
        Mistake(8 / 3, "that is one over the sum of squares, another way to count; take the entropy"),
        Mistake(2, "two would be a fair choice between two"),
    ],
    hints=["The entropy in bits is a mean of 1, 2 and 2.", "½·1 + ¼·2 + ¼·2 = 1.5 bits."],
    why="The entropy is 1.5 bits, and 2 to the power of 1.5 is 2.83: as undecided as among nearly three "
    "equal neighbours. In nats the entropy is 1.04 and e to that power is the same number.",
)


# --- choose: what a picture may say

what_may_be_read = Choose(
    "2. Choose: what may be read",
    "A t-SNE picture of 5,000 cells shows three islands, A, B and C. A is twice as wide as B, and C lies far "
    "from both. Which statement does the picture support best?",
    options=[
        Option(
            "The cells of A vary more than those of B.",
            why="Each point's own bandwidth makes dense and thin groups about equally wide.",
        ),
        Option(
            "C differs more from A than B does.",
            why="Far apart hardly costs anything in this loss, so the gaps depend on the start.",
        ),
        Option(
            "Most cells of A have their nearest neighbours in A.",
            right=True,
            why="That is what the loss asks for: likely neighbours in the data must be near in the picture. "
            "Count kept neighbours to be sure.",
        ),
        Option(
            "There are exactly three kinds of cells.",
            why="A small perplexity breaks one group into several, and noise into islands.",
        ),
    ],
    hints=["Which of these would cost the loss much if it were false?"],
)


# --- find the false line: joined if at least one counts the other


def _joined() -> Derivation:
    d = Derivation("three judges", u=uniform(0.1, 0.9), v=uniform(0.1, 0.9), w=uniform(0.1, 0.9))
    d.start(r"1-(1-u)(1-v)(1-w)")
    d.equals(r"1-(1-u-v+uv)(1-w)", because="multiply the first two brackets")
    d.equals(r"1-\left(1-u-v+uv-w+uw+vw-uvw\right)", because="and the third")
    return d.equals(r"u+v+w-uv-uw-vw+uvw", because="the signs turn round")


at_least_one = FalseLine(
    _joined(),
    {
        3: Variant(r"1-\left(1-u-v+uv-w+uw+vw\right)", because="and the third"),
        4: Variant(r"u+v+w-uv-uw-vw", because="the signs turn round"),
    },
    name="3. Find the false line: three opinions",
    question="An edge exists if at least one of three independent judges sees it, with probabilities $u$, "
    "$v$ and $w$. Which is the first false line?",
    why="$-w$ meets all four terms of the first bracket, $uv$ too: $-uvw$ is missing. The pairs are taken "
    "off once too often for the case that all three see it.",
    hints=["How many terms must a bracket of four times a bracket of two have?", "Put $u=v=w=1$."],
)


# --- repair: a share of neighbours that flatters


def _kept(X: Any, Y: Any, k: int, skip: int = 1, back: int | None = None) -> Any:
    def nearest(Z: Any) -> Any:
        away = np.square(Z[:, None] - Z).sum(axis=2)
        return np.argsort(away, axis=1, kind="stable")[:, skip : k + (skip if back is None else back)]

    pairs = zip(nearest(X), nearest(Y), strict=True)
    return np.mean([len(set(a) & set(b)) / k for a, b in pairs])


def _in_the_same_place(X: Any, Y: Any, k: int) -> Any:
    a, b = (np.argsort(np.square(Z[:, None] - Z).sum(axis=2), axis=1)[:, 1 : k + 1] for Z in (X, Y))
    return np.mean(a == b)


def _two_clouds(seed: int, n: int, k: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return {"X": X, "Y": X[:, :2] + 0.3 * rng.normal(size=(n, 2)), "k": k}


def _with(**changes: Any) -> Callable[..., Any]:
    return lambda X, Y, k: _kept(X, Y, k, **changes)


kept = Exercise(
    "the share of neighbours kept",
    answer=lambda X, Y, k: _kept(X, Y, k),
    cases=[_two_clouds(0, 12, 3), _two_clouds(1, 30, 5)],
    mistakes=[
        Mistake(_with(skip=0, back=0), "every point is its own nearest neighbour, in both pictures"),
        Mistake(
            _with(skip=0, back=1), "the point itself is still in both lists, and the quotient can pass 1"
        ),
        Mistake(_in_the_same_place, "the order among the neighbours does not matter, only who they are"),
        Mistake(
            lambda X, Y, k: _kept(X, Y, k) * k / (2 * k - _kept(X, Y, k) * k),
            "divide by k, not by the number of points in either list",
        ),
    ],
    hint="take a point by hand: who is the first in its list?",
)


# --- build: four points that no plane can hold


def _judge_alike(attempt: Any) -> str | None:
    points = as_numbers(attempt)
    if points is None or points.shape != (4, 3) or not np.isfinite(points).all():
        return "give four points with three finite coordinates each."
    lengths = pdist(points)
    if lengths.min() <= 1e-9:
        return "two of the points are the same."
    if lengths.max() > 1.001 * lengths.min():
        return f"the six distances lie between {lengths.min():.3g} and {lengths.max():.3g}; make them equal."
    return None


all_alike = Exercise(
    "four points all alike",
    judge=_judge_alike,
    answer=[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
    hint="take every second corner of a cube",
)
