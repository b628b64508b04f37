"""Vectors for words from the company they keep: co-occurrence, mutual information, a truncated SVD."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["analogy", "co_occurrences", "nearest", "pointwise_mutual_information", "word_vectors"]


def co_occurrences(tokens: Sequence[int], V: int, window: int) -> Float[ndarray, "{V} {V}"]:
    """How often token j stands within ``window`` places of token i, on either side; negative tokens are gaps.

    C_ij = #{(s, t): τ_s = i, τ_t = j, 0 < |s − t| ≤ window}              {eq}`eq-tokens-counts`
    """
    name = "co_occurrences"
    V = checks.integer(name, "V", V, at_least=1)
    window = checks.integer(name, "window", window, at_least=1)
    at = checks.vector(name, "tokens", tokens)
    strange = (at != np.floor(at)) | (at >= V)
    if strange.any():
        checks.fail(name, "tokens", f"be whole numbers below {V}", f"{at[strange][0]:g}")
    at = at.astype(np.int64)
    counts = np.zeros(V * V)
    for distance in range(1, min(window, len(at) - 1) + 1):
        left, right = at[:-distance], at[distance:]
        both = (left >= 0) & (right >= 0)
        counts += np.bincount(left[both] * V + right[both], minlength=V * V)
    C = counts.reshape(V, V)  # (V·V,) -> (V, V)
    return C + C.T


def pointwise_mutual_information(
    C: Float[ndarray, "V W"], positive: bool = True, smoothing: float = 1.0
) -> Float[ndarray, "V W"]:
    """How much more often a word and a context meet than chance would have it, in nats.

    PMI_ij = log p(i, j)/(p(i) p(j)),  p(j) ∝ (Σᵢ C_ij)^α with α = ``smoothing``   {eq}`eq-tokens-pmi`

    A pair that never met has −∞; with ``positive`` everything below 0 is 0, because a small text says little
    about what is rarer than chance. An α below 1 keeps rare contexts from looking too telling.
    """
    name = "pointwise_mutual_information"
    C = checks.matrix(name, "C", C)
    smoothing = checks.number(name, "smoothing", smoothing, above=0, at_most=1)
    if (C < 0).any() or not C.any():
        checks.fail(name, "C", "hold counts, none below 0 and not all 0", f"{C.min():g}")
    if not isinstance(positive, bool):
        checks.fail(name, "positive", "be True or False", repr(positive)[:40])
    rows, columns = C.sum(axis=1), C.sum(axis=0) ** smoothing
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(C / rows[:, None]) - np.log(columns / columns.sum())
    pmi = np.where(np.isnan(pmi), -np.inf, pmi)  # a word that never occurs meets nobody
    return np.maximum(pmi, 0.0) if positive else pmi


def word_vectors(M: Float[ndarray, "V W"], d: int) -> Float[ndarray, "V {d}"]:
    """A row of d numbers for each word: times those of the contexts, V_d √S_d, the best rank-d copy of M.

    E = U_d √S_d,  M ≈ U_d S_d V_dᵀ = E (V_d √S_d)ᵀ                       {eq}`eq-tokens-svd`

    The sign of each column is chosen so that its largest entry is positive: an SVD leaves it open.
    """
    M = checks.matrix("word_vectors", "M", M)
    d = checks.integer("word_vectors", "d", d, at_least=1, at_most=min(M.shape))
    U, s, _ = np.linalg.svd(M, full_matrices=False)
    E = U[:, :d] * np.sqrt(s[:d])
    largest = E[np.abs(E).argmax(axis=0), np.arange(d)]
    return E * np.where(largest < 0, -1.0, 1.0)


def _cosines(E: Float[ndarray, "V d"], v: Float[ndarray, "d"]) -> Float[ndarray, "V"]:
    lengths = np.linalg.norm(E, axis=1) * np.linalg.norm(v)
    return np.divide(E @ v, lengths, out=np.zeros(len(E)), where=lengths > 0)


def nearest(
    E: Float[ndarray, "V d"], v: Float[ndarray, "d"], k: int, exclude: Sequence[int] = ()
) -> Int[ndarray, "{k}"]:
    """The k rows that point most nearly the way of v, by the cosine of the angle, nearest first."""
    E = checks.matrix("nearest", "E", E)
    v = checks.vector("nearest", "v", v, length=E.shape[1], per="column of E")
    out = sorted({checks.integer("nearest", "exclude", i, at_least=0, at_most=len(E) - 1) for i in exclude})
    k = checks.integer("nearest", "k", k, at_least=1, at_most=len(E) - len(out))
    cosines = _cosines(E, v)
    cosines[out] = -np.inf
    return np.argsort(-cosines, kind="stable")[:k]


def analogy(E: Float[ndarray, "V d"], a: int, b: int, c: int, k: int = 1) -> Int[ndarray, "{k}"]:
    """a is to b as c is to which? The k rows nearest to b − a + c, the three themselves left out.

    v = E_b − E_a + E_c                                                   {eq}`eq-tokens-analogy`
    """
    E = checks.matrix("analogy", "E", E)
    for name, i in (("a", a), ("b", b), ("c", c)):
        checks.integer("analogy", name, i, at_least=0, at_most=len(E) - 1)
    k = checks.integer("analogy", "k", k, at_least=1, at_most=len(E) - len({a, b, c}))
    return nearest(E, E[b] - E[a] + E[c], k, exclude=(a, b, c))
