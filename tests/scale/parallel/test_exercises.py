"""The exercises: the solution is accepted, the stub is not attempted, known mistakes get their hints."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.scale.parallel import all_reduce_bytes, ring_rounds
from chapters_src.scale.parallel.exercises import (
    clipped_pieces,
    fixed_batch,
    one_collects,
    reduce_scatter,
    what_to_cut,
)


def test_predict():
    sent = sum(sum(one.sent) for one in ring_rounds(np.ones((8, 8))))
    assert sent == 14 * 8  # as many in all as to and from one collector
    assert one_collects.check(14 / (2 * all_reduce_bytes(1.0, 8))).accepted
    for wrong, hint in ((1, "totals agree"), (14, "divide"), (7, "more than one"), (8, "both ways")):
        assert hint in one_collects.check(wrong).message


def test_choose():
    assert what_to_cut.check("b").accepted
    for wrong, hint in (("a", "48 GB"), ("c", "fetched twice"), ("d", "another program")):
        assert hint in what_to_cut.check(wrong).message


def test_false_line():
    assert fixed_batch.check("4").accepted
    for wrong in ("1", "2", "3"):
        assert not fixed_batch.check(wrong).accepted


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


def length(vector):
    return np.linalg.norm(vector)


def by_torch(pieces, most):
    parts = [torch.nn.Parameter(torch.tensor(piece)) for piece in pieces]
    for part in parts:
        part.grad = part.detach().clone()
    torch.nn.utils.clip_grad_norm_(parts, most)
    return np.array([part.grad.numpy() for part in parts])


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda pieces, most: [piece * min(1, most / length(piece)) for piece in pieces], "its direction"),
        (lambda pieces, most: pieces * min(1, most / max(map(length, pieces))), "longest"),
        (lambda pieces, most: pieces * min(1, most / sum(map(length, pieces))), "do not add up"),
        (
            lambda pieces, most: pieces * min(1, most / np.mean([g @ g for g in pieces]) ** 0.5),
            "have to be added",
        ),
        (lambda pieces, most: most * pieces / length(pieces.ravel()), "Which one number"),
    ],
)
def test_clipping_in_pieces(wrong, hint):
    assert clipped_pieces.check(by_torch).accepted
    assert not clipped_pieces.check(lambda pieces, most: ...).attempted
    assert hint in clipped_pieces.check(wrong).message
