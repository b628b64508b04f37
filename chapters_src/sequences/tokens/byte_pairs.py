"""Byte-pair encoding: a vocabulary that grows by joining the two tokens that meet most often."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, at_least, between, one_of, whole
from chapters_src.core.sequence_readers import sequence
from chapters_src.core.shapes import Int, ndarray
from chapters_src.sequences.tokens.splitting import CUTS, split_words, utf8

__all__ = ["BytePairs", "count_pairs", "fit_byte_pairs", "join_pair"]

BARRIER = -1  # stands between two words in an array of tokens, so that no pair crosses


def special_names(ask: Ask, value: list[str]) -> tuple[str, ...]:
    """Names that can be told apart."""
    names = tuple(utf8(ask, name) for name in value)
    ask.require(
        len({"", *names}) > len(names), "be different from one another and not empty", repr(names)[:40]
    )
    return names


def two_tokens(ask: Ask, value: Any, below: int = 10**9) -> tuple[int, int]:
    """A pair of tokens."""
    entry = lambda ask, one: whole(ask, one, between(0, below - 1))  # noqa: E731
    pair = sequence(entry, "int")(ask, value)
    ask.require(len(pair) == 2, "be two tokens", len(pair))
    return pair[0], pair[1]


def merge_list(ask: Ask, value: list[Any]) -> tuple[tuple[int, int], ...]:
    """Pairs of tokens, each of tokens that were there before it."""
    return tuple(two_tokens(ask, pair, 256 + i) for i, pair in enumerate(value))


def known_tokens(ask: Ask, value: Any) -> list[int]:
    """Tokens that the tokeniser has."""
    entry = lambda ask, one: whole(ask, one, between(0, len(ask.arguments["self"]) - 1))  # noqa: E731
    return sequence(entry, "int")(ask, value)


@checked(tokens=at_least(BARRIER))
def count_pairs(tokens: Sequence[int]) -> Counter[tuple[int, int]]:
    """How often each pair of neighbours could be joined, from left to right.

    c(a, b) is the number of joins, so joining shortens the text by exactly c(a, b)     {eq}`eq-tokens-length`

    The same pair twice running can only be a row like *aaa*, where the second overlaps the first and is lost.
    A −1 between tokens is a barrier, and no pair crosses it.
    """
    counts: Counter[tuple[int, int]] = Counter()
    before = None
    for pair in pairwise(tokens):
        before = None if pair == before else pair
        if before is not None:
            counts[pair] += 1
    return Counter({pair: count for pair, count in counts.items() if BARRIER not in pair})


@checked(tokens=at_least(BARRIER), pair=two_tokens, new=at_least(0))
def join_pair(tokens: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    """The tokens with every occurrence of a pair, from left to right, replaced by the token ``new``."""
    a, b = pair
    joined, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] == a and tokens[i + 1] == b:
            joined.append(new)
            i += 2
        else:
            joined.append(tokens[i])
            i += 1
    return joined


@checked(merges=merge_list, specials=special_names, split=one_of(CUTS))
@dataclass(frozen=True)
class BytePairs:
    """A tokeniser: 256 bytes, then a token for each merge in the order it was learned, then special tokens.

    Every text can be encoded and comes back as it was, because every byte is a token. ``split`` names the
    pattern of `split_words` inside whose pieces merges were learned and are applied.
    """

    merges: Sequence[tuple[int, int]]
    specials: Sequence[str] = ()
    split: str = "none"

    def __len__(self) -> int:
        return 256 + len(self.merges) + len(self.specials)

    @cached_property
    def vocabulary(self) -> list[bytes]:
        """The bytes each token stands for; a special token stands for its name."""
        known = [bytes([i]) for i in range(256)]
        for a, b in self.merges:
            known.append(known[a] + known[b])
        return known + [special.encode() for special in self.specials]

    @checked
    def special(self, name: str) -> int:
        """The token of a special name."""
        require(name in self.specials, "name", f"be one of {self.specials}", repr(name)[:40])
        return 256 + len(self.merges) + self.specials.index(name)

    @checked(text=utf8)
    def encode(self, text: str, allow_special: bool = False) -> list[int]:
        """The tokens of a text. Names of special tokens are ordinary characters unless allowed.

        All merges are applied in the order they were learned. A merge makes only pairs that later merges
        use, so one pass each is the same as joining the earliest-learned pair again and again.
        """
        if not (allow_special and self.specials):
            return self._plain(text)
        longest_first = sorted(self.specials, key=len, reverse=True)
        parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
        return [
            token
            for i, part in enumerate(parts)
            for token in ([self.special(part)] if i % 2 else self._plain(part))
        ]

    @checked(tokens=known_tokens)
    def decode(self, tokens: Sequence[int]) -> str:
        """The text of some tokens; bytes that are not UTF-8, as from a cut character, become U+FFFD (�)."""
        return self.decode_bytes(tokens).decode(errors="replace")

    @checked(tokens=known_tokens)
    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of some tokens, whether or not they are UTF-8."""
        known = self.vocabulary
        return b"".join(known[token] for token in tokens)

    def _plain(self, text: str) -> list[int]:
        tokens = byte_array(text, self.split)
        for i, (a, b) in enumerate(self.merges):
            at = np.flatnonzero(tokens[:-1] == a)
            at = at[tokens[at + 1] == b]
            if len(at) == 0:
                continue
            if a == b:
                at = every_other(at, at + 1)
            tokens[at] = 256 + i
            tokens = np.delete(tokens, at + 1)
        return tokens[tokens != BARRIER].tolist()


def byte_array(text: str, split: str) -> Int[ndarray, "n"]:
    """The bytes of a text as tokens, with a barrier between the pieces that merges may not cross."""
    if split == "none":
        return np.frombuffer(text.encode(), np.uint8).astype(np.int32)
    # 255 is never a byte of UTF-8
    bytes_ = b"\xff".join(word.encode() for word in split_words(text, split))
    tokens = np.frombuffer(bytes_, np.uint8).astype(np.int32)
    tokens[tokens == 255] = BARRIER
    return tokens


def every_other(at: Int[ndarray, "m"], after: Int[ndarray, "m"]) -> Int[ndarray, "k"]:
    """Of overlapping places, as in *aaa*, the first, third, … of each row; a pair ends at its ``after``."""
    if len(at) == 0:
        return at
    order = np.arange(len(at))
    starts = np.concatenate([[True], after[:-1] != at[1:]])
    return at[(order - np.maximum.accumulate(np.where(starts, order, 0))) % 2 == 0]


@checked(text=utf8, merges=at_least(0), split=one_of(CUTS))
def fit_byte_pairs(text: str, merges: int, *, split: str = "none", specials: Sequence[str] = ()) -> BytePairs:
    """Learn merges as the definition says: count all pairs, join the most frequent, and begin again.

    Of equally frequent pairs the one with the smaller token numbers is joined. Stops early where no pair is
    left that occurs twice. Reads the whole text for every merge: see `fit_byte_pairs_incremental`.
    """
    tokens = byte_array(text, split).tolist()
    learned: list[tuple[int, int]] = []
    while len(learned) < merges:
        counts = bare(count_pairs)(tokens)
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        tokens = bare(join_pair)(tokens, best, 256 + len(learned))
        learned.append(best)
    return BytePairs(learned, specials, split)
