"""Ring all-reduce, simulated: who holds what after each round, and how many numbers went over each link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Round", "all_reduce_bytes", "ring_all_reduce", "ring_rounds"]


class Round(NamedTuple):
    """One round: which chunk each worker sends to the next, and what all hold afterwards."""

    phase: str
    chunk: tuple[int, ...]
    held: Float[ndarray, "p n"]
    sent: tuple[int, ...]


@checked
def ring_rounds(vectors: Float[ndarray, "p n"]) -> Iterator[Round]:
    """The 2(p − 1) rounds in which p workers in a ring add their vectors, each cut into p chunks.

    In round r worker i sends chunk i − r to worker i + 1, counted around the ring. In the first p − 1 rounds
    the receiver adds it; then worker i holds the whole sum of chunk i + 1. In the p − 1 rounds that follow
    the finished chunks travel on and replace what was there.
    """
    held = vectors.copy()
    p, n = held.shape
    cuts = np.array_split(np.arange(n), p)
    for r in range(2 * (p - 1)):
        adding = r < p - 1
        chunks = [(i - r) % p for i in range(p)]
        messages = [held[i, cuts[c]].copy() for i, c in enumerate(chunks)]
        for i, (c, message) in enumerate(zip(chunks, messages, strict=True)):
            after = (i + 1) % p
            held[after, cuts[c]] = held[after, cuts[c]] + message if adding else message
        yield Round(
            "add" if adding else "pass on", tuple(chunks), held.copy(), tuple(len(m) for m in messages)
        )


@checked
def ring_all_reduce(vectors: Float[ndarray, "p n"]) -> tuple[Float[ndarray, "p n"], Float[ndarray, "p"]]:
    """What each worker holds at the end, the sum of all, and how many numbers each has sent."""
    held, sent = vectors, np.zeros(len(vectors))
    for step in ring_rounds(vectors):
        held, sent = step.held, sent + step.sent
    return held, sent


@checked(size=at_least(0), workers=at_least(1))
def all_reduce_bytes(size: float, workers: int) -> float:
    """What each worker of a ring sends to add vectors of ``size`` bytes.

    2 (p − 1)/p · size                                             {eq}`eq-parallel-ring`
    """
    return 2 * (workers - 1) / workers * size
