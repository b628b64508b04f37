"""Exercises of the chapter on attention: three to answer on the page, then derive, implement, break.

Each of the others is named like what the reader writes: ``exercises.join.check(join)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.derivation import Derivation, normal
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.questions import Choose, Option, Predict

__all__ = ["into_heads", "join", "misled", "query_gradient", "score_for_half", "unseen", "which_bias"]


def _softmax(scores: Any, axis: int = -1) -> Any:
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# --- derive: the gradient at one query


def _query_gradient(q: Any, K: Any, V: Any, g: Any) -> Any:
    a, wish = _softmax(K @ q / np.sqrt(len(q))), V @ g
    return K.T @ (a * (wish - a @ wish)) / np.sqrt(len(q))


def _gradient_mistake(rule: Callable[..., Any], hint: str) -> Mistake:
    """Another rule made of the weights, the wishes V g and the keys."""

    def wrong(q: Any, K: Any, V: Any, g: Any) -> Any:
        return rule(_softmax(K @ q / np.sqrt(len(q))), V @ g, K, np.sqrt(len(q)))

    return Mistake(wrong, hint)


def _gradient_case(seed: int, n: int, d: int, e: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    shapes = {"q": (d,), "K": (n, d), "V": (n, e), "g": (e,)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


query_gradient = Exercise(
    "the gradient at the query",
    answer=_query_gradient,
    cases=[
        {
            "q": np.array([1.0, 0.0, 0.5, 0.0]),
            "K": np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [2.0, 0.0, 0.0, -1.0]]),
            "V": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]),
            "g": np.array([1.0, -0.5]),
        },
        _gradient_case(1, 5, 3, 2),
        _gradient_case(2, 4, 9, 4),
    ],
    mistakes=[
        _gradient_mistake(
            lambda a, wish, K, root: K.T @ (a * (wish - a @ wish)),
            "the scores have $1/\\sqrt d$ in them, so the gradient at $q$ has it too",
        ),
        _gradient_mistake(
            lambda a, wish, K, root: K.T @ (a * wish) / root,
            "the weights sum to 1: if one grows, others shrink. Where is $-aa^\\top$ of the Jacobian?",
        ),
        _gradient_mistake(
            lambda a, wish, K, root: K.T @ wish / root,
            "the way back leads through the softmax; its Jacobian is missing",
        ),
        _gradient_mistake(
            lambda a, wish, K, root: K.T @ (a * (1 - a) * wish) / root,
            "that is the diagonal of the Jacobian alone, as if it were a sigmoid for every key",
        ),
        _gradient_mistake(
            lambda a, wish, K, root: K.T @ (a * (wish - wish.mean())) / root,
            "the mean that is taken off is weighted by $a$",
        ),
        _gradient_mistake(
            lambda a, wish, K, root: K.T @ (a * (a @ wish - wish)) / root,
            "the sign: a score should rise if its wish is above the mean",
        ),
    ],
    hint="walk back: from $o$ to the weights, through the softmax, from the scores to $q$",
)


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
            "The same vector is added to every key.",
            right=True,
            why="$q_i^\\top(k_j+c)=q_i^\\top k_j+q_i^\\top c$: the whole row $i$ is shifted by one number, "
            "which a softmax does not see.",
        ),
        Option(
            "The same vector is added to every query.",
            why="$(q_i+c)^\\top k_j=q_i^\\top k_j+c^\\top k_j$: that differs from key to key.",
        ),
        Option("Every key is doubled.", why="The scores double, and the weights become more decided."),
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


# --- find the false line: the biases of a head

_biases = Derivation(
    "the biases of a head",
    X=normal(5, 6),
    W_Q=normal(6, 2),
    W_K=normal(6, 2),
    b_Q=normal(2),
    b_K=normal(2),
    where={"S": r"= XW_QW_K^\top X^\top"},
)
_biases.start(r"\operatorname{softmax}\left((XW_Q+\mathbf 1b_Q^\top)(XW_K+\mathbf 1b_K^\top)^\top\right)")
_biases.equals(
    r"\operatorname{softmax}\left(S+XW_Qb_K\mathbf 1^\top+\mathbf 1(XW_Kb_Q)^\top"
    r"+\mathbf 1b_Q^\top b_K\mathbf 1^\top\right)",
    because="multiply out",
)
_biases.equals(
    r"\operatorname{softmax}\left(S+\mathbf 1(XW_Kb_Q)^\top\right)",
    because="a softmax does not see what is the same along a row",
)
_biases.equals(
    r"\operatorname{softmax}\left((XW_Q+\mathbf 1b_Q^\top)(XW_K)^\top\right)",
    because="put the bracket back",
)

which_bias = FalseLine(
    _biases,
    {
        3: Variant(r"\operatorname{softmax}\left(S+XW_Qb_K\mathbf 1^\top\right)"),
        4: Variant(
            r"\operatorname{softmax}\left(S\right)",
            because="what is left of the biases is the same along a row",
        ),
    },
    name="3. Find the false line: do biases matter?",
    question="Let $S=XW_QW_K^\\top X^\\top$. Here is why the biases of queries and keys never matter. "
    "Which is the first false line?",
    why="$\\mathbf 1(XW_Kb_Q)^\\top$ has the same row everywhere, so it differs along a row, and stays.",
    hints=[
        "Take the terms with a bias one by one: does their entry $(i,j)$ depend on $j$?",
        "$u\\mathbf 1^\\top$ has equal columns, $\\mathbf 1u^\\top$ has equal rows.",
    ],
)


# --- implement: two halves of an online softmax


def _join(m1: Any, l1: Any, o1: Any, m2: Any, l2: Any, o2: Any) -> Any:
    m = max(m1, m2)
    u, v = np.exp(m1 - m), np.exp(m2 - m)
    return m, u * l1 + v * l2, u * o1 + v * o2


def _join_mistake(rule: Callable[..., Any], hint: str) -> Mistake:
    """Another triple; ``u`` and ``v`` are the factors of the two halves."""

    def wrong(m1: Any, l1: Any, o1: Any, m2: Any, l2: Any, o2: Any) -> Any:
        m = max(m1, m2)
        return rule(m, np.exp(m1 - m), np.exp(m2 - m), l1, o1, l2, o2)

    return Mistake(wrong, hint)


join = Exercise(
    "joining two halves of a softmax",
    answer=_join,
    cases=[
        {
            "m1": 1.0,
            "l1": 1.5,
            "o1": np.array([2.0, -1.0]),
            "m2": 2.0,
            "l2": 1.25,
            "o2": np.array([0.5, 1.0]),
        },
        {"m1": 3.0, "l1": 2.0, "o1": np.array([1.0]), "m2": -1.0, "l2": 1.0, "o2": np.array([4.0])},
        {"m1": 1000.0, "l1": 1.0, "o1": np.array([1.0]), "m2": 1001.0, "l2": 1.0, "o2": np.array([3.0])},
        {"m1": -900.0, "l1": 1.0, "o1": np.array([1.0]), "m2": -901.0, "l2": 1.0, "o2": np.array([3.0])},
    ],
    mistakes=[
        _join_mistake(
            lambda m, u, v, l1, o1, l2, o2: (m, l1 + l2, o1 + o2),
            "the two sums are in different units, $e^{m_1}$ and $e^{m_2}$",
        ),
        _join_mistake(
            lambda m, u, v, l1, o1, l2, o2: (m, u * l1 + v * l2, o1 + o2),
            "the vectors are in the units of their own $m$ too",
        ),
        _join_mistake(
            lambda m, u, v, l1, o1, l2, o2: (m, l1 / u + l2 / v, o1 / u + o2 / v),
            "the factors are $e^{m_i-m}$, at most 1; yours are the other way up",
        ),
        _join_mistake(
            lambda m, u, v, l1, o1, l2, o2: (m, u * l1 + v * l2, u * o1 / l1 + v * o2 / l2),
            "$o$ is a sum, not yet divided by $\\ell$",
        ),
        _join_mistake(
            lambda m, u, v, l1, o1, l2, o2: (m, u * l1 + v * l2, (u * o1 + v * o2) / (u * l1 + v * l2)),
            "$o$ stays a sum; the division by $\\ell$ comes at the very end",
        ),
        Mistake(
            lambda m1, l1, o1, m2, l2, o2: (
                m1 + m2,
                np.exp(m1) * l1 + np.exp(m2) * l2,
                np.exp(m1) * o1 + np.exp(m2) * o2,
            ),
            "the highest score of both is the larger of the two; the sums are in units of its exponential",
        ),
        Mistake(
            lambda m1, l1, o1, m2, l2, o2: (
                max(m1, m2),
                np.exp(m1) * l1 + np.exp(m2) * l2,
                np.exp(m1) * o1 + np.exp(m2) * o2,
            ),
            "those are the bare sums; in units of $e^{m}$ they are smaller, and do not overflow",
        ),
    ],
    hint="take the larger $m$, and bring both halves to its units with $e^{m_i-m}$",
)


# --- break: the nearest key is not heard


def _judge_misled(attempt: Any) -> str | None:
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
    near = int(far.argmin())
    weight = float(_softmax(K @ q)[near])
    if weight < 0.05:
        return None
    return f"the nearest key is number {near}, and it gets {100 * weight:.3g} % of the weight."


misled = Exercise(
    "a nearest key that is not heard",
    judge=_judge_misled,
    answer=(np.array([1.0, 0.0]), np.array([[1.0, 0.0], [5.0, 0.0]])),
    hint="distance takes off $\\frac12\\lVert k\\rVert^2$ and the inner product does not: which keys profit?",
)


# --- implement: columns into heads


def _into_heads(X: Any, heads: int) -> Any:
    return X.reshape(len(X), heads, -1).transpose(1, 0, 2)


into_heads = Exercise(
    "columns into heads",
    answer=_into_heads,
    cases=[
        {"X": np.arange(24.0).reshape(4, 6), "heads": 2},
        {"X": np.arange(24.0).reshape(3, 8), "heads": 4},
        {"X": np.arange(6.0).reshape(2, 3), "heads": 1},
    ],
    mistakes=[
        Mistake(
            lambda X, heads: X.reshape(heads, len(X), -1),
            "the right shape and the wrong contents: that cuts the sequence into pieces, not the columns",
        ),
        Mistake(
            lambda X, heads: X.reshape(len(X), -1, heads).transpose(2, 0, 1),
            "that deals the columns out in turn; the first head gets the *first* $d/H$ columns",
        ),
        Mistake(
            lambda X, heads: X.reshape(len(X), heads, -1).transpose(1, 2, 0),
            "within a head, rows are positions and columns are its dimensions; yours are exchanged",
        ),
    ],
    hint="first give the columns two axes, then move the axis of heads to the front",
)
