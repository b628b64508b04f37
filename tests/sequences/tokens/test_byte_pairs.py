"""Byte pairs: every text comes back, merges are the definition's, and special names are only characters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.sequences.tokens.byte_pairs import (
    BytePairs,
    count_pairs,
    fit_byte_pairs,
    join_pair,
)
from chapters_src.sequences.tokens.fast import fit_byte_pairs_incremental
from chapters_src.sequences.tokens.splitting import split_words

TEXT = data.language_reference()
END = "<|end|>"
plain = fit_byte_pairs_incremental(TEXT[:60_000], 300, specials=(END, "<|user|>"))
worded = fit_byte_pairs_incremental(TEXT[:60_000], 300, split="gpt2", specials=(END,))
few_letters = st.text(alphabet="ab \n", max_size=60)
valid = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(valid, st.booleans())
def test_every_text_comes_back(text, allow):
    for tokeniser in (plain, worded, BytePairs(())):
        tokens = tokeniser.encode(text, allow_special=allow)
        assert tokeniser.decode(tokens) == text
        assert len(tokens) <= len(text.encode())
        assert all(0 <= token < len(tokeniser) for token in tokens)


def test_texts_that_have_gone_wrong_elsewhere():
    for text in (
        "",
        "a",
        "\x00",
        "\ufffd",
        "naïve café",
        "日本語",
        "👩‍👩‍👧",
        "a\r\n b",
        "ﬁ",
        "   x ",
        "\u0301e",
    ):
        for tokeniser in (plain, worded):
            assert tokeniser.decode(tokeniser.encode(text)) == text


def test_the_whole_reference_comes_back_shorter():
    tokens = plain.encode(TEXT)
    assert plain.decode(tokens) == TEXT
    assert len(tokens) < 0.6 * len(TEXT.encode())


def joined_by_rank(text, tokeniser):
    """Encoding as it is usually defined: join the pair that was learned first, anew each time."""
    rank = {pair: i for i, pair in enumerate(tokeniser.merges)}
    whole = []
    for piece in split_words(text, tokeniser.split):
        tokens = list(piece.encode())
        while True:
            here = [p for p in pairwise(tokens) if p in rank]
            if not here:
                break
            first = min(here, key=rank.get)
            out = []
            for token in tokens:
                if out and (out[-1], token) == first:
                    out[-1] = 256 + rank[first]
                else:
                    out.append(token)
            tokens = out
        whole += tokens
    return whole


@given(valid)
def test_encoding_is_the_usual_definition(text):
    for tokeniser in (plain, worded):
        assert tokeniser.encode(text) == joined_by_rank(text, tokeniser)


@given(st.integers(0, len(TEXT) - 200))
def test_encoding_of_the_reference_is_the_usual_definition(start):
    text = TEXT[start : start + 200]
    for tokeniser in (plain, worded):
        assert tokeniser.encode(text) == joined_by_rank(text, tokeniser)


def test_an_example_by_hand():
    """aaabdaaabac: aa and ab can be joined twice each, aa comes first; then aaab, then all of it twice."""
    tokeniser = fit_byte_pairs("aaabdaaabac", 10)
    assert tokeniser.vocabulary[256:] == [b"aa", b"ab", b"aaab"]
    assert tokeniser.encode("aaabdaaabac") == [258, ord("d"), 258, ord("a"), ord("c")]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("aa", {"aa": 1}),
        ("aaa", {"aa": 1}),
        ("aaaa", {"aa": 2}),
        ("aaaaa", {"aa": 2}),
        ("aabaa", {"aa": 2, "ab": 1, "ba": 1}),
        ("abab", {"ab": 2, "ba": 1}),
        ("a", {}),
        ("", {}),
    ],
)
def test_pairs_that_overlap_count_once(text, pairs):
    found = {bytes(pair).decode(): count for pair, count in count_pairs(list(text.encode())).items()}
    assert found == pairs


@given(few_letters)
def test_a_merge_shortens_by_its_count(text):
    tokens = list(text.encode())
    for pair, count in count_pairs(tokens).items():
        assert len(join_pair(tokens, pair, 256)) == len(tokens) - count
        assert count == text.count(bytes(pair).decode())  # str.count takes no overlaps either


@settings(deadline=None)
@given(few_letters, st.sampled_from(["none", "words", "gpt2", "gpt4"]))
def test_training_counts_what_encoding_saves(text, split):
    tokeniser = fit_byte_pairs(text, 30, split=split)
    assert tokeniser.split == split
    lengths = [
        len(BytePairs(tokeniser.merges[:i], split=split).encode(text)) for i in range(len(tokeniser) - 255)
    ]
    assert all(before - after >= 2 for before, after in pairwise(lengths))


def test_no_merge_crosses_a_word():
    pieces = [worded.vocabulary[token].decode(errors="replace") for token in range(256, 556)]
    assert all(len(split_words(piece)) == 1 or piece.isspace() for piece in pieces)
    assert any(len(split_words(plain.vocabulary[token].decode())) > 1 for token in range(256, 556))


def test_special_names_are_characters_unless_allowed():
    text = f"a{END}b<|user|>{END}"
    assert max(plain.encode(text)) < 556
    tokens = plain.encode(text, allow_special=True)
    assert tokens == [97, plain.special(END), 98, plain.special("<|user|>"), plain.special(END)]
    assert (plain.special(END), plain.special("<|user|>"), len(plain)) == (556, 557, 558)
    assert plain.decode(tokens) == text
    assert plain.vocabulary[-1] == b"<|user|>"


def test_the_longest_special_name_wins():
    tokeniser = BytePairs((), ("<a", "<a>"))
    assert tokeniser.encode("<a><a", allow_special=True) == [257, 256]


@given(st.lists(st.integers(0, 255), max_size=12))
def test_bytes_that_are_no_text_are_replaced(values):
    raw = bytes(values)
    assert plain.decode(values) == raw.decode("utf-8", "replace")
    assert plain.decode_bytes(values) == raw


def test_a_cut_character_is_replaced_and_nothing_else():
    tokens = BytePairs(()).encode("né!")
    assert BytePairs(()).decode(tokens[:2]) == "n\ufffd"
    assert BytePairs(()).decode(tokens[:1] + tokens[2:]) == "n\ufffd!"


def test_tokens_come_as_arrays_and_tensors_too():
    tokens = plain.encode("the end")
    assert plain.decode(np.array(tokens)) == plain.decode(torch.tensor(tokens)) == "the end"
    assert plain.decode(tuple(tokens)) == plain.decode(iter(tokens)) == "the end"


def test_a_tokeniser_is_a_value():
    again = BytePairs([list(pair) for pair in plain.merges], [END, "<|user|>"])
    assert again == plain
    assert hash(again) == hash(plain)
    with pytest.raises(AttributeError):
        plain.merges = ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BytePairs("ab"), "BytePairs: merges must be a sequence; got 'ab'"),
        (lambda: BytePairs(3), "BytePairs: merges must be a sequence; got 3"),
        (lambda: BytePairs([(1, 2, 3)]), "BytePairs: merges must be two tokens; got 3"),
        (lambda: BytePairs([(1, 256)]), "BytePairs: merges must be at least 0 and at most 255; got 256"),
        (lambda: BytePairs([(1, -1)]), "BytePairs: merges must be at least 0 and at most 255; got -1"),
        (lambda: BytePairs([(1, 2.0)]), "BytePairs: merges must be a whole number"),
        (lambda: BytePairs((), "end"), "BytePairs: specials must be a sequence of texts; got 'end'"),
        (lambda: BytePairs((), ("a", "a")), "BytePairs: specials must be different from one another"),
        (
            lambda: BytePairs((), ("",)),
            "BytePairs: specials must be different from one another and not empty",
        ),
        (lambda: BytePairs((), (3,)), "BytePairs: specials must be a text; got 3"),
        (
            lambda: BytePairs((), split="gpt"),
            "BytePairs: split must be one of 'none', 'words', .+; got 'gpt'",
        ),
        (lambda: plain.special("no"), "special: name must be one of"),
        (lambda: plain.encode(b"a"), "encode: text must be a text; got b'a'"),
        (
            lambda: plain.encode("a\ud800"),
            "text must be text .+ without a lone surrogate; got one at position 1",
        ),
        (lambda: plain.encode("a", 1), "encode: allow_special must be True or False; got 1"),
        (lambda: plain.decode([558]), "decode: tokens must be at least 0 and at most 557; got 558"),
        (lambda: plain.decode(3), "decode: tokens must be a sequence of whole numbers; got 3"),
        (lambda: count_pairs("ab"), "count_pairs: tokens must be a sequence of whole numbers; got 'ab'"),
        (lambda: join_pair([1], (1,), 2), "join_pair: pair must be two tokens; got 1"),
        (lambda: join_pair([1], (1, 2), -2), "join_pair: new must be at least 0; got -2"),
        (lambda: fit_byte_pairs(3, 1), "fit_byte_pairs: text must be a text; got 3"),
        (lambda: fit_byte_pairs("a", 1.0), "fit_byte_pairs: merges must be a whole number at least 0"),
        (lambda: fit_byte_pairs("a", -1), "fit_byte_pairs: merges must be at least 0; got -1"),
        (lambda: fit_byte_pairs("a", 1, split=None), "fit_byte_pairs: split must be a text; got None"),
        (lambda: split_words(None), "split_words: text must be a text; got None"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


anything = st.one_of(
    st.none(),
    st.floats(),
    st.integers(),
    st.binary(max_size=3),
    st.builds(object),
    st.lists(st.text(), min_size=1),
)


@given(anything)
def test_whatever_is_no_text_is_refused(bad):
    for call in (plain.encode, split_words, lambda bad: fit_byte_pairs(bad, 2)):
        with pytest.raises(ValueError, match="text must be a text; got "):
            call(bad)


@given(
    st.lists(
        st.one_of(st.integers(max_value=-2), st.floats(), st.none(), st.text(), st.booleans()), min_size=1
    )
)
def test_whatever_is_no_token_is_refused(bad):
    for call in (plain.decode, count_pairs, lambda bad: join_pair(bad, (1, 2), 3)):
        with pytest.raises(ValueError, match=r"tokens must .+; got "):
            call(bad)
