"""The fast trainer against the definition, merge for merge, where ties and overlaps are most frequent."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.sequences.tokens.byte_pairs import BytePairs, fit_byte_pairs
from chapters_src.sequences.tokens.fast import fit_byte_pairs_incremental

TEXT = data.language_reference()
cuts = st.sampled_from(["none", "words", "gpt2", "gpt4"])


@settings(deadline=None, max_examples=400)
@given(st.text(alphabet="ab c", max_size=80), st.integers(0, 40), cuts)
@example("aaaa", 3, "none")
@example("baaaabaaaab", 5, "none")  # a row that loses its first letter to another merge
@example("xaaa xaa xaaaa aaa", 9, "words")
@example("", 5, "gpt2")
def test_merges_are_the_definitions_on_few_letters(text, merges, split):
    literal = fit_byte_pairs(text, merges, split=split)
    assert fit_byte_pairs_incremental(text, merges, split=split) == literal


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), st.integers(0, 40), cuts)
def test_merges_are_the_definitions_on_any_text(text, merges, split):
    literal = fit_byte_pairs(text, merges, split=split)
    assert fit_byte_pairs_incremental(text, merges, split=split) == literal


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(0, 20))
def test_merges_are_the_definitions_on_rows(lengths, merges):
    text = "".join("ab"[i % 2] * length for i, length in enumerate(lengths))
    assert fit_byte_pairs_incremental(text, merges) == fit_byte_pairs(text, merges)


@pytest.mark.parametrize("split", ["none", "gpt2", "gpt4"])
def test_merges_are_the_definitions_on_the_reference(split):
    literal = fit_byte_pairs(TEXT[200_000:206_000], 100, split=split)
    assert fit_byte_pairs_incremental(TEXT[200_000:206_000], 100, split=split) == literal
    assert len(literal.merges) == 100


def test_it_stops_where_no_pair_occurs_twice():
    tokeniser = fit_byte_pairs_incremental("abcabc", 100)
    assert tokeniser.vocabulary[256:] == [b"ab", b"abc"]
    assert fit_byte_pairs_incremental("abcdef", 100) == BytePairs(())


def test_more_merges_begin_with_the_same_ones():
    long, short = (fit_byte_pairs_incremental(TEXT[:50_000], k).merges for k in (200, 90))
    assert long[:90] == short


def test_a_thousand_merges_of_everything_take_seconds():
    """About half a second alone on one core; the bound only has to catch a return to counting everything."""
    start = time.process_time()
    tokeniser = fit_byte_pairs_incremental(TEXT, 1000)
    assert time.process_time() - start < 6
    assert len(tokeniser.merges) == 1000
    assert len(tokeniser.encode(TEXT)) < 0.4 * len(TEXT)


def test_a_long_row_of_one_letter():
    tokeniser = fit_byte_pairs_incremental("a" * 2**15, 100)
    assert [len(known) for known in tokeniser.vocabulary[256:]] == [2**i for i in range(1, 15)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fit_byte_pairs_incremental(None, 1),
            "fit_byte_pairs_incremental: text must be a text; got None",
        ),
        (lambda: fit_byte_pairs_incremental("a", "1"), "fit_byte_pairs_incremental: merges must be a whole"),
        (lambda: fit_byte_pairs_incremental("a", 1, split="y"), "split must be one of .+; got 'y'"),
        (
            lambda: fit_byte_pairs_incremental("a", 1, specials="x"),
            "fit_byte_pairs_incremental: specials must be a sequence of texts; got 'x'",
        ),
        (lambda: fit_byte_pairs_incremental("\udc00", 1), "without a lone surrogate; got one at position 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
