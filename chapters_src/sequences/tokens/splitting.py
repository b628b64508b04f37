"""Where no merge may cross: a text cut into words by the patterns of GPT-2 and GPT-4."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, one_of, text

__all__ = ["character_kinds", "split_words"]

# Read on the kinds of the characters: A-Z and a-z stand for every letter, 0-9 for every number.
PATTERNS = {
    # A word, a number or a row of signs, each with the space before it, and what white space is left over.
    "words": re.compile(r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?=\s|\Z)|\s", re.ASCII),
    "gpt2": re.compile(
        r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII
    ),
    "gpt4": re.compile(
        r"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]{1,3}"
        r"| ?[^\sA-Za-z0-9]+[\r\n]*|\s+\Z|\s*[\r\n]|\s+(?!\S)|\s",
        re.ASCII,
    ),
}
CUTS = ("none", *PATTERNS)


def utf8(ask: Ask, value: Any) -> str:
    """Text that UTF-8 can write; half a surrogate pair is not a character."""
    try:
        text(ask, value).encode()
    except UnicodeEncodeError as error:
        rule = "be text that UTF-8 can write, without a lone surrogate"
        ask.fail(rule, f"one at position {error.start}")
    return value


@checked(text=utf8)
def character_kinds(text: str) -> str:
    """The text with every character beyond ASCII replaced by an ASCII character of its kind, at its place.

    A letter becomes x, a number 0, white space a tab, anything else an exclamation mark. The published
    patterns ask Unicode for these kinds, ``\\p{L}``, ``\\p{N}`` and ``\\s``, which Python's ``re`` cannot.
    """
    return "".join(map(_kind, text))


def _kind(character: str) -> str:
    if character == "ſ":  # in its long form, a small s to a pattern that does not tell small from capital
        return "S"
    if "\x1c" <= character <= "\x1f":  # Python calls these four white space, Unicode does not
        return "!"
    if character.isascii():
        return character
    if character.isspace():
        return "\t"
    return {"L": "x", "N": "0"}.get(unicodedata.category(character)[0], "!")


@checked(text=utf8, split=one_of(CUTS))
def split_words(text: str, split: str = "gpt2") -> list[str]:
    """Cut a text into the pieces that no merge may cross; joined they give the text back.

    ``split`` is the pattern of GPT-2, of GPT-4, or a plain one: words, numbers and signs.
    """
    if split == "none":
        return [text] if text else []
    return [text[piece.start() : piece.end()] for piece in PATTERNS[split].finditer(character_kinds(text))]
