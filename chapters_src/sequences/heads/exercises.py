"""Exercises of the chapter on heads: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio.derivation import Derivation, normal, probabilities
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.questions import Choose, Option, Predict

__all__ = ["alike", "joined", "left_filling", "memory_of_keys", "repaired"]


# --- predict: the cache of a model with grouped queries

memory_of_keys = Predict(
    "1. Predict: what a long chat holds in memory",
    "A model has 24 layers, width $d=2048$ and 16 heads of queries, which share 4 heads of keys and values. "
    "It keeps the keys and values of 16,384 tokens, 2 bytes per number. How many GiB (2³⁰ bytes) is that?",
    answer=0.75,
    within=0.01,
    mistakes=[
        Mistake(3.0, "that is with keys and values for each of the 16 heads"),
        Mistake(0.375, "keys *and* values are kept"),
        Mistake(0.1875, "that is one head of keys and values for all; here there are 4"),
        Mistake(0.03125, "that is one layer; each of the 24 has keys and values of its own"),
        Mistake(12.0, "a head is $d/H=128$ numbers wide, not 2,048"),
        Mistake(1.5, "2 bytes per number, not 4"),
    ],
    hints=[
        "How wide is a head? How many numbers are kept per token and layer?",
        "Per token and layer: 2 · 4 · 128 numbers.",
    ],
    why="2 · 4 · 128 numbers per token and layer, times 24 layers, 16,384 tokens and 2 bytes. With 16 heads "
    "of keys and values it would be 3 GiB, for each chat.",
)


# --- choose: who has nowhere to look

left_filling = Choose(
    "2. Choose: filling on the left",
    "To continue several prompts at once, their ends are lined up, so that short ones are filled *on the "
    "left*. The mask is causal, and nobody may look at filling. Which positions have no key left to look at?",
    options=[
        Option(
            "The positions of the filling.",
            right=True,
            why="Before such a position there is only filling, and it is filling itself, so its softmax "
            "would be 0/0. Filled on the right, it would still see the real words before it.",
        ),
        Option("The first real word.", why="It may look at itself: $j\\le i$ allows $j=i$."),
        Option("The last word.", why="It sees all real words before it, more than anybody else."),
        Option(
            "None.", why="That is so with filling on the right; here look at the first column of the mask."
        ),
    ],
    hints=[
        "Draw the mask of four positions, the first two of which are filling.",
        "A query keeps the keys that both masks allow.",
    ],
)


# --- find the false line: when two heads are one


def _two_heads_that_look_alike() -> Derivation:
    d = Derivation(
        "two heads that look alike",
        A=probabilities(4, 4),
        X=normal(4, 6),
        W_1=normal(6, 3),
        W_2=normal(6, 3),
        U_1=normal(3, 6),
        U_2=normal(3, 6),
    )
    d.start(r"\begin{bmatrix}AXW_1&AXW_2\end{bmatrix}\begin{bmatrix}U_1\\U_2\end{bmatrix}")
    d.equals(r"AXW_1U_1+AXW_2U_2", because="columns of the left meet rows of the right")
    d.equals(r"AX\left(W_1U_1+W_2U_2\right)", because="$AX$ stands in front of both")
    return d.equals(
        r"AX\begin{bmatrix}W_1&W_2\end{bmatrix}\begin{bmatrix}U_1\\U_2\end{bmatrix}",
        because="one head with the columns of both",
    )


alike = FalseLine(
    _two_heads_that_look_alike(),
    {
        3: Variant(
            r"AX\left(W_1+W_2\right)\left(U_1+U_2\right)", because="$AX$ stands in front of both; collect"
        ),
        4: Variant(
            r"\left(AXW_1+AXW_2\right)\left(U_1+U_2\right)",
            because="one head that reads the sum of what the two read",
        ),
    },
    name="3. Find the false line: two heads that look alike",
    question="Two heads have the same weights $A$ and different matrices for their values. Can one head "
    "replace them? Here is an argument. Which is its first false line?",
    why="$(W_1+W_2)(U_1+U_2)$ has the cross terms $W_1U_2$ and $W_2U_1$, which no head computes. The sum "
    "$W_1U_1+W_2U_2$ is right: one head with both heads' columns does the work of two that look alike.",
    hints=["Multiply the brackets out again.", "Which products $W_iU_j$ did the line before have?"],
)


# --- repair: several heads, right shape, wrong numbers


def _heads(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, heads: int) -> Any:
    part = X.shape[1] // heads
    total = np.zeros_like(X)
    for h in range(heads):
        own = slice(h * part, (h + 1) * part)
        scores = (X @ W_Q[:, own]) @ (X @ W_K[:, own]).T / np.sqrt(part)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        total += weights / weights.sum(axis=1, keepdims=True) @ (X @ W_V[:, own]) @ W_O[own]
    return total


def _as_written(merge: bool, root: bool, split: bool = True) -> Callable[..., Any]:
    """The function of the exercise with some of its faults repaired."""

    def attempt(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, heads: int) -> Any:
        T, d = X.shape

        def part(Z: Any) -> Any:
            cut = Z.reshape(T, heads, d // heads).transpose(1, 0, 2)
            return cut if split else Z.reshape(heads, T, d // heads)

        Q, K, V = (part(X @ W) for W in (W_Q, W_K, W_V))
        S = Q @ K.transpose(0, 2, 1) / np.sqrt(d // heads if root else d)
        O = np.exp(S) / np.exp(S).sum(axis=-1, keepdims=True) @ V
        return (O.transpose(1, 0, 2) if merge else O).reshape(T, d) @ W_O

    return attempt


def _layer(seed: int, T: int, d: int, heads: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    weights = {name: rng.normal(size=(d, d)) / np.sqrt(d) for name in ("W_Q", "W_K", "W_V", "W_O")}
    return {"X": rng.normal(size=(T, d)), **weights, "heads": heads}


repaired = Exercise(
    "several heads, repaired",
    answer=_heads,
    cases=[_layer(1, 3, 4, 2), _layer(0, 3, 4, 1), _layer(2, 5, 6, 3)],
    mistakes=[
        Mistake(
            _as_written(merge=False, root=False),
            "right for one head only. For two, follow one number: in which row does it end after the "
            "merging?",
        ),
        Mistake(
            _as_written(merge=True, root=False),
            "the merging is right; now the scale: an inner product of how many terms is divided?",
        ),
        Mistake(
            _as_written(merge=False, root=True),
            "the scale is right; now the merging: heads must stand beside each other, row by row",
        ),
        Mistake(
            _as_written(merge=True, root=True, split=False),
            "the splitting was right: `reshape(T, heads, …)` cuts columns, and `reshape(heads, T, …)` cuts "
            "the sequence",
        ),
    ],
    hint="there are two faults; a layer with one head shows neither",
)


# --- implement: two parts of an online softmax


def _joined(m1: Any, l1: Any, o1: Any, m2: Any, l2: Any, o2: Any) -> Any:
    m = max(m1, m2)
    u, v = np.exp(m1 - m), np.exp(m2 - m)
    return m, u * l1 + v * l2, u * o1 + v * o2


def _join_mistake(rule: Callable[..., Any], hint: str) -> Mistake:
    """Another triple; ``u`` and ``v`` are the factors of the two parts."""

    def wrong(m1: Any, l1: Any, o1: Any, m2: Any, l2: Any, o2: Any) -> Any:
        m = max(m1, m2)
        return rule(m, np.exp(m1 - m), np.exp(m2 - m), l1, o1, l2, o2)

    return Mistake(wrong, hint)


def _two_parts(m1: float, l1: float, o1: Any, m2: float, l2: float, o2: Any) -> dict[str, Any]:
    return {"m1": m1, "l1": l1, "o1": np.array(o1), "m2": m2, "l2": l2, "o2": np.array(o2)}


joined = Exercise(
    "joining two parts of a softmax",
    answer=_joined,
    cases=[
        _two_parts(1.0, 1.5, [2.0, -1.0], 2.0, 1.25, [0.5, 1.0]),
        _two_parts(3.0, 2.0, [1.0], -1.0, 1.0, [4.0]),
        _two_parts(1000.0, 1.0, [1.0], 1001.0, 1.0, [3.0]),
        _two_parts(-900.0, 1.0, [1.0], -901.0, 1.0, [3.0]),
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
            lambda m, u, v, l1, o1, l2, o2: (m, u * l1 + v * l2, (u * o1 + v * o2) / (u * l1 + v * l2)),
            "$o$ stays a sum; the division by $\\ell$ comes at the very end",
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
    hint="take the larger $m$, and bring both parts to its units with $e^{m_i-m}$",
)
