"""Vectors for words from the company they keep: co-occurrence, mutual information, a truncated SVD."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Ask, above, at_least, at_most, between, whole
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["analogy", "co_occurrences", "nearest", "pointwise_mutual_information", "word_vectors"]


@checked(V=at_least(1), window=at_least(1))
def co_occurrences(tokens: Int[ndarray, "n"], V: int, window: int) -> Float[ndarray, "{V} {V}"]:
    """How often token j stands within ``window`` places of token i, on either side; negative tokens are gaps.

    C_ij = #{(s, t): τ_s = i, τ_t = j, 0 < |s − t| ≤ window}              {eq}`eq-tokens-counts`
    """
    if tokens.max() >= V:
        refuse("tokens", f"be whole numbers below {V}", tokens.max())
    counts = np.zeros(V * V)
    for distance in range(1, min(window, len(tokens) - 1) + 1):
        left, right = tokens[:-distance], tokens[distance:]
        both = (left >= 0) & (right >= 0)
        counts += np.bincount(left[both] * V + right[both], minlength=V * V)
    C = counts.reshape(V, V)  # (V·V,) -> (V, V)
    return C + C.T


@checked(C=at_least(0), smoothing=above(0) & at_most(1))
def pointwise_mutual_information(
    C: Float[ndarray, "V W"], positive: bool = True, smoothing: float = 1.0
) -> Float[ndarray, "V W"]:
    """How much more often a word and a context meet than chance would have it, in nats.

    PMI_ij = log p(i, j)/(p(i) p(j)),  p(j) ∝ (Σᵢ C_ij)^α with α = ``smoothing``   {eq}`eq-tokens-pmi`

    A pair that never met has −∞; with ``positive`` everything below 0 is 0, because a small text says little
    about what is rarer than chance. An α below 1 keeps rare contexts from looking too telling.
    """
    require(C.any(), "C", "hold counts, none below 0 and not all 0", 0)
    rows, columns = C.sum(axis=1), C.sum(axis=0) ** smoothing
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(C / rows[:, None]) - np.log(columns / columns.sum())
    pmi = np.where(np.isnan(pmi), -np.inf, pmi)  # a word that never occurs meets nobody
    return np.maximum(pmi, 0.0) if positive else pmi


@checked(d=within(1, lambda seen: min(seen["M"].shape)))
def word_vectors(M: Float[ndarray, "V W"], d: int) -> Float[ndarray, "V {d}"]:
    """A row of d numbers for each word: times those of the contexts, Q_d √S_d, the best rank-d copy of M.

    E = U_d √S_d,  M ≈ U_d S_d Q_dᵀ = E (Q_d √S_d)ᵀ                       {eq}`eq-tokens-svd`

    The sign of each column is chosen so that its largest entry is positive: an SVD leaves it open.
    """
    U, s, _ = np.linalg.svd(M, full_matrices=False)
    E = U[:, :d] * np.sqrt(s[:d])
    largest = E[np.abs(E).argmax(axis=0), np.arange(d)]
    return E * np.where(largest < 0, -1.0, 1.0)


def _cosines(E: Float[ndarray, "V d"], v: Float[ndarray, "d"]) -> Float[ndarray, "V"]:
    lengths = np.linalg.norm(E, axis=1) * np.linalg.norm(v)
    return np.divide(E @ v, lengths, out=np.zeros(len(E)), where=lengths > 0)


def row_number(ask: Ask, value: int) -> int:
    """The number of a row of E."""
    return whole(ask, value, between(0, len(ask.arguments["E"]) - 1))


def row_numbers(ask: Ask, value: Sequence[int]) -> list[int]:
    """Numbers of rows of E, each once."""
    return sorted({row_number(ask, i) for i in value})


@checked(k=at_least(1), exclude=row_numbers)
def nearest(
    E: Float[ndarray, "V d"], v: Float[ndarray, "d"], k: int, exclude: Sequence[int] = ()
) -> Int[ndarray, "{k}"]:
    """The k rows that point most nearly the way of v, by the cosine of the angle, nearest first."""
    require(k <= len(E) - len(exclude), "k", f"be at least 1 and at most {len(E) - len(exclude)}", k)
    cosines = _cosines(E, v)
    cosines[list(exclude)] = -np.inf
    return np.argsort(-cosines, kind="stable")[:k]


def others_left(seen: dict[str, Any]) -> int:
    """How many rows there are beside the three."""
    return len(seen["E"]) - len({seen["a"], seen["b"], seen["c"]})


@checked(a=row_number, b=row_number, c=row_number, k=within(1, others_left))
def analogy(E: Float[ndarray, "V d"], a: int, b: int, c: int, k: int = 1) -> Int[ndarray, "{k}"]:
    """a is to b as c is to which? The k rows nearest to b − a + c, the three themselves left out.

    v = E_b − E_a + E_c                                                   {eq}`eq-tokens-analogy`
    """
    return nearest(E, E[b] - E[a] + E[c], k, exclude=(a, b, c))
