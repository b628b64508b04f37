"""The cuts of GPT-2 and GPT-4 against the published patterns, run by an engine that knows Unicode."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.sequences.tokens.splitting import character_kinds, split_words

TEXT = data.language_reference()
# As published with GPT-2, and for GPT-4 as its tokeniser's library runs it (see also test_outside.py).
PUBLISHED = {
    "gpt2": regex.compile(r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""),
    "gpt4": regex.compile(
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
        r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s"""
    ),
}
assigned = st.characters(exclude_categories=["Cs", "Cn", "Co"])
awkward = st.sampled_from(["'", *"sStTrReEvVlLmMdD ſ  \n\r\t\x1c\x85\u00a0\u3000_19٣½Ⅷ²éß日́!.-…👩"])


@settings(max_examples=300)
@pytest.mark.parametrize("split", PUBLISHED)
@given(text=st.text(st.one_of(assigned, awkward), max_size=30))
@example(text="I'LL don't we'Re 'ſ x'sy")
@example(text="a  \n  ")
@example(text="1234567 ½½½½ ٣٣٣٣")
def test_cuts_are_those_of_the_published_pattern(split, text):
    assert split_words(text, split) == PUBLISHED[split].findall(text)


@pytest.mark.parametrize("split", PUBLISHED)
def test_on_the_whole_reference(split):
    assert split_words(TEXT, split) == PUBLISHED[split].findall(TEXT)


def test_every_character_has_the_kind_that_unicode_gives_it():
    codes = [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]
    text = "".join(chr(code) for code in codes if unicodedata.category(chr(code)) not in ("Cn", "Co"))
    kinds = character_kinds(text)
    for unicode, ascii_ in ((r"\p{L}", r"[A-Za-z]"), (r"\p{N}", r"[0-9]"), (r"\s", r"[ \t\n\r\f\v]")):
        published = {found.start() for found in regex.finditer(unicode, text)}
        assert published == {found.start() for found in regex.finditer(ascii_, kinds)}


@given(st.text(max_size=80), st.sampled_from(["none", "words", "gpt2", "gpt4"]))
def test_pieces_joined_are_the_text(text, split):
    try:
        text.encode()
    except UnicodeEncodeError:
        with pytest.raises(ValueError, match="lone surrogate"):
            split_words(text, split)
    else:
        assert "".join(split_words(text, split)) == text
        assert "" not in split_words(text, split)
        assert len(character_kinds(text)) == len(text)
        assert character_kinds(text).isascii()


def test_a_line_by_hand():
    text = "It's 12345 x_1==2:\n    go  on"
    assert split_words(text, "none") == [text]
    assert split_words(text, "words") == [
        *("It", "'", "s", " 12345", " x", "_", "1", "==", "2", ":", "\n   ", " go", " ", " on")
    ]
    assert split_words(text) == [
        *("It", "'s", " 12345", " x", "_", "1", "==", "2", ":", "\n   ", " go", " ", " on")
    ]
    assert split_words(text, "gpt4") == [
        *("It", "'s", " ", "123", "45", " x", "_", "1", "==", "2", ":\n", "   ", " go", " ", " on")
    ]


def test_kinds_by_hand():
    assert character_kinds("aZ9 é日½٣\u3000—\x1cſ") == "aZ9 xx00\t!!S"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: split_words(3), "split_words: text must be a text; got 3"),
        (
            lambda: split_words("a", "gpt5"),
            "split must be one of 'none', 'words', 'gpt2', 'gpt4'",
        ),
        (lambda: split_words("a", None), "split_words: split must be a text; got None"),
        (lambda: character_kinds(b"a"), "character_kinds: text must be a text; got b'a'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
