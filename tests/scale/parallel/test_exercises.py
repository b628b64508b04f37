"""The exercises: the solution is accepted, the stub is not attempted, known mistakes get their hints."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.scale.parallel import all_reduce_bytes, ring_rounds
from chapters_src.scale.parallel.exercises import (
    fair_loss,
    mean_of_means,
    reduce_scatter,
    ring_of_eight,
    what_to_cut,
)


def test_predict():
    assert ring_of_eight.check(all_reduce_bytes(1.4, 8)).accepted
    for wrong, hint in ((0.6125, "four bytes"), (1.225, "two phases"), (2.8, "at home"), (9.8, "all to all")):
        assert hint in ring_of_eight.check(wrong).message


def test_choose():
    assert what_to_cut.check("b").accepted
    for wrong, hint in (("a", "48 GB"), ("c", "fetched twice"), ("d", "another program")):
        assert hint in what_to_cut.check(wrong).message


def test_false_line():
    assert mean_of_means.check("3").accepted
    assert not mean_of_means.check("2").accepted


def half_of_the_ring(vectors):
    p = len(vectors)
    after = list(ring_rounds(vectors))[p - 2].held
    return np.array([after[i, (i + 1) % p] for i in range(p)])


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda vectors: vectors.sum(axis=0), "not with chunk i"),
        (lambda vectors: np.roll(vectors.sum(axis=0), 1), "other way"),
        (lambda vectors: vectors.sum(axis=1), "add over workers"),
    ],
)
def test_half_a_ring(wrong, hint):
    assert reduce_scatter.check(half_of_the_ring).accepted
    assert not reduce_scatter.check(lambda vectors: ...).attempted
    assert hint in reduce_scatter.check(wrong).message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda losses, rank, count: np.array_split(losses, count)[rank].mean(), "colleague"),
        (lambda losses, rank, count: np.array_split(losses, count)[rank].sum() / len(losses), "once more"),
        (
            lambda losses, rank, count: (
                np.array_split(losses, count)[rank].mean()
                * len(losses)
                / count
                / len(np.array_split(losses, count)[rank])
            ),
            "upside down",
        ),
    ],
)
def test_a_fair_loss(wrong, hint):
    def right(losses, rank, count):
        mine = np.array_split(losses, count)[rank]
        return mine.mean() * len(mine) * count / len(losses)

    assert fair_loss.check(right).accepted
    assert not fair_loss.check(lambda losses, rank, count: ...).attempted
    assert hint in fair_loss.check(wrong).message
