"""Exercises of the chapter on tokens: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.encode.check(encode)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.sequences.tokens.byte_pairs import fit_byte_pairs
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "company_of_two",
    "encode",
    "table_gradient",
    "text_bits_per_byte",
    "tokeniser",
    "tokens_left",
    "two_texts",
]

# --- derive: the gradient of a mean of looked-up rows


def _table_gradient(tokens: Any, E: Any, w: Any) -> Any:
    return np.outer(np.bincount(tokens, minlength=len(E)) / len(tokens), w)


def _overwritten(tokens: Any, E: Any, w: Any) -> Any:
    grad = np.zeros_like(E)
    grad[tokens] += w / len(tokens)  # numpy keeps one of several additions to the same row
    return grad


table_gradient = Exercise(
    "the gradient of the table",
    answer=_table_gradient,
    cases=[
        {"tokens": np.array([1, 1, 0, 1]), "E": np.zeros((3, 2)), "w": np.array([4.0, 8.0])},
        {"tokens": np.array([2]), "E": np.ones((4, 1)), "w": np.array([-1.0])},
        {"tokens": np.array([0, 3, 3, 3, 1]), "E": np.ones((5, 3)), "w": np.array([1.0, 0.0, 2.0])},
    ],
    mistakes=[
        Mistake(_overwritten, "a token that occurs twice collects twice: add, do not assign"),
        Mistake(
            lambda tokens, E, w: len(tokens) * _table_gradient(tokens, E, w),
            "it is a mean: where did $1/n$ go?",
        ),
        Mistake(
            lambda tokens, E, w: _table_gradient(tokens, E, w) * len(tokens) / len(E),
            "the mean is over the $n$ places of the text, not over the vocabulary",
        ),
        Mistake(
            lambda tokens, E, w: np.tile(w / len(tokens), (len(E), 1)),
            "only rows that were looked up take part; the others have gradient 0",
        ),
        Mistake(
            lambda tokens, E, w: np.tile(w / len(tokens), (len(tokens), 1)),
            "that is one row for each place; the gradient has the shape of $E$, one row for each token",
        ),
    ],
    hint="how often is row $v$ looked up, and what multiplies it each time?",
)


# --- implement: encoding with given merges


def _passes(tokens: list[int], merges: Any, new: Any = None, backwards: bool = False) -> list[int]:
    tokens = list(tokens)
    for i, (a, b) in enumerate(merges):
        if backwards:
            tokens, a, b = tokens[::-1], b, a
        joined: list[int] = []
        for token in tokens:
            if joined and (joined[-1], token) == (a, b):
                joined[-1] = 256 + i if new is None else new(i)
            else:
                joined.append(token)
        tokens = joined[::-1] if backwards else joined
    return tokens


def _encode(tokens: Any, merges: Any) -> list[int]:
    return _passes(tokens, merges)


def _joined_once(tokens: Any, merges: Any) -> list[int]:
    """Every merge, but only at its first place."""
    tokens = list(tokens)
    for i, (a, b) in enumerate(merges):
        at = next((t for t in range(len(tokens) - 1) if (tokens[t], tokens[t + 1]) == (a, b)), None)
        if at is not None:
            tokens[at : at + 2] = [256 + i]
    return tokens


def _any_order(tokens: Any, merges: Any) -> list[int]:
    """Whatever pair comes first in the text, at the number of its merge."""
    rank, tokens = {tuple(pair): i for i, pair in enumerate(merges)}, list(tokens)
    while True:
        at = next((t for t in range(len(tokens) - 1) if (tokens[t], tokens[t + 1]) in rank), None)
        if at is None:
            return tokens
        tokens[at : at + 2] = [256 + rank[tokens[at], tokens[at + 1]]]


def _case(text: str, merges: list[tuple[int, int]]) -> dict[str, Any]:
    return {"tokens": list(text.encode()), "merges": merges}


a, b, c = b"abc"
encode = Exercise(
    "encode with given merges",
    answer=_encode,
    cases=[
        _case("aab abb bbb", [(a, b), (b, b), (a, a)]),  # every mistake below gives other tokens
        _case("abab", [(a, b)]),
        _case("aaa", [(a, a)]),
        _case("abc cab", [(a, b), (b, c), (c, a)]),
        _case("abcabcab", [(a, b), (256, c), (257, 256)]),
        _case("ccc", [(a, b)]),
        _case("aaaaaaa", [(a, a), (256, 256), (257, 256)]),
    ],
    mistakes=[
        Mistake(_any_order, "an earlier merge goes first, wherever in the text its pair stands"),
        Mistake(_joined_once, "a merge joins its pair everywhere in the text, not only at the first place"),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges, backwards=True),
            "pairs are joined from left to right: of $aaa$ the first two are joined",
        ),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges[:1]),
            "there is more than one merge; each works on what the one before has made",
        ),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges[::-1], lambda i: 255 + len(merges) - i),
            "apply the merges in the order in which they were learned",
        ),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges, lambda i: 257 + i),
            "the first merge makes token 256, because the bytes are 0 to 255",
        ),
    ],
    hint="one pass over the tokens for each merge; compare the last token kept with the next one",
)


# --- predict: a rule of 23 dashes after three merges

tokens_left = Exercise(
    "a rule of 23 dashes after three merges",
    answer=5,
    mistakes=[
        Mistake(3, "the rule is not a multiple of eight: what is left over at each merge stays"),
        Mistake(2, "the two tokens of eight dashes are not all: what became of the other seven?"),
        Mistake(7, "that is after two merges"),
        Mistake(12, "that is after one merge"),
        Mistake(20, "a merge joins its pair everywhere, not once"),
        Mistake(4, "after the first merge a single dash is left over, and it stays to the end"),
    ],
    hint="write 23 in binary, or join by hand: 23 dashes make 11 pairs and one dash",
)


# --- implement: bits per byte


def _bits(losses: Any, sizes: Any) -> float:
    return float(np.sum(losses) / np.log(2) / np.sum(sizes))


text_bits_per_byte = Exercise(
    "bits per byte from losses of tokens",
    answer=_bits,
    cases=[
        {"losses": np.array([2.0, 1.0]), "sizes": np.array([4, 1])},
        {"losses": np.array([0.5, 0.5, 3.0]), "sizes": np.array([1, 2, 9])},
        {"losses": np.array([np.log(2)]), "sizes": np.array([1])},
    ],
    mistakes=[
        Mistake(
            lambda losses, sizes: np.mean(losses / sizes) / np.log(2),
            "the mean of ratios is not the ratio of sums: a long token counts for more bytes",
        ),
        Mistake(lambda losses, sizes: np.sum(losses) / np.sum(sizes), "these are nats per byte"),
        Mistake(
            lambda losses, sizes: np.sum(losses) * np.log(2) / np.sum(sizes),
            "a nat is more than a bit: divide by $\\log2$",
        ),
        Mistake(lambda losses, sizes: np.mean(losses) / np.log(2), "these are bits per token"),
        Mistake(
            lambda losses, sizes: np.mean(losses) / np.log(2) / np.sum(sizes),
            "the loss of the text is the sum over its tokens, not their mean",
        ),
    ],
    hint="first the whole text: how many nats does it cost, and how many bytes has it?",
)


# --- break: more text, fewer tokens

tokeniser = fit_byte_pairs(
    "how much wood would a woodchuck chuck if a woodchuck could chuck wood? "
    "he would chuck, he would, as much as he could, and chuck as much wood as a woodchuck would "
    "if a woodchuck could chuck wood. ",
    40,
)


def _shrinks(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair of texts, a and b."
    if not all(isinstance(text, str) for text in attempt):
        return "both must be strings."
    a, b = attempt
    if not a or not b:
        return "neither text may be empty."
    alone, together = len(tokeniser.encode(a)), len(tokeniser.encode(a + b))
    if together < alone:
        return None
    return f"a has {alone} tokens and a + b has {together}."


two_texts = Exercise(
    "more text, fewer tokens",
    judge=_shrinks,
    hint=(
        "look at a long entry of `tokeniser.vocabulary` and find one whose beginning, without its last "
        "letter, is left in several pieces"
    ),
)


# --- derive, then implement: raw counts and mutual information


def _company(C: Any, x: int, y: int, raw: bool = True, power: float = 1.0) -> tuple[float, float]:
    p = C / C.sum()
    pmi = np.log(p / p.sum(axis=1, keepdims=True) / p.sum(axis=0) ** power)
    rows = C if raw else C / np.linalg.norm(C, axis=1, keepdims=True)
    cosine = rows[x] @ rows[y] / np.linalg.norm(rows[x]) / np.linalg.norm(rows[y])
    return float(cosine), float(np.linalg.norm(pmi[x] - pmi[y]))


def _without_rows(C: Any, x: int, y: int) -> tuple[float, float]:
    return _company(C, x, y)[0], float(np.linalg.norm(np.log(C[x]) - np.log(C[y])))


COUNTS = np.array([[10.0, 20.0, 40.0], [1.0, 2.0, 4.0], [5.0, 1.0, 1.0]])
company_of_two = Exercise(
    "the company of two words",
    answer=_company,
    cases=[
        {"C": COUNTS, "x": 0, "y": 2},
        {"C": COUNTS, "x": 0, "y": 1},
        {"C": np.random.default_rng(0).integers(1, 9, (4, 5)).astype(float), "x": 1, "y": 3},
    ],
    mistakes=[
        Mistake(
            lambda C, x, y: (float(C[x] @ C[y]), _company(C, x, y)[1]),
            "a cosine is divided by both lengths, and is at most 1",
        ),
        Mistake(_without_rows, "PMI divides by $p(i)$ as well: a frequent word is not further away for it"),
        Mistake(
            lambda C, x, y: (_company(C, x, y)[0], _company(C, x, y)[1] ** 2),
            "the distance is asked for, not its square",
        ),
        Mistake(
            lambda C, x, y: _company(C, x, y)[::-1],
            "first the cosine of the raw counts, then the distance of the PMI rows",
        ),
    ],
    hint="$\\mathrm{PMI}_{ij}=\\log p(i,j)/(p(i)\\,p(j))$, with sums of rows and columns from the counts",
)
