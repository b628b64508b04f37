"""Huffman's code against all codes of a small alphabet, and Kraft's inequality."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations.information import entropy, huffman_code, kraft_sum

seeds = st.integers(0, 2**32 - 1)


def mean_length(p, words):
    return sum(share * len(word) for share, word in zip(p, words, strict=True))


def shortest(p, longest):
    """The least mean length over all lengths that Kraft allows, tried one by one."""
    allowed = [
        lengths
        for lengths in product(range(1, longest + 1), repeat=len(p))
        if sum(2 ** (longest - one) for one in lengths) <= 2**longest
    ]
    return min(np.dot(p, lengths) for lengths in allowed)


def test_worked_code():
    assert huffman_code([0.5, 0.25, 0.125, 0.125]) == ["0", "10", "110", "111"]
    assert huffman_code([1.0]) == [""]


@given(seeds, st.integers(2, 5))
def test_no_other_code_is_shorter(seed, k):
    p = np.random.default_rng(seed).dirichlet(np.ones(k))
    assert mean_length(p, huffman_code(p)) == pytest.approx(shortest(p, k - 1), rel=1e-12)


@given(seeds, st.integers(2, 40))
def test_words_can_be_told_apart_and_fill_everything(seed, k):
    p = np.random.default_rng(seed).dirichlet(0.3 * np.ones(k))
    words = huffman_code(p)
    assert not any(a != b and b.startswith(a) for a in words for b in words)
    assert len(set(words)) == k
    assert kraft_sum([len(word) for word in words]) == 1
    bits = float(entropy(p)) / np.log(2)
    assert bits - 1e-12 <= mean_length(p, words) < bits + 1


def test_powers_of_one_half_waste_nothing():
    p = 0.5 ** np.array([3, 1, 3, 2])
    assert mean_length(p, huffman_code(p)) == pytest.approx(entropy(p) / np.log(2), abs=1e-15)


def test_symbols_that_never_come_have_words_too():
    assert sorted(map(len, huffman_code([0.0, 1.0, 0.0]))) == [1, 2, 2]


def test_equal_shares_give_the_same_code_every_time():
    assert huffman_code(np.full(4, 0.25)) == ["00", "01", "10", "11"]
    assert huffman_code([0.25, 0.5, 0.25]) == ["00", "1", "01"]


@pytest.mark.parametrize(
    ("lengths", "total"), [([1, 2, 3, 3], 1.0), ([1, 1, 2], 1.25), ([2, 2], 0.5), ([0], 1.0)]
)
def test_kraft_sum(lengths, total):
    assert kraft_sum(lengths) == total


def test_errors():
    with pytest.raises(ValueError, match="huffman_code: p must be at least 0 and sum to 1"):
        huffman_code([0.5, 0.6])
    with pytest.raises(ValueError, match="kraft_sum: lengths must be at least 0"):
        kraft_sum([-1, 2])
