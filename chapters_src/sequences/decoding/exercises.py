"""Exercises of the chapter on decoding: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio.derivation import Derivation, probabilities
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.questions import Choose, Option, Predict

__all__ = ["first_word", "kept_by_both", "one_step", "rejected_draft", "wider_beam"]


# --- predict: a cut after a temperature

kept_by_both = Predict(
    "1. Predict: how many tokens are left",
    "Five tokens have the probabilities 0.5, 0.25, 0.125, 0.0625 and 0.0625. The temperature is 2, and min-p "
    "with $m=0.3$ cuts *after* the temperature. How many tokens are left?",
    answer=5,
    within=0.1,
    mistakes=[
        Mistake(2, "that is the cut at temperature 1; at temperature 2 the ratios become their square roots"),
        Mistake(3, "compare ratios to the likeliest, $p_i/p_1$ to the power $1/\\tau$, with 0.3"),
        Mistake(1, "a temperature above 1 makes tokens more alike, so it keeps more of them"),
        Mistake(4, "the last two are equal: both stay or both go"),
    ],
    hints=[
        "What does the temperature do to the ratio of two probabilities?",
        "At temperature 2 a ratio of 1/8 becomes its square root, 0.35.",
    ],
    why="The smallest ratio is 1/8, and its square root 0.354 is above 0.3. At temperature 1 only two stay.",
)


# --- choose: what a beam promises

wider_beam = Choose(
    "2. Choose: what a beam promises",
    "Sequences of $T$ words, no end word, a vocabulary of $V$ words, beam search by $\\log p$. Which of "
    "these holds for every model?",
    options=[
        Option(
            "A beam of 3 finds a sequence at least as likely as a beam of 2.",
            why="The third sequence can have good children, and they can push out the beginning of what the "
            "narrow beam ends with. It seldom happens, but nothing forbids it.",
        ),
        Option(
            "A beam of $V^{T-1}$ finds the likeliest sequence.",
            right=True,
            why="There are only $V^{T-1}$ beginnings of $T-1$ words, so nothing is dropped before the last "
            "step, and the last step takes the best of all.",
        ),
        Option(
            "Greedy search finds a sequence at least $1/V$ times as likely as the best.",
            why="Each greedy word has at least probability $1/V$, so its sequence has at least $1/V^T$; "
            "the best may have nearly $1/V$ if it needs one word that was not the likeliest.",
        ),
        Option(
            "If beams of 2 and of 3 find the same sequence, it is the likeliest.",
            why="Both may have dropped the beginning of the likeliest at the first step.",
        ),
    ],
    hints=[
        "Which beginnings can a beam drop, and when?",
        "How many beginnings of $T-1$ words are there?",
    ],
)


# --- find the false line: what a rejected draft must be replaced by


def _speculation() -> Derivation:
    d = Derivation("the first token of speculative decoding", p=probabilities(5), q=probabilities(5))
    d.start(
        r"\left[q_i\min\left(1,\frac{p_i}{q_i}\right)+\left(1-\sum_jq_j\min\left(1,\frac{p_j}{q_j}\right)"
        r"\right)\frac{\max(0,p_i-q_i)}{\sum_j\max(0,p_j-q_j)}\right]_i"
    )
    d.equals(
        r"\left[\min(q_i,p_i)+\left(1-\sum_j\min(q_j,p_j)\right)"
        r"\frac{\max(0,p_i-q_i)}{\sum_j\max(0,p_j-q_j)}\right]_i",
        because="multiply $q$ into the minimum",
    )
    d.equals(
        r"\left[\min(q_i,p_i)+\sum_j\left(p_j-\min(q_j,p_j)\right)"
        r"\frac{\max(0,p_i-q_i)}{\sum_k\max(0,p_k-q_k)}\right]_i",
        because="$p$ sums to 1",
    )
    return d.equals(r"\left[\min(q_i,p_i)+\max(0,p_i-q_i)\right]_i", because=r"$p-\min(q,p)=\max(0,p-q)$")


rejected_draft = FalseLine(
    _speculation(),
    {
        2: Variant(
            r"\left[\min(q_i,p_i)+\left(1-\sum_j\min(q_j,p_j)\right)"
            r"\frac{\max(0,q_i-p_i)}{\sum_j\max(0,q_j-p_j)}\right]_i",
            because="multiply $q$ into the minimum",
        ),
        3: Variant(
            r"\left[\min(q_i,p_i)+\sum_j\left(q_j-\min(q_j,p_j)\right)"
            r"\frac{\max(0,q_i-p_i)}{\sum_k\max(0,q_k-p_k)}\right]_i",
            because="$q$ sums to 1",
        ),
        4: Variant(r"\left[\min(q_i,p_i)+\max(0,q_i-p_i)\right]_i", because=r"$q-\min(q,p)=\max(0,q-p)$"),
    },
    name="3. Find the false line: what replaces a rejected draft",
    question="Somebody computes the distribution of the first token of speculative decoding. Which is the "
    "first false line?",
    why="Line 2 turns the difference round and redraws where the *draft* has too much. The last line is then "
    "$q$: with that mistake the small model's distribution comes out, and nothing in the text shows it.",
    hints=["What does the last line sum up to, entry by entry?", "Which token is drawn too rarely by $q$?"],
)


# --- repair: one step of a beam search


def _one_step(log_p: Any, next_log_p: Any, width: int) -> Any:
    total = log_p[:, None] + next_log_p
    best = np.argsort(-total, axis=None, kind="stable")[:width]
    return [(int(i // total.shape[1]), int(i % total.shape[1])) for i in best]


def _one_per_parent(log_p: Any, next_log_p: Any, width: int) -> Any:
    total = log_p[:, None] + next_log_p
    words = total.argmax(axis=1)
    order = np.argsort(-total.max(axis=1), kind="stable")[:width]
    return [(int(i), int(words[i])) for i in order]


def _as_written(log_p: Any, next_log_p: Any, width: int) -> Any:
    words = next_log_p.argmax(axis=1)
    return [(i, int(words[i])) for i in range(min(width, len(words)))]


def _flat(score: Callable[[Any, Any], Any], columns: bool = False) -> Callable[..., Any]:
    """The best of a table of scores, whatever the scores are."""

    def attempt(log_p: Any, next_log_p: Any, width: int) -> Any:
        table = score(log_p, next_log_p)
        best = np.argsort(-table, axis=None, kind="stable")[:width]
        side = table.shape[0 if columns else 1]
        return [(int(i // side), int(i % side)) for i in best]

    return attempt


def _beams(seed: int, M: int, V: int, width: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    log_p = np.sort(rng.normal(-3, 1, M))[::-1].copy()
    return {"log_p": log_p, "next_log_p": np.log(rng.dirichlet(np.ones(V), M)), "width": width}


one_step = Exercise(
    "one step of a beam search, repaired",
    answer=_one_step,
    cases=[
        {
            "log_p": np.log([0.2, 0.4, 0.1]),
            "next_log_p": np.log([[0.4, 0.1, 0.3, 0.2], [0.36, 0.34, 0.05, 0.25], [0.02, 0.02, 0.9, 0.06]]),
            "width": 3,
        },
        _beams(1, 2, 5, 2),
        _beams(2, 4, 6, 4),
        _beams(3, 1, 4, 3),
    ],
    mistakes=[
        Mistake(
            _as_written,
            "each sequence continues greedily on its own, so no sequence can have two children. Compare all "
            "continuations of all sequences with each other",
        ),
        Mistake(
            _one_per_parent, "you rank by the whole probability now, but still keep one word per sequence"
        ),
        Mistake(
            _flat(lambda a, b: b + 0 * a[:, None]), "what the sequence has cost so far counts too: add log_p"
        ),
        Mistake(
            _flat(lambda a, b: -(a[:, None] + b)), "those are the worst; the best have the largest log p"
        ),
        Mistake(
            _flat(lambda a, b: a[:, None] + b, columns=True),
            "the table has a row per sequence and a column per word: divide by the number of columns",
        ),
    ],
    hint="make the table of log p of every sequence with every word, and take the best of the whole table",
)


# --- implement: drawing from p, given the grammar


def _first_word(p: Any, P: Any, A: Any, T: int, looks: int | None = None) -> Any:
    stays = np.ones(len(p))
    for _ in range(T - 1 if looks is None else min(looks, T - 1)):
        stays = (P * A) @ stays
    return p * stays / (p * stays).sum()


def _chain(seed: int, V: int, T: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    A = (rng.random((V, V)) < 0.6) | np.eye(V, dtype=bool)
    return {"p": rng.dirichlet(np.ones(V)), "P": rng.dirichlet(np.ones(V), V), "A": A, "T": T}


first_word = Exercise(
    "the first word, given the grammar",
    answer=_first_word,
    cases=[
        {
            "p": np.array([0.6, 0.3, 0.1]),
            "P": np.array([[0.2, 0.7, 0.1], [0.5, 0.2, 0.3], [0.1, 0.3, 0.6]]),
            "A": np.array([[True, False, True], [True, True, False], [True, False, True]]),
            "T": 4,
        },
        _chain(1, 4, 2),
        _chain(2, 5, 5),
        _chain(3, 3, 1),
    ],
    mistakes=[
        Mistake(
            lambda p, P, A, T: _first_word(p, P, A, T, 1),
            "you look one word ahead; all $T-1$ words that follow must stay inside",
        ),
        Mistake(
            lambda p, P, A, T: _first_word(p, P, A, T + 1),
            "one step too many: of $T$ words, $T-1$ follow the first",
        ),
        Mistake(
            lambda p, P, A, T: _first_word(p, (P * A) / (P * A).sum(axis=1, keepdims=True), A, T),
            "that is the mask: it asks whether a word *can* go on, not how likely it is to. Rows that are "
            "normalised after masking stay inside for certain",
        ),
        Mistake(
            lambda p, P, A, T: _first_word(p, P, A, T) * (p * _first_word(np.ones(len(p)), P, A, T)).sum(),
            "a distribution sums to 1",
        ),
    ],
    hint="from the end backwards: stays = (P * A) @ stays is the chance to stay inside from each word on",
)
