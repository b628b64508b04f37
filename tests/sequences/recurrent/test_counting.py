"""Counting: the dictionary against the arrays, sums of one, a worked example, the numbers of the chapter."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.sequences.recurrent import WittenBell, bits_by_context, counting_bits
from tests.bad_input import bad_numbers, refused

words = st.text("abc", min_size=1, max_size=40)


def test_worked_example():
    """abab, then a: by hand.

    Empty context: N(a) = N(b) = 2, T = 2, p(a) = (2 + 2·½)/(4 + 2) = ½. After b: followed once, by a, so
    p(a | b) = (1 + 1·½)/(1 + 1) = ¾.
    """
    model = WittenBell("abab", 1)
    assert model.alphabet == "ab"
    assert model.probabilities("").tolist() == pytest.approx([0.5, 0.5])
    assert model.probabilities("b").tolist() == pytest.approx([0.75, 0.25])
    assert counting_bits("abab", "a", 1)[:, 0] == pytest.approx([1.0, -math.log2(0.75)])


@settings(max_examples=60)
@given(train=words, before=st.text("abcd", max_size=8), context=st.integers(0, 5))
def test_probabilities_sum_to_one_and_none_is_zero(train, before, context):
    p = WittenBell(train, context, alphabet="abcd").probabilities(before)
    assert p.sum() == pytest.approx(1) and (p > 0).all()


@settings(max_examples=60)
@given(train=words, held_out=st.text("abcd", min_size=1, max_size=12), longest=st.integers(0, 4))
def test_arrays_give_what_the_dictionary_gives(train, held_out, longest):
    """Also at the very beginning, where there are fewer characters before than the context is long."""
    alphabet = "".join(sorted(set(train + held_out)))
    bits = counting_bits(train, held_out, longest)
    for k in range(longest + 1):
        model = WittenBell(train, k, alphabet)
        for i, c in enumerate(held_out):
            p = model.probabilities(train + held_out[:i])[alphabet.index(c)]
            assert bits[k, i] == pytest.approx(-math.log2(p), abs=1e-9)


@settings(max_examples=30)
@given(train=words, held_out=words)
def test_tokens_are_counted_like_characters(train, held_out):
    as_tokens = [[ord(c) for c in text] for text in (train, held_out)]
    assert np.allclose(counting_bits(*as_tokens, 3), counting_bits(train, held_out, 3))
    assert (counting_bits(*as_tokens, 3, vocabulary=300) >= counting_bits(train, held_out, 3) - 1e-12).all()


def test_longer_context_is_never_seen():
    """A context that never occurred leaves the shorter one's answer."""
    model = WittenBell("aab", 2)
    assert np.array_equal(model.probabilities("bb"), WittenBell("aab", 0).probabilities("bb"))


def test_a_long_repetition_becomes_cheap():
    assert bits_by_context("abc" * 200, "abc" * 20, 3)[3] < 0.1


@pytest.fixture(scope="module")
def reference():
    text = data.language_reference()
    cut = len(text) - len(text) // 10
    return bits_by_context(text[:cut], text[cut:])


def test_language_reference(reference):
    """The numbers measured beforehand, with the text of Python 3.11; other versions word it differently."""
    expected = [4.67, 3.34, 2.47, 2.03, 1.90, 1.93, 2.00]
    within = 0.006 if sys.version_info[:2] == (3, 11) else 0.15
    assert reference == pytest.approx(expected, abs=within)
    assert min(range(7), key=lambda k: reference[k]) == 4


good = {"train": "ab", "held_out": "ab"}


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_numbers_are_refused(bad):
    refused("counting_bits", counting_bits, good, "longest", bad)
    refused("WittenBell", WittenBell, {"text": "ab"}, "context", bad)
    if bad is not None:
        refused("counting_bits", counting_bits, good, "vocabulary", bad)


@settings(max_examples=25)
@given(st.sampled_from([None, "", 3, b"ab", [], [1.5], [[1, 2]], ["a"], object(), np.ones(2), torch.ones(2)]))
def test_what_is_no_text_is_refused(bad):
    refused("counting_bits", counting_bits, good, "train", bad)
    refused("counting_bits", counting_bits, good, "held_out", bad)
    refused("WittenBell", WittenBell, {"context": 1}, "text", bad)


def test_other_bad_input():
    with pytest.raises(
        ValueError, match="counting_bits: held_out must be of the kind of train; got a ndarray"
    ):
        counting_bits("ab", [1, 2])
    with pytest.raises(ValueError, match="counting_bits: vocabulary must be at least 2; got 1"):
        counting_bits("ab", "ab", 1, vocabulary=1)
    with pytest.raises(ValueError, match="WittenBell: alphabet must hold every character"):
        WittenBell("abc", 1, "ab")
    with pytest.raises(ValueError, match="WittenBell: alphabet must hold every character of the text, once"):
        WittenBell("ab", 1, "abb")
    with pytest.raises(ValueError, match=r"probabilities: before must be a text; got 3"):
        WittenBell("ab", 1).probabilities(3)
