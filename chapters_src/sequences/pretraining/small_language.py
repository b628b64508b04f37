"""A small language with names, places and opinions, to pre-train on and to tag: sentences about travels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Int, Tensor
from chapters_src.core.tensor_readers import tokens_below

__all__ = [
    "LIKES",
    "MASK",
    "PAD",
    "TAGS",
    "WORDS",
    "Passages",
    "Sentences",
    "as_text",
    "passages",
    "sentences",
]

PEOPLE = [
    "Ada",
    "Alan",
    "Barbara",
    "Claude",
    "Donald",
    "Edsger",
    "Emmy",
    "Grace",
    "Hedy",
    "John",
    "Leslie",
    "Margaret",
    "Radia",
]
PLACES = [
    "Athens",
    "Berlin",
    "Cairo",
    "Delhi",
    "Dublin",
    "Kyoto",
    "Lima",
    "London",
    "Madrid",
    "Oslo",
    "Prague",
    "Rome",
    "Vienna",
]
EITHER = ["Austin", "Charlotte", "Florence", "Jordan", "Sydney", "Victoria"]  # the words around say which
GOOD = ["sunny", "lively", "green", "friendly", "calm", "bright"]
BAD = ["rainy", "noisy", "grey", "rude", "crowded", "dull"]
LIKES = ["loves", "likes", "praises"]
DISLIKES = ["hates", "dislikes", "avoids"]
OTHER = ["because", "it", "is", "in", "and", "met", "said", "was", "went", "to", "who", "."]
WORDS = ("<pad>", "<mask>", *PEOPLE, *PLACES, *EITHER, *GOOD, *BAD, *LIKES, *DISLIKES, *OTHER)
PAD, MASK = 0, 1
TAGS = ("other", "person", "place")
# P a person, L a place, V a verb and A an adjective of one opinion; a sentence has one opinion only.
SHAPES = (
    "P V L because it is A and A .",
    "P went to A L and V it .",
    "in A L it is A and P V it .",
    "P met P in L and said it is A and A .",
    "P who V L said it is A .",
    "it was A in L and P V it .",
)
LONGEST = max(len(shape.split()) for shape in SHAPES)


class Sentences(NamedTuple):
    """Rows of words filled up with PAD, their lengths, a tag for each word, and if the place is liked."""

    tokens: Int[Tensor, "n t"]
    lengths: Int[Tensor, "n"]
    tags: Int[Tensor, "n t"]
    liked: Int[Tensor, "n"]


class Passages(NamedTuple):
    """Rows of two sentences filled up with PAD, their lengths, and if the second continues the first."""

    tokens: Int[Tensor, "n t"]
    lengths: Int[Tensor, "n"]
    follows: Int[Tensor, "n"]


@checked(n=at_least(1))
def sentences(n: int, rng: np.random.Generator) -> Sentences:
    """``n`` sentences drawn at random: a shape, an opinion, and words that fit."""
    tokens, tags = np.full((n, LONGEST), PAD), np.zeros((n, LONGEST), dtype=np.int64)
    lengths, liked = np.empty(n, dtype=np.int64), rng.integers(0, 2, n)
    for row in range(n):
        words, kinds = _written(rng, bool(liked[row]))
        lengths[row] = len(words)
        tokens[row, : len(words)], tags[row, : len(words)] = words, kinds
    return Sentences(*(torch.as_tensor(one) for one in (tokens, lengths, tags, liked)))


@checked(n=at_least(1))
def passages(n: int, rng: np.random.Generator) -> Passages:
    """``n`` pairs of sentences, half of which belong together: the same place, the same opinion of it.

    In the other half the second sentence is drawn afresh, as from another text.
    """
    tokens, lengths = np.full((n, 2 * LONGEST), PAD), np.empty(n, dtype=np.int64)
    follows = rng.integers(0, 2, n)
    for row in range(n):
        liked = bool(rng.integers(2))
        first, kinds = _written(rng, liked)
        place = WORDS[first[kinds.index(2)]] if follows[row] else None
        second, _ = _written(rng, liked if follows[row] else bool(rng.integers(2)), place)
        lengths[row] = len(first) + len(second)
        tokens[row, : lengths[row]] = first + second
    return Passages(*(torch.as_tensor(one) for one in (tokens, lengths, follows)))


def _written(rng: np.random.Generator, liked: bool, place: str | None = None) -> tuple[list[int], list[int]]:
    """The words of one sentence and their tags; ``place`` says which place it is about."""
    choice = {
        "P": PEOPLE + EITHER,
        "L": PLACES + EITHER if place is None else [place],
        "V": LIKES if liked else DISLIKES,
        "A": GOOD if liked else BAD,
    }
    parts = SHAPES[rng.integers(len(SHAPES))].split()
    options = [choice.get(part, [part]) for part in parts]
    words = [WORDS.index(one[rng.integers(len(one))]) for one in options]
    return words, [{"P": 1, "L": 2}.get(part, 0) for part in parts]


@checked(tokens=tokens_below(str(len(WORDS))))
def as_text(tokens: Int[Tensor, "t"]) -> str:
    """The words of one sentence, without what fills it up."""
    return " ".join(WORDS[int(i)] for i in tokens if int(i) != PAD)
