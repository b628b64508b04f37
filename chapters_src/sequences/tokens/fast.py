"""The same merges from one reading of the text: where each pair stands, and a heap of how often."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.progress import bar
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Int, ndarray
from chapters_src.sequences.tokens.byte_pairs import BARRIER, BytePairs, byte_array, every_other
from chapters_src.sequences.tokens.splitting import CUTS, utf8

__all__ = ["fit_byte_pairs_incremental"]

Pair = tuple[int, int]


class Chain:
    """The text as a chain of tokens, in which two neighbours can be joined without moving the rest.

    A token stays at the place of its first byte; ``after`` and ``before`` are the places of its neighbours.
    """

    def __init__(self, tokens: Int[ndarray, "n"]) -> None:
        n = len(tokens)
        # Barriers at both ends spare every question about an edge: place 0 and place n + 1 are never joined.
        self.token = np.concatenate([[BARRIER], tokens, [BARRIER]]).astype(np.int32)
        self.after = np.append(np.arange(1, n + 2), n + 1)
        self.before = np.append(0, np.arange(n + 1))

    def pairs(self, at: Int[ndarray, "m"]) -> Iterator[tuple[Pair, Int[ndarray, "k"]]]:
        """The pairs that begin at these places, each with its own places in order."""
        left, right = self.token[at].astype(np.int64), self.token[self.after[at]].astype(np.int64)
        inside = (left != BARRIER) & (right != BARRIER)
        at, key = at[inside], (left << 32 | right)[inside]
        order = np.argsort(key, kind="stable")
        at, key = at[order], key[order]
        cuts = np.flatnonzero(np.diff(key)) + 1
        firsts = key[np.append(0, cuts)] if len(key) else key
        for first, places in zip(firsts.tolist(), np.split(at, cuts), strict=False):
            yield (first >> 32, first & 0xFFFFFFFF), places

    def standing(self, pair: Pair, at: Int[ndarray, "m"]) -> Int[ndarray, "k"]:
        """Those of the places where the pair still stands."""
        return at[(self.token[at] == pair[0]) & (self.token[self.after[at]] == pair[1])]

    def apart(self, pair: Pair, at: Int[ndarray, "m"]) -> Int[ndarray, "k"]:
        """Those of the places that can be joined from left to right, without overlaps."""
        return every_other(at, self.after[at]) if pair[0] == pair[1] else at

    def join(self, at: Int[ndarray, "m"], new: int) -> Int[ndarray, "k"]:
        """Join the pairs at these places into the token ``new``; return the places of the pairs it is in."""
        second = self.after[at]
        third = self.after[second]
        self.token[at] = new
        self.token[second] = BARRIER  # no longer a token; whoever remembers this place will see
        self.after[at] = third
        self.before[third] = at
        return np.union1d(self.before[at], at)


class Frequencies:
    """Where each pair stands, and a heap of how often: numbers that may be too large, never too small."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.places: dict[Pair, Int[ndarray, "k"]] = {}
        self.heap: list[tuple[int, Pair]] = []
        self.add(np.arange(len(chain.token) - 1))

    def add(self, at: Int[ndarray, "m"]) -> None:
        """Take up the pairs that begin at these places, none of which has been seen before."""
        for pair, places in self.chain.pairs(at):
            if len(places) > 1:  # what occurs once will never be joined
                self.places[pair] = places
                heapq.heappush(self.heap, (-len(places), pair))

    def take(self) -> Pair | None:
        """The pair to join next, its places brought up to date; None if no pair occurs twice."""
        while self.heap:
            stated, pair = heapq.heappop(self.heap)
            self.places[pair] = self.chain.standing(pair, self.places[pair])
            count = len(self.chain.apart(pair, self.places[pair]))
            if count == -stated:
                return pair
            if count > 1:
                heapq.heappush(self.heap, (-count, pair))
        return None


@checked(text=utf8, merges=at_least(0), split=one_of(CUTS))
def fit_byte_pairs_incremental(
    text: str,
    merges: int,
    *,
    split: str = "none",
    specials: Sequence[str] = (),
    progress: bool | None = None,
) -> BytePairs:
    """Learn the merges of `fit_byte_pairs`, in time that hardly depends on how many there are.

    A merge makes pairs only with its own new token, and every other count stays or falls. So the places of a
    pair are found once, when its younger token is made, and a count in the heap is never too small: if the
    largest is still true when its places are looked up, it is the most frequent pair.
    """
    chain = Chain(byte_array(text, split))
    frequencies = Frequencies(chain)
    learned: list[Pair] = []
    for new in bar(range(256, 256 + merges), "merges", show=progress):
        pair = frequencies.take()
        if pair is None:
            break
        changed = chain.join(chain.apart(pair, frequencies.places.pop(pair)), new)
        frequencies.add(changed)
        learned.append(pair)
    return BytePairs(learned, specials, split)
