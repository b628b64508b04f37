"""Blocks give the moments of single rows, and the order of products is the cheapest."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
import pytest

from chapters_src.foundations.tensors import (
    einsum_by_matmul,
    fast,
    running_moments,
    running_moments_by_blocks,
)
from chapters_src.foundations.tensors.fast import _cheapest


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (9,), (100,), (5, 3), (100, 3), (4, 40)])
def test_blocks_leave_nothing_out(monkeypatch, shape):
    monkeypatch.setattr(fast, "BLOCK", 8)
    X = 2 + np.random.default_rng(0).normal(size=shape)
    ours, theirs = running_moments_by_blocks(X), running_moments(X)
    assert ours.n == theirs.n == len(X)
    assert np.shape(ours.mean) == shape[1:]
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-13)
    np.testing.assert_allclose(ours.sum_squares, theirs.sum_squares, rtol=1e-12, atol=1e-14)


def test_as_numpy_on_many_numbers_far_from_zero():
    x = 1e6 + np.random.default_rng(0).normal(size=200_000)
    moments = running_moments_by_blocks(x)
    assert moments.mean == pytest.approx(x.mean(), rel=1e-14)
    assert moments.variance == pytest.approx(x.var(), rel=1e-9)


def cost_of_order(terms, output, sizes, order):
    """Multiplications if the first two of the order are multiplied, then the result with the next."""
    done, total = set(terms[order[0]]), 0
    for place, k in enumerate(order[1:], start=1):
        letters = done | set(terms[k])
        total += prod(sizes[letter] for letter in letters)
        later = set(output).union(*(terms[i] for i in order[place + 1 :]))
        done = letters & later
    return total


@pytest.mark.parametrize(
    ("terms", "output"),
    [
        (("ij", "jk", "kl"), "il"),
        (("ni", "ijk", "nj"), "nk"),
        (("ab", "bc", "ca"), ""),
        (("i", "ij", "j"), ""),
    ],
)
def test_three_operands_take_the_fewest_multiplications(terms, output):
    rng = np.random.default_rng(0)
    for _ in range(20):
        sizes = {letter: int(rng.integers(1, 9)) for letter in "".join(terms)}
        least = min(cost_of_order(terms, output, sizes, order) for order in permutations(range(3)))
        assert _cheapest(list(terms), output, sizes)[0] == least


def test_more_operands_than_are_looked_ahead():
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=(3, 3)) for _ in range(8)]
    subscripts = "ab,bc,cd,de,ef,fg,gh,hi->ai"
    np.testing.assert_allclose(
        einsum_by_matmul(subscripts, *matrices), np.linalg.multi_dot(matrices), rtol=1e-9
    )
