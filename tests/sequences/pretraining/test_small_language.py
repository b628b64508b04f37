"""The toy language: every word is known, every tag is right, and opinions agree within a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.pretraining import small_language as language
from chapters_src.sequences.pretraining.small_language import as_text, passages, sentences
from tests.bad_input import bad_numbers, refused


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_sentences_are_what_their_labels_say(seed):
    found = sentences(20, np.random.default_rng(seed))
    for tokens, length, tags, liked in zip(*found, strict=True):
        words = as_text(tokens).split()
        assert len(words) == length and (tokens[length:] == language.PAD).all() and not tags[length:].any()
        assert words[-1] == "." and language.MASK not in tokens
        good, bad = (
            set(words) & set(kind)
            for kind in (language.GOOD + language.LIKES, language.BAD + language.DISLIKES)
        )
        assert (bool(good), bool(bad)) == ((True, False) if liked else (False, True))
        for word, tag in zip(words, tags, strict=False):
            allowed = (language.PEOPLE + language.EITHER, language.PLACES + language.EITHER)
            assert word in allowed[tag - 1] if tag else word not in allowed[0] + allowed[1]


def test_some_words_are_both():
    found = sentences(2000, np.random.default_rng(0))
    for word in language.EITHER:
        tags = found.tags[found.tokens == language.WORDS.index(word)]
        assert set(tags.tolist()) == {1, 2}


def test_words_are_different_and_labels_balanced():
    assert len(set(language.WORDS)) == len(language.WORDS)
    assert float(sentences(2000, np.random.default_rng(0)).liked.double().mean()) == pytest.approx(
        0.5, abs=0.05
    )


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_passages_that_follow_share_place_and_opinion(seed):
    found = passages(20, np.random.default_rng(seed))
    good, bad = set(language.GOOD + language.LIKES), set(language.BAD + language.DISLIKES)
    for tokens, length, follows in zip(*found, strict=True):
        words = as_text(tokens).split()
        assert len(words) == length and words.count(".") == 2 and (tokens[length:] == language.PAD).all()
        first, second = (set(part.split()) for part in " ".join(words).split(".")[:2])
        if follows:
            assert bool(first & good) == bool(second & good) and bool(first & bad) == bool(second & bad)
            assert first & second & set(language.PLACES + language.EITHER)


def test_half_of_the_passages_follow_and_the_rest_agree_by_chance():
    found = passages(2000, np.random.default_rng(0))
    assert float(found.follows.double().mean()) == pytest.approx(0.5, abs=0.04)
    good, agree = set(language.GOOD + language.LIKES), []
    for tokens in found.tokens[found.follows == 0]:
        first, second = (set(part.split()) & good for part in as_text(tokens).split(" . ")[:2])
        agree.append(bool(first) == bool(second))
    assert np.mean(agree) == pytest.approx(0.5, abs=0.05)


def test_same_seed_same_sentences():
    first, again = (sentences(5, np.random.default_rng(3)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_input(bad):
    refused("sentences", sentences, {"n": 1, "rng": np.random.default_rng(0)}, "n", bad)
    refused("sentences", sentences, {"n": 1}, "rng", bad)
    refused("passages", passages, {"n": 1, "rng": np.random.default_rng(0)}, "n", bad)


@pytest.mark.parametrize("bad", [torch.tensor([-1]), torch.tensor([len(language.WORDS)]), [1], None])
def test_text_of_no_words(bad):
    with pytest.raises(ValueError, match=r"^as_text: tokens must .+; got "):
        as_text(bad)
