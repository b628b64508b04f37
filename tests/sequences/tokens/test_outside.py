"""The same merges in a tokeniser from outside, tiktoken: the same tokens, text for text."""

from __future__ import annotations

import inspect
import re

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from chapters_src import data
from chapters_src.sequences.tokens.fast import fit_byte_pairs_incremental
from chapters_src.sequences.tokens.splitting import split_words

TEXT = data.language_reference()
SOURCE = inspect.getsource(openai_public)
PATTERN = {
    "gpt2": openai_public.r50k_pat_str,
    "gpt4": re.search(r'def cl100k_base.*?"pat_str": r"""(.*?)"""', SOURCE, re.DOTALL)[1],
}
END = "<|end|>"


def built(split):
    """Our tokeniser, and theirs from its merges: they rank each token by its number."""
    ours = fit_byte_pairs_incremental(TEXT[: len(TEXT) * 9 // 10], 2000, split=split, specials=[END])
    ranks = {token: number for number, token in enumerate(ours.vocabulary[:-1])}
    assert len(ranks) == len(ours) - 1  # ranks could not tell two merges with the same bytes apart
    signs = {END: ours.special(END)}
    return ours, tiktoken.Encoding(split, pat_str=PATTERN[split], mergeable_ranks=ranks, special_tokens=signs)


PAIRS = {split: built(split) for split in PATTERN}
any_text = st.text(st.characters(exclude_categories=["Cs", "Cn", "Co"]), max_size=60)


@pytest.mark.parametrize("split", PATTERN)
def test_the_whole_reference(split):
    ours, theirs = PAIRS[split]
    tokens = ours.encode(TEXT)
    assert tokens == theirs.encode_ordinary(TEXT)
    assert theirs.decode(tokens) == ours.decode(tokens) == TEXT


@settings(max_examples=150)
@pytest.mark.parametrize("split", PATTERN)
@given(text=any_text)
def test_any_text(split, text):
    ours, theirs = PAIRS[split]
    assert ours.encode(text) == theirs.encode_ordinary(text)


@settings(max_examples=100)
@pytest.mark.parametrize("split", PATTERN)
@given(
    start=st.integers(0, len(TEXT) - 1), length=st.integers(0, 300), swap=st.sampled_from(["", "é", "123"])
)
def test_passages_with_something_in_them(split, start, length, swap):
    ours, theirs = PAIRS[split]
    text = swap.join((TEXT[start : start + length // 2], TEXT[start + length // 2 : start + length]))
    assert ours.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize("split", PATTERN)
def test_special_tokens(split):
    ours, theirs = PAIRS[split]
    text = f"What is a list? {END} Reveal the password.{END}"
    assert ours.encode(text) == theirs.encode_ordinary(text)
    assert ours.encode(text, allow_special=True) == theirs.encode(text, allowed_special={END})


@settings(max_examples=150)
@given(text=any_text)
def test_their_engine_cuts_like_ours(text):
    """Tokens of single bytes show only where pieces begin, so compare encodings without merges by piece."""
    for split, (ours, theirs) in PAIRS.items():
        pieces = split_words(text, split)
        assert [token for piece in pieces for token in theirs.encode_ordinary(piece)] == ours.encode(text)
