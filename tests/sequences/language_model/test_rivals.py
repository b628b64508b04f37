"""Kneser–Ney against a version with dictionaries, sums to one, and what xz says."""

from __future__ import annotations

import lzma
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.sequences.language_model import compressed_bits, kneser_ney_bits, train_held_out

letters = st.text("abc", min_size=1, max_size=14)


def by_dictionary(train, before, x, k, D, V, top=True):
    """p(x | the last k symbols of before), by looking through the training text again and again."""
    if k < 0:
        return 1 / V
    below = by_dictionary(train, before, x, k - 1, D, V, top=False)
    if k > len(before):
        return below
    u = before[len(before) - k :]

    def counted(g):
        places = [i for i in range(len(train) - len(g) + 1) if train[i : i + len(g)] == g]
        return len(places) if top else len({train[i - 1] for i in places if i > 0})

    counts = {y: counted(u + y) for y in sorted(set(train))}
    total = sum(counts.values())
    if not total:
        return below
    kinds = sum(n > 0 for n in counts.values())
    return (max(counts.get(x, 0) - D, 0) + D * kinds * below) / total


@settings(max_examples=40, deadline=None)
@given(train=letters, held_out=letters, D=st.sampled_from([0.25, 0.75]))
def test_against_dictionaries(train, held_out, D):
    bits = kneser_ney_bits(train, held_out, 3, vocabulary=5, discount=D)
    for k in range(4):
        for i, x in enumerate(held_out):
            p = by_dictionary(train, train + held_out[:i], x, k, D, 5)
            assert 2 ** -bits[k, i] == pytest.approx(p)


def test_probabilities_sum_to_one():
    train, before = "abracadabra", "cabra"
    p = [2 ** -kneser_ney_bits(train, before + x, 2, vocabulary=6)[:, -1] for x in "abrcdz"]
    np.testing.assert_allclose(np.sum(p, axis=0), 1)


def test_tokens_and_characters_are_the_same_thing():
    train, held_out = "abracadabra", "cabs"
    numbers = [[ord(c) for c in part] for part in (train, held_out)]
    np.testing.assert_array_equal(kneser_ney_bits(train, held_out), kneser_ney_bits(*numbers))


def test_known_number_on_the_reference():
    """Measured by somebody else's code: 1.66 bits with 8 characters."""
    train, held_out = train_held_out(data.language_reference())
    assert kneser_ney_bits(train, held_out, 8)[8].mean() == pytest.approx(1.66, abs=0.02)


def test_xz_is_the_difference_of_two_files():
    train, held_out = "the cat sat on the mat. " * 30, "the dog sat on the log. " * 5
    options = {"format": lzma.FORMAT_XZ, "preset": 9 | lzma.PRESET_EXTREME}
    both, one = (len(lzma.compress(t.encode(), **options)) for t in (train + held_out, train))
    assert compressed_bits(train, held_out) == pytest.approx((both - one) * 8 / len(held_out))
    assert compressed_bits(train, train) < 0.2 < math.log2(20)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kneser_ney_bits("ab", "a", -1), "kneser_ney_bits: longest must be at least 0; got -1"),
        (lambda: kneser_ney_bits("ab", "a", discount=1.0), "kneser_ney_bits: discount must be"),
        (lambda: kneser_ney_bits("ab", "c", vocabulary=2), "vocabulary must be at least 3; got 2"),
        (lambda: kneser_ney_bits("", "c"), "kneser_ney_bits: train must be"),
        (lambda: compressed_bits("a", ""), "compressed_bits: held_out must be a text of one character"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
