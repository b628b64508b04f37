"""A small language with names, places and opinions, to pre-train on and to tag: sentences about travels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Int, Tensor
from chapters_src.core.tensor_readers import tokens_below

__all__ = ["LIKES", "MASK", "PAD", "TAGS", "WORDS", "Sentences", "as_text", "sentences"]

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


class Sentences(NamedTuple):
    """Rows of words filled up with PAD, their lengths, a tag for each word, and if the place is liked."""

    tokens: Int[Tensor, "n t"]
    lengths: Int[Tensor, "n"]
    tags: Int[Tensor, "n t"]
    liked: Int[Tensor, "n"]


@checked(n=at_least(1))
def sentences(n: int, rng: np.random.Generator) -> Sentences:
    """``n`` sentences drawn at random: a shape, an opinion, and words that fit."""
    number = {word: i for i, word in enumerate(WORDS)}
    longest = max(len(shape.split()) for shape in SHAPES)
    tokens, tags = np.full((n, longest), PAD), np.zeros((n, longest), dtype=np.int64)
    lengths, liked = np.empty(n, dtype=np.int64), rng.integers(0, 2, n)
    for row in range(n):
        parts = SHAPES[rng.integers(len(SHAPES))].split()
        choice = {
            "P": PEOPLE + EITHER,
            "L": PLACES + EITHER,
            "V": LIKES if liked[row] else DISLIKES,
            "A": GOOD if liked[row] else BAD,
        }
        lengths[row] = len(parts)
        for i, part in enumerate(parts):
            options = choice.get(part, [part])
            tokens[row, i] = number[options[rng.integers(len(options))]]
            tags[row, i] = {"P": 1, "L": 2}.get(part, 0)
    return Sentences(*(torch.as_tensor(one) for one in (tokens, lengths, tags, liked)))


@checked(tokens=tokens_below(str(len(WORDS))))
def as_text(tokens: Int[Tensor, "t"]) -> str:
    """The words of one sentence, without what fills it up."""
    return " ".join(WORDS[int(i)] for i in tokens if int(i) != PAD)
