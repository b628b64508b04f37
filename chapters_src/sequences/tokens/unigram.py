"""Unigram: pieces have probabilities, a text has many cuts, and expectation-maximisation weighs them all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, at_least, described, one_of
from chapters_src.sequences.tokens.splitting import CUTS, split_words, utf8

__all__ = ["best_segmentation", "em_step", "expected_counts", "fit_unigram"]

CHUNK = 32  # characters: longer runs, as of dashes, are weighed a chunk at a time, or products underflow


def piece_probabilities(ask: Ask, value: Any) -> dict[bytes, float]:
    """Pieces of bytes, each with a probability."""
    ask.require(
        isinstance(value, Mapping)
        and len(value) > 0
        and all(isinstance(piece, bytes) and piece for piece in value)
        and all(isinstance(p, (int, float)) and 0 <= p <= 1.000001 for p in value.values()),
        "be a dictionary from pieces (bytes) to probabilities",
        described(value),
    )
    return dict(value)


def word_counts(ask: Ask, value: Any) -> dict[str, int]:
    """Words, each with how often it occurs."""
    ask.require(
        isinstance(value, Mapping)
        and len(value) > 0
        and all(isinstance(word, str) and word for word in value)
        and all(isinstance(count, int) and count > 0 for count in value.values()),
        "be a dictionary from words to how often they occur",
        described(value),
    )
    return {utf8(ask, word): count for word, count in value.items()}


@checked(words=word_counts, p=piece_probabilities)
def expected_counts(words: Mapping[str, int], p: Mapping[bytes, float]) -> tuple[dict[bytes, float], float]:
    """How often each piece is expected when every word is cut at random by the model, and log p(words).

    α_j = Σ_{i<j} α_i p(x_{i:j}),  c_v = Σ_{x_{i:j} = v} α_i p_v β_j / α_n      {eq}`eq-tokens-forward`

    α_j is the probability of all cuts of the first j bytes, β_j that of all cuts of the rest. A word without
    any cut into pieces of p makes the logarithm −∞.
    """
    counts, log_likelihood = dict.fromkeys(p, 0.0), 0.0
    longest = max(map(len, p))
    for word, times in words.items():
        x = word.encode()
        n = len(x)
        spans = [(i, j) for i in range(n) for j in range(i + 1, min(i + longest, n) + 1) if x[i:j] in p]
        alpha, beta = [1.0] + [0.0] * n, [0.0] * n + [1.0]
        for i, j in spans:  # in the order of i: whatever ends at i came before
            alpha[j] += alpha[i] * p[x[i:j]]
        for i, j in reversed(spans):
            beta[i] += p[x[i:j]] * beta[j]
        if alpha[n] == 0:
            return counts, -math.inf
        for i, j in spans:
            counts[x[i:j]] += times * alpha[i] * p[x[i:j]] * beta[j] / alpha[n]
        log_likelihood += times * math.log(alpha[n])
    return counts, log_likelihood


@checked(words=word_counts, p=piece_probabilities)
def em_step(words: Mapping[str, int], p: Mapping[bytes, float]) -> tuple[dict[bytes, float], float]:
    """Better probabilities for the pieces, and the log-likelihood of the words under the old ones.

    p_v ← c_v / Σ_u c_u,  c the expected counts under p                   {eq}`eq-tokens-em`
    """
    counts, log_likelihood = expected_counts(words, p)
    require(log_likelihood > -math.inf, "p", "have a cut for every word", "none for one")
    total = sum(counts.values())
    return {piece: count / total for piece, count in counts.items()}, log_likelihood


@checked(text=utf8, p=piece_probabilities, split=one_of(CUTS))
def best_segmentation(text: str, p: Mapping[bytes, float], split: str = "none") -> list[bytes]:
    """The most probable cut of a text, by the same recursion with the largest in place of the sum (Viterbi).

    s_j = max_{i<j} (s_i + log p(x_{i:j}))                                {eq}`eq-tokens-viterbi`

    A byte that p does not know may stand alone, at a price below every other.
    """
    log_p, unknown, longest = _logarithms(p)
    words = split_words(text, split)
    cuts = {word: _best(word.encode(), log_p, unknown, longest) for word in set(words)}
    return [piece for word in words for piece in cuts[word]]


def _logarithms(p: Mapping[bytes, float]) -> tuple[dict[bytes, float], float, int]:
    """The scores of the pieces, the score of an unknown byte, and the length of the longest piece."""
    log_p = {piece: math.log(chance) for piece, chance in p.items() if chance > 0}
    return log_p, min(log_p.values(), default=0.0) - 10.0, max(map(len, log_p), default=1)


def _best(x: bytes, log_p: Mapping[bytes, float], unknown: float, longest: int) -> list[bytes]:
    score, start = [0.0] + [-math.inf] * len(x), [0] * (len(x) + 1)
    for j in range(1, len(x) + 1):
        for i in range(max(0, j - longest), j):
            price = log_p.get(x[i:j], unknown if j - i == 1 else -math.inf)
            if score[i] + price > score[j]:
                score[j], start[j] = score[i] + price, i
    pieces, j = [], len(x)
    while j > 0:
        pieces.append(x[start[j] : j])
        j = start[j]
    return pieces[::-1]


def _frequent_substrings(words: Mapping[str, int], longest: int, many: int) -> list[bytes]:
    """The substrings of two bytes and more that cover most of the text, by length times count."""
    counts: Counter[bytes] = Counter()
    for word, times in words.items():
        x = word.encode()
        for i in range(len(x)):
            for j in range(i + 2, min(i + longest, len(x)) + 1):
                counts[x[i:j]] += times
    return sorted((v for v in counts if counts[v] > 1), key=lambda v: (-counts[v] * len(v), v))[:many]


def _misses(p: Mapping[bytes, float]) -> dict[bytes, float]:
    """For each longer piece, what the log-likelihood per token loses if the others have to write it."""
    log_p, unknown, longest = _logarithms(p)
    misses = {}
    for piece in [piece for piece in p if len(piece) > 1]:
        own = log_p.pop(piece, None)
        parts = _best(piece, log_p, unknown, longest)
        instead = sum(log_p.get(part, unknown) for part in parts)
        misses[piece] = 0.0 if own is None else p[piece] * (own - instead)
        if own is not None:
            log_p[piece] = own
    return misses


@checked(text=utf8, pieces=at_least(0), split=one_of(CUTS), longest=at_least(2), rounds=at_least(1))
def fit_unigram(
    text: str, pieces: int, *, split: str = "gpt2", longest: int = 12, rounds: int = 2
) -> dict[bytes, float]:
    """Probabilities of the bytes of a text and of ``pieces`` longer ones, from a vocabulary that shrinks.

    Begins with the substrings that cover most of the text, four times as many as asked for. Then again and
    again: ``rounds`` steps of expectation-maximisation, and the quarter that is missed least is dropped.
    """
    require(text != "", "text", "not be empty", "''")
    chunks = [word[at : at + CHUNK] for word in split_words(text, split) for at in range(0, len(word), CHUNK)]
    words = Counter(chunks)
    known = [bytes([byte]) for byte in sorted(set(text.encode()))]
    known += _frequent_substrings(words, longest, 4 * pieces)
    p = dict.fromkeys(known, 1 / len(known))
    while True:
        for _ in range(rounds):
            p, _ = bare(em_step)(words, p)
        misses = _misses(p)
        if len(misses) <= pieces:
            return p
        ranked = sorted(misses, key=lambda piece: (-misses[piece], piece))
        dropped = set(ranked[max(pieces, len(ranked) * 3 // 4) :])
        p = {piece: chance for piece, chance in p.items() if piece not in dropped}
