"""Exercises of the chapter on attention: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, integers, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["looking_back", "loud_key", "repaired_mean", "score_for_half", "unseen"]


def _softmax(scores: Any) -> Any:
    e = np.exp(scores - np.max(scores))
    return e / e.sum()


# --- predict: the score that gets half of the attention

score_for_half = Predict(
    "1. Predict: the score for half of the attention",
    "A query meets 1,000 keys, and 999 of them score 0. How high must the last one score, at temperature 1, "
    "to get half of the attention?",
    answer=float(np.log(999)),
    within=0.01,
    mistakes=[
        Mistake(999.0, "the weights go by $e^s$, not by $s$"),
        Mistake(3.0, "the natural logarithm, because the softmax has $e$"),
        Mistake(float(np.log2(999)), "the natural logarithm, because the softmax has $e$"),
        Mistake(float(np.log(499.5)), "that gives it a third: it must weigh as much as all 999 others"),
        Mistake(0.0, "a score of 0 gets a thousandth, like all others"),
        Mistake(0.5, "0.5 is the weight asked for; the question is which score has it"),
    ],
    hints=["Half means: as much as the other 999 together.", "$\\frac{e^s}{e^s+999}=\\frac12$"],
    why="$e^s=999$. Only the logarithm of the length counts: among a million keys 13.8 is enough.",
)


# --- choose: what the softmax does not see

unseen = Choose(
    "2. Choose: what the weights do not notice",
    "Which of these leaves all weights of attention as they were, for any queries and keys?",
    options=[
        Option(
            "The same vector is added to every query.",
            why="$(q_i+c)^\\top k_j=q_i^\\top k_j+c^\\top k_j$: that differs from key to key.",
        ),
        Option("Every key is doubled.", why="The scores double, and the weights become more decided."),
        Option(
            "The same vector is added to every key.",
            right=True,
            why="$q_i^\\top(k_j+c)=q_i^\\top k_j+q_i^\\top c$: the whole row $i$ is shifted by one number, "
            "which a softmax does not see.",
        ),
        Option(
            "One key is moved at a right angle to the mean of the queries.",
            why="Single queries are not their mean; their scores with this key change.",
        ),
    ],
    hints=[
        "Write down the score after the change and compare it with the score before.",
        "A softmax does not see what is added to a whole row. Which change adds the same to a row?",
    ],
)


# --- find the false line: one matrix for queries and keys


def _one_matrix() -> Derivation:
    d = Derivation(
        "one matrix for queries and keys",
        X=normal(4, 3),
        W=normal(3, 2),
        i=integers(1, 4),
        j=integers(1, 4),
        where={"S": r"= XWW^\top X^\top", "A": r"= \operatorname{softmax}(XWW^\top X^\top)"},
    )
    d.start(r"A_{ij}")
    d.equals(r"\frac{e^{s_{ij}}}{\sum_le^{s_{il}}}", because="the softmax is taken along each row")
    d.equals(
        r"\frac{e^{s_{ji}}}{\sum_le^{s_{li}}}",
        because=r"$S$ is symmetric: $s_{ij}=s_{ji}$",
        broken=r"\frac{e^{s_{ji}}}{\sum_le^{s_{lj}}}",
    )
    return d.equals(
        r"\frac{e^{s_{ji}-s_{ii}}}{\sum_le^{s_{li}-s_{ii}}}",
        because="divide above and below by the same number",
    )


looking_back = FalseLine(
    _one_matrix(),
    {
        3: Variant(r"\frac{e^{s_{ji}}}{\sum_le^{s_{jl}}}", because=r"$S$ is symmetric: $s_{ij}=s_{ji}$"),
        4: Variant(
            r"A_{ji}",
            because="that is the softmax of row $j$, at place $i$",
        ),
    },
    name="3. Find the false line: do they look back?",
    question="Suppose queries and keys are made by the same matrix $W$, and let "
    "$S=XWW^\\top X^\\top$ and $A=\\operatorname{softmax}(S)$, row by row. Here is why $i$ then "
    "looks at $j$ as much as $j$ at $i$. Which is the first false line?",
    why="The scores are symmetric, the weights are not: row $i$ is divided by the sum of row $i$, row $j$ "
    "by another sum.",
    hints=[
        "Over which scores does the sum below the line run, before and after the step?",
        "Position $i$ shares its weight among all its keys, and has its own sum to divide by.",
    ],
)


# --- repair: kernel regression far from all data


def _kernel_mean(x: float, points: Any, values: Any, h: float) -> Any:
    return _softmax(-((x - points) ** 2) / (2 * h**2)) @ values


def _kernel_mistake(rule: Callable[..., Any], hint: str) -> Mistake:
    """Another rule made of half squared distances in units of h², the values and h."""

    def wrong(x: float, points: Any, values: Any, h: float) -> Any:
        with np.errstate(all="ignore"):
            return rule(((x - points) / h) ** 2 / 2, values, h)

    return Mistake(wrong, hint)


_points, _heights = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([3.0, -1.0, 2.0, 5.0])
repaired_mean = Exercise(
    "a mean that holds far away",
    answer=_kernel_mean,
    cases=[
        {"x": 32.0, "points": np.array([-1.0, 0.0, 1.9, 2.0]), "values": _heights, "h": 3.0},
        {"x": 0.3, "points": _points, "values": _heights, "h": 0.5},
        {"x": 9.0, "points": _points, "values": _heights, "h": 0.5},
        {"x": -200.0, "points": _points, "values": _heights, "h": 0.1},
    ],
    mistakes=[
        _kernel_mistake(
            lambda u, y, h: np.exp(-u) @ y / (np.exp(-u).sum() + 1e-12),
            "near the data it is right, but far away all weights round to 0 and the tiny number wins: it "
            "answers 0. What may be added to all exponents without changing the mean?",
        ),
        _kernel_mistake(
            lambda u, y, h: _softmax(-2 * u) @ y,
            "the exponent is $-(x-x_j)^2/(2h^2)$; the 2 below is gone",
        ),
        _kernel_mistake(
            lambda u, y, h: _softmax(-u * h) @ y,
            "the square of $h$ stands below, not $h$ itself",
        ),
        _kernel_mistake(
            lambda u, y, h: y[u.argmin()],
            "the nearest point's value is the limit far away; near the data it is a mean of several",
        ),
    ],
    hint="it is a softmax of $-(x-x_j)^2/(2h^2)$, and a softmax does not see what is added to all its scores",
)


# --- break: the nearest key is not heard


def _judge_loud(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair, q and K."
    q, K = (np.asarray(as_numbers(part), dtype=float) for part in attempt)
    if q.shape != (2,) or K.ndim != 2 or K.shape[1:] != (2,) or not 1 <= len(K) <= 5:
        return f"q has shape (2,) and K shape (n, 2) with at most five rows; got {q.shape} and {K.shape}."
    if not (np.isfinite(q).all() and np.isfinite(K).all()):
        return "finite numbers, please."
    far = np.linalg.norm(q - K, axis=1)
    if (np.isclose(far, far.min(), rtol=1e-9)).sum() > 1:
        return "two keys are equally near; one should be nearest."
    lengths = np.linalg.norm(K, axis=1)
    if lengths.max() > 3 * lengths.min():
        return "no key may be more than three times as long as another."
    near = int(far.argmin())
    weight = float(_softmax(K @ q)[near])
    if weight < 0.05:
        return None
    return f"the nearest key is number {near}, and it gets {100 * weight:.3g} % of the weight."


loud_key = Exercise(
    "a nearest key that is not heard",
    judge=_judge_loud,
    answer=(np.array([2.0, 0.0]), np.array([[2.0, 0.0], [4.0, 0.0]])),
    hint="distance takes off $\\frac12\\lVert k\\rVert^2$ and the inner product does not: which keys profit?",
)
