"""Rivals without a network: counts smoothed as Kneser and Ney did, and a program that compresses files."""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Limits, at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.sequences.recurrent import some_text, symbols

__all__ = ["compressed_bits", "kneser_ney_bits"]


@checked(train=symbols, held_out=symbols, longest=at_least(0), discount=Limits(above=0, below=1))
def kneser_ney_bits(
    train: Any, held_out: Any, longest: int = 4, vocabulary: int | None = None, discount: float = 0.75
) -> Float[ndarray, "k n"]:
    """−log₂ p of each held-out symbol by interpolated Kneser–Ney with 0, …, ``longest`` symbols of context.

    p(x | u) = (max(N(ux) − D, 0) + D·M(u)·p'(x | u')) / N(u)             {eq}`eq-language-model-kneser-ney`

    N(ux) is how often x followed u, N(u) = Σ_x N(ux), M(u) how many different x did, and u' is u without
    its first symbol. In p', and below it, N(ux) is how many different symbols stood before ux instead of how
    often it occurred. A context that was never seen says p'(x | u'); below the empty one all are as likely.
    """
    both = np.concatenate([np.array(list(part)) for part in (train, held_out)])
    alphabet, codes = np.unique(both, return_inverse=True)
    seen, v = len(train), vocabulary or len(alphabet)
    require(v >= len(alphabet), "vocabulary", f"be at least {len(alphabet)}", v)
    grams = _grams(codes, longest + 2)
    p = np.full(len(codes) - seen, 1 / v)  # with distinct symbols counted, one order below
    bits = np.empty((longest + 1, len(p)))
    for k in range(longest + 1):
        _, newest = np.unique(grams[k + 2][:seen], return_index=True)
        newest = newest[grams[k + 2][newest] > 0]  # one place for each longer stretch of the training text
        occurred = np.arange(k, seen)
        bits[k] = -np.log2(_discounted(grams, k, occurred, p, seen, discount))
        p = _discounted(grams, k, newest, p, seen, discount)
    return bits


def _grams(codes: Int[ndarray, "n"], longest: int) -> list[Int[ndarray, "n"]]:
    """At [k][i] a number, from 1, for the k symbols that end at i; 0 where there are not so many."""
    found = [np.ones(len(codes), dtype=np.int64)]
    for k in range(1, longest + 1):
        before = np.concatenate([[1 if k == 1 else 0], found[-1][:-1]])
        _, number = np.unique(before * (codes.max() + 1) + codes, return_inverse=True)
        found.append(np.where(before > 0, number + 1, 0))
    return found


def _discounted(
    grams: list[Any], k: int, places: Int[ndarray, "m"], p: Any, seen: int, D: float
) -> Float[ndarray, "n"]:
    """The probability of every held-out symbol, from what is counted at these places, and p for the rest."""
    whole = grams[k + 1]
    context = np.concatenate([[1 if k == 0 else 0], grams[k][:-1]])
    N_pair = np.bincount(whole[places], minlength=whole.max() + 1)
    N = np.bincount(context[places], minlength=context.max() + 1)
    _, one_of_each = np.unique(whole[places], return_index=True)
    M = np.bincount(context[places[one_of_each]], minlength=context.max() + 1)
    u, ux = context[seen:], whole[seen:]
    known = (u > 0) & (N[u] > 0)
    mixed = (np.maximum(N_pair[ux] - D, 0) + D * M[u] * p) / np.where(known, N[u], 1)
    return np.where(known, mixed, p)


@checked(train=some_text, held_out=some_text)
def compressed_bits(train: str, held_out: str) -> float:
    """Bits per held-out character that xz needs for it after the training text: size(both) − size(train)."""
    size = lambda text: len(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))  # noqa: E731
    return 8 * (size(train + held_out) - size(train)) / len(held_out)
