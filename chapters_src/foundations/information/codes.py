"""Codes in which no word begins another one, and the shortest of them."""

from __future__ import annotations

import heapq

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["huffman_code", "kraft_sum"]


@checked(p=sums_to_one)
def huffman_code(p: Float[ndarray, "k"]) -> list[str]:
    """A word of zeros and ones for each of k symbols; no prefix code has a smaller mean length under p.

    The two rarest groups are joined again and again; joining puts a bit in front of all their words.
    """
    words = [""] * len(p)
    groups = [(share, first, [first]) for first, share in enumerate(p.tolist())]
    heapq.heapify(groups)
    while len(groups) > 1:
        rarest, second = heapq.heappop(groups), heapq.heappop(groups)
        for bit, (_, _, members) in zip("01", (rarest, second), strict=True):
            for symbol in members:
                words[symbol] = bit + words[symbol]
        # the first member decides between equal shares, so that the code is the same everywhere
        heapq.heappush(groups, (rarest[0] + second[0], rarest[1], rarest[2] + second[2]))
    return words


@checked(lengths=at_least(0))
def kraft_sum(lengths: Int[ndarray, "k"]) -> float:
    """At most 1 for the word lengths of every prefix code; and whenever it is, such a code exists.

    Σₖ 2^{−ℓₖ} ≤ 1                                      {eq}`eq-information-kraft`
    """
    return float(np.sum(0.5**lengths))
