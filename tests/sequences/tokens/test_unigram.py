"""Unigram against every cut written out, against brute force, and the promise of expectation-maximisation."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.sequences.tokens.splitting import split_words
from chapters_src.sequences.tokens.unigram import best_segmentation, em_step, expected_counts, fit_unigram

TEXT = data.language_reference()
learned = fit_unigram(TEXT[:40_000], 300)


def all_cuts(x):
    """Every way to cut bytes into pieces: each place between two of them is a cut or not."""
    for many in range(len(x)):
        for places in combinations(range(1, len(x)), many):
            ends = [0, *places, len(x)]
            yield [x[i:j] for i, j in pairwise(ends)]


@st.composite
def models(draw, letters=b"ab"):
    """A random distribution over the letters and some longer pieces."""
    longer = draw(st.sets(st.lists(st.sampled_from(letters), min_size=2, max_size=4).map(bytes), max_size=6))
    pieces = [bytes([letter]) for letter in letters] + sorted(longer)
    p = np.random.default_rng(draw(st.integers(0, 999))).dirichlet(np.ones(len(pieces)))
    return dict(zip(pieces, p.tolist(), strict=True))


words = st.text("ab", min_size=1, max_size=9)


@given(models(), words)
def test_counts_and_likelihood_are_sums_over_all_cuts(p, word):
    chances = {tuple(cut): math.prod(p.get(v, 0.0) for v in cut) for cut in all_cuts(word.encode())}
    total = sum(chances.values())
    counts, log_likelihood = expected_counts({word: 3}, p)
    assert log_likelihood == pytest.approx(3 * math.log(total))
    for v in p:
        expected = sum(chance * cut.count(v) for cut, chance in chances.items()) / total
        assert counts[v] == pytest.approx(3 * expected, abs=1e-12)


@given(models(), words)
def test_expected_pieces_cover_the_word(p, word):
    counts, _ = expected_counts({word: 1}, p)
    assert sum(len(v) * count for v, count in counts.items()) == pytest.approx(len(word))


@given(models(), words)
def test_the_best_cut_is_the_best_of_all(p, word):
    found = best_segmentation(word, p)
    assert b"".join(found) == word.encode()
    best = max(math.prod(p.get(v, 0.0) for v in cut) for cut in all_cuts(word.encode()))
    assert math.prod(p[v] for v in found) == pytest.approx(best)


@given(words)
def test_equal_prices_give_the_fewest_pieces(word):
    pieces = [b"a", b"b", b"ab", b"aba", b"bb"]
    found = best_segmentation(word, dict.fromkeys(pieces, 0.2))
    fewest = min(len(cut) for cut in all_cuts(word.encode()) if all(v in pieces for v in cut))
    assert len(found) == fewest


@settings(deadline=None, max_examples=50)
@given(models(), st.dictionaries(words, st.integers(1, 9), min_size=1, max_size=5))
def test_a_step_never_lowers_the_likelihood(p, counted):
    before = -math.inf
    for _ in range(6):
        p, log_likelihood = em_step(counted, p)
        assert sum(p.values()) == pytest.approx(1)
        assert log_likelihood >= before - 1e-9
        before = log_likelihood


def test_a_step_by_hand():
    """ab is a|b with 1/4 · 1/4 or ab with 1/2: the odds are 1 to 8."""
    p, log_likelihood = em_step({"ab": 1}, {b"a": 0.25, b"b": 0.25, b"ab": 0.5})
    assert log_likelihood == pytest.approx(math.log(9 / 16))
    assert p == pytest.approx({b"a": 1 / 10, b"b": 1 / 10, b"ab": 8 / 10})


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_every_text_can_be_cut_and_comes_back(text):
    for split in ("none", "gpt2"):
        assert b"".join(best_segmentation(text, learned, split)).decode() == text


def test_a_text_is_cut_word_by_word():
    text = TEXT[200_000:203_000]
    by_word = [piece for word in split_words(text) for piece in best_segmentation(word, learned)]
    assert best_segmentation(text, learned, "gpt2") == by_word


def test_what_is_learned():
    assert sum(len(piece) > 1 for piece in learned) == 300
    assert sum(learned.values()) == pytest.approx(1)
    assert {bytes([b]) for b in TEXT[:40_000].encode()} == {v for v in learned if len(v) == 1}
    assert max(map(len, learned)) <= 12
    assert all(len(split_words(v.decode())) == 1 or v.isspace() for v in learned if len(v) > 1)


def test_more_pieces_make_the_text_more_probable():
    counted = Counter(word[:32] for word in split_words(TEXT[:40_000]))
    fewer = fit_unigram(TEXT[:40_000], 100)
    assert expected_counts(counted, learned)[1] > expected_counts(counted, fewer)[1]
    assert len(best_segmentation(TEXT[:40_000], learned, "gpt2")) < len(
        best_segmentation(TEXT[:40_000], fewer, "gpt2")
    )


def test_no_longer_pieces_leaves_the_letters():
    assert fit_unigram("abab b", 0) == pytest.approx({b" ": 1 / 6, b"a": 2 / 6, b"b": 3 / 6})


def test_unknown_bytes_stand_alone():
    assert best_segmentation("aéa", {b"a": 0.5, b"aa": 0.5}) == [b"a", b"\xc3", b"\xa9", b"a"]


def test_a_word_that_cannot_be_cut():
    assert expected_counts({"abc": 1}, {b"ab": 1.0}) == ({b"ab": 0.0}, -math.inf)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: best_segmentation(3, learned), "best_segmentation: text must be a text; got 3"),
        (lambda: best_segmentation("a", {}), "p must be a dictionary from pieces"),
        (lambda: best_segmentation("a", {"a": 1.0}), "p must be a dictionary from pieces"),
        (
            lambda: best_segmentation("a", {b"a": 2.0}),
            "p must be a dictionary from pieces",
        ),
        (lambda: best_segmentation("a", {b"a": 1.0}, "no"), "best_segmentation: split must be one of"),
        (lambda: expected_counts({}, learned), "words must be a dictionary from words"),
        (
            lambda: expected_counts({"a": 0}, learned),
            "words must be a dictionary from words",
        ),
        (lambda: em_step({"xyz": 1}, {b"a": 1.0}), "em_step: p must have a cut for every word"),
        (lambda: fit_unigram("", 3), "fit_unigram: text must not be empty"),
        (lambda: fit_unigram("a", -1), "fit_unigram: pieces must be at least 0; got -1"),
        (lambda: fit_unigram("a", 1, longest=1), "fit_unigram: longest must be at least 2; got 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
