"""Counting instead of learning: the next character from how often it followed the last few before."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Ask, at_least, described, text
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["WittenBell", "bits_by_context", "counting_bits", "some_text", "symbols"]


def some_text(ask: Ask, value: Any) -> str:
    """A text with a character in it."""
    ask.require(text(ask, value), "be a text of one character or more", "an empty text")
    return value


def symbols(ask: Ask, value: Any) -> Int[ndarray, "n"] | str:
    """A text, or whole numbers in a row, as many as you like but one."""
    if isinstance(value, str):
        return some_text(ask, value)
    row = np.asarray(value) if isinstance(value, (Sequence, ndarray)) else np.empty(0)
    ask.require(
        row.ndim == 1 and row.size != 0 and row.dtype.kind in "iu",
        "be text, or whole numbers in a row",
        described(value),
    )
    return row


class WittenBell:
    """Interpolated Witten–Bell: a context is trusted the more, the less often it brought something new.

    p(x | u) = (N(ux) + M(u)·p(x | u')) / (N(u) + M(u))       {eq}`eq-recurrent-witten-bell`

    N(ux) is how often x followed the context u in the text, N(u) = Σ_x N(ux), and M(u) is how many different
    characters did. u' is u without its first character. Below the empty context all characters of the
    alphabet are equally likely, 1/|alphabet|. A context that nothing followed says p(x | u) = p(x | u').
    """

    @checked(text=some_text, context=at_least(0), alphabet=some_text)
    def __init__(self, text: str, context: int, alphabet: str | None = None) -> None:
        found = "".join(sorted(set(text)))
        self.context, self.alphabet = context, found if alphabet is None else alphabet
        if len(set(self.alphabet)) < len(self.alphabet) or not set(found) <= set(self.alphabet):
            got = f"{len(self.alphabet)} characters"
            refuse("alphabet", "hold every character of the text, once each", got)
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        for i, c in enumerate(text):
            for k in range(min(self.context, i) + 1):
                self.counts[text[i - k : i]][c] += 1

    @checked
    def probabilities(self, before: str) -> Float[ndarray, "v"]:
        """Of each character of the alphabet, in its order, after this text; they sum to 1."""
        p = np.full(len(self.alphabet), 1 / len(self.alphabet))
        for k in range(min(self.context, len(before)) + 1):
            followed = self.counts.get(before[len(before) - k :])
            if followed:
                M, N = len(followed), followed.total()
                p = (np.array([followed[c] for c in self.alphabet]) + M * p) / (N + M)
        return p


@checked(train=symbols, held_out=symbols, longest=at_least(0))
def counting_bits(
    train: Any, held_out: Any, longest: int = 6, vocabulary: int | None = None
) -> Float[ndarray, "k n"]:
    """−log₂ p of each held-out symbol by `WittenBell` with 0, …, ``longest`` symbols of context: a row each.

    The same numbers without a dictionary, for characters or for tokens. Every context gets a whole number: a
    context of k + 1 symbols is a pair, that of k before the last one and the last one, and sorting numbers
    the pairs. The text in front of the held-out part is its context, and is all that is counted.
    ``vocabulary`` is how many symbols there could be; those of both parts unless given.
    """
    codes, seen, v = _codes(train, held_out, vocabulary)
    n = len(codes)
    p = np.full(n - seen, 1 / v)
    bits = np.empty((longest + 1, n - seen))
    context = np.zeros(n, dtype=np.int64)  # of position i: the number of the k symbols before it
    for k in range(longest + 1):
        pairs, of_pair = np.unique((context * v + codes)[k:], return_inverse=True)
        of_context = context[k:]
        learned = max(seen - k, 0)  # those of the training text come first
        N_pair = np.bincount(of_pair[:learned], minlength=len(pairs))
        N = np.bincount(of_context[:learned], minlength=int(context.max()) + 1)
        M = np.bincount(pairs[N_pair > 0] // v, minlength=len(N))
        new = np.arange(max(seen, k), n)  # held-out symbols with k symbols before them
        u, ux = of_context[new - k], of_pair[new - k]
        known = N[u] > 0
        backed = p[new - seen]
        mixed = (N_pair[ux] + M[u] * backed) / np.where(known, N[u] + M[u], 1)
        p[new - seen] = np.where(known, mixed, backed)
        bits[k] = -np.log2(p)
        context = np.zeros(n, dtype=np.int64)
        context[k + 1 :] = of_pair[: n - k - 1]  # what stood at i is the newest of the context at i + 1
    return bits


@checked(train=some_text, held_out=some_text, longest=at_least(0))
def bits_by_context(train: str, held_out: str, longest: int = 6) -> list[float]:
    """Bits per held-out character by counting with 0, 1, …, ``longest`` characters of context."""
    return [float(one) for one in counting_bits(train, held_out, longest).mean(1)]


def _codes(train: Any, held_out: Any, vocabulary: int | None) -> tuple[Int[ndarray, "n"], int, int]:
    """Both texts as whole numbers from 0, how long the first is, and how many symbols there could be."""
    require(
        isinstance(train, str) == isinstance(held_out, str),
        "held_out",
        "be of the kind of train",
        f"a {type(held_out).__name__}",
    )
    parts = [np.array(list(part)) for part in (train, held_out)]
    seen, codes = np.unique(np.concatenate(parts), return_inverse=True)
    require(
        vocabulary is None or vocabulary >= len(seen),
        "vocabulary",
        f"be at least {len(seen)}",
        vocabulary,
    )
    return codes, len(parts[0]), vocabulary or len(seen)
