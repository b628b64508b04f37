"""Three ways to use a recurrent network besides translation, each with a small task."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear, normal_weights
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.sequences.gates.layers import GRU, LSTM

__all__ = [
    "FORECASTS",
    "FORECAST_WORDS",
    "MONTHS",
    "REVIEW_WORDS",
    "TAGGED_WORDS",
    "TAGS",
    "Forecaster",
    "ReviewReader",
    "Tagger",
    "forecasts",
    "reviews",
    "tagged_sentences",
]

# --- many to one: is a review in favour?

FILLERS, PRAISE, BLAME = (
    ("the", "film", "is", "so", "really"),
    ("good", "great", "fun"),
    ("bad", "dull", "long"),
)
REVIEW_WORDS = (*FILLERS, "not", *PRAISE, *BLAME)
NOT = REVIEW_WORDS.index("not")


@checked(n=at_least(1), clauses=at_least(1))
def reviews(
    n: int, clauses: int, generator: torch.Generator
) -> tuple[Int[Tensor, "n 4*{clauses}"], Int[Tensor, "n"]]:
    """Random reviews of four-word clauses, and 1 where most clauses are in favour (an odd number decides).

    The last word of a clause is an opinion. A "not" at any other place of the clause, in half of them, turns
    it round.
    """
    draw = lambda high, *shape: torch.randint(high, (n, clauses, *shape), generator=generator)  # noqa: E731
    words, opinion, negated, place = draw(len(FILLERS), 4), draw(6), draw(2).bool(), draw(3)
    words[..., 3] = len(FILLERS) + 1 + opinion
    put = F.one_hot(place, 4).bool() & negated[..., None]
    words = torch.where(put, NOT, words)
    favour = (opinion < len(PRAISE)) ^ negated
    return words.flatten(1), (favour.sum(1) * 2 > clauses).long()


class ReviewReader(nn.Module):
    """Many to one: the logits of the two classes from the last state alone.

    E[y | x₁, …, x_T] = σ(h_T w + b) for two classes                       {eq}`eq-gates-many-to-one`
    """

    @checked(m=at_least(1))
    def __init__(
        self, m: int, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.table = nn.Parameter(normal_weights((len(REVIEW_WORDS), 8), 1.0, generator, **place))
        self.layer = LSTM(8, m, generator, **place)
        self.output = linear(m, 2, generator, **place)

    @checked(tokens=tokens_below(str(len(REVIEW_WORDS))))
    def forward(self, tokens: Int[Tensor, "B t"]) -> Float[Tensor, "B 2"]:
        """Logits of against and in favour."""
        return self.output(self.layer(F.embedding(tokens, self.table))[:, -1])


# --- one to many: a forecast for a month

MONTHS = ("January", "July")
FORECASTS = (("cold and dry", "mild and wet"), ("hot and dry", "warm and wet"))
FORECAST_WORDS = ("<bos>", "and", "cold", "mild", "hot", "warm", "dry", "wet")


@checked(n=at_least(1))
def forecasts(n: int, generator: torch.Generator) -> tuple[Int[Tensor, "n"], Int[Tensor, "n 3"]]:
    """Random months, and one of the two forecasts of each, as likely as the other."""
    number = {word: i for i, word in enumerate(FORECAST_WORDS)}
    table = torch.tensor([[[number[w] for w in one.split()] for one in month] for month in FORECASTS])
    month, which = (torch.randint(2, (n,), generator=generator) for _ in range(2))
    return month, table[month, which]


class Forecaster(nn.Module):
    """One to many: the input sets the first state, and words follow.

    Autoregressive: Πₜ p(yₜ | y₁, …, yₜ₋₁, x). Otherwise Πₜ p(yₜ | x): the words are independent, given x, and
    the network is not told what was written                            {eq}`eq-gates-factorisations`
    """

    @checked(m=at_least(1))
    def __init__(
        self,
        m: int,
        generator: torch.Generator,
        autoregressive: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.autoregressive = autoregressive
        self.first = nn.Parameter(normal_weights((len(MONTHS), m), 1.0, generator, **place))
        self.table = nn.Parameter(normal_weights((len(FORECAST_WORDS), 8), 1.0, generator, **place))
        self.layer = GRU(8, m, generator, **place)
        self.output = linear(m, len(FORECAST_WORDS), generator, **place)

    @checked(month=tokens_below("2"), words=tokens_below(str(len(FORECAST_WORDS))))
    def forward(self, month: Int[Tensor, "B"], words: Int[Tensor, "B t"]) -> Float[Tensor, "B t v"]:
        """Logits of each word of a forecast, from the month and, if autoregressive, the words before it."""
        before = F.pad(words[:, :-1], (1, 0)) if self.autoregressive else torch.zeros_like(words)
        return self.output(self.layer(F.embedding(before, self.table), self.first[month]))

    @torch.no_grad()
    def write(self, month: Int[Tensor, "B"], length: int, generator: torch.Generator) -> Int[Tensor, "B t"]:
        """Words drawn one after another, each from its distribution."""
        words = month.new_zeros(len(month), length)
        for t in range(length):
            p = self(month, words)[:, t].softmax(-1)
            words[:, t] = torch.multinomial(p.to(generator.device), 1, generator=generator)[:, 0].to(p.device)
        return words


# --- aligned: a tag for each word

TAGS = ("article", "adjective", "noun", "verb")
# D article, A adjective, N noun, V verb; two letters: the sentence decides which.
KINDS = {
    "D": ("the",),
    "AN": ("old", "young", "poor", "rich"),
    "NV": ("man", "guard", "train", "paint"),
    "V": ("sees", "wants", "finds", "moves"),
    "A": ("small", "new", "red", "tall"),
    "N": ("boat", "house", "wall", "car"),
}
TAGGED_WORDS = tuple(word for kind in KINDS.values() for word in kind)
# "the old man sees the boat" and "the old man the small boat", with the places of the tags in TAGS
READINGS = (
    (["D", "AN", "NV", "V", "D", "N"], (0, 1, 2, 3, 0, 2)),
    (["D", "AN", "NV", "D", "A", "N"], (0, 2, 3, 0, 1, 2)),
)


@checked(n=at_least(1), first=between(0, 1))
def tagged_sentences(
    n: int, generator: torch.Generator, first: float = 0.6
) -> tuple[Int[Tensor, "n 6"], Int[Tensor, "n 6"]]:
    """Sentences with two readings, told apart by their fourth word alone, and the tag of each word.

    A share ``first`` goes on like "the old man sees …", the others like "the old man the …".
    """
    number = {word: i for i, word in enumerate(TAGGED_WORDS)}
    starts = torch.tensor([[number[KINDS[kind][0]] for kind in kinds] for kinds, _ in READINGS])
    sizes = torch.tensor([[len(KINDS[kind]) for kind in kinds] for kinds, _ in READINGS])
    tags = torch.tensor([tags for _, tags in READINGS])
    which = (torch.rand(n, generator=generator) >= first).long()
    among = (torch.rand(n, 6, generator=generator) * sizes[which]).long()
    return starts[which] + among, tags[which]


class Tagger(nn.Module):
    """Aligned, many to many: a tag for each word, from the state after it.

    hₜ = f(hₜ₋₁, xₜ) has seen x₁, …, xₜ; with ``both`` a second layer reads from the end, and its state at the
    word has seen xₜ, …, x_T                                               {eq}`eq-gates-aligned`
    """

    @checked(m=at_least(1))
    def __init__(
        self,
        m: int,
        generator: torch.Generator,
        both: bool = False,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.table = nn.Parameter(normal_weights((len(TAGGED_WORDS), 8), 1.0, generator, **place))
        self.forwards = GRU(8, m, generator, **place)
        self.backwards = GRU(8, m, generator, **place) if both else None
        self.output = linear(2 * m if both else m, len(TAGS), generator, **place)

    @checked(words=tokens_below(str(len(TAGGED_WORDS))))
    def forward(self, words: Int[Tensor, "B t"]) -> Float[Tensor, "B t k"]:
        """Logits of the tag of each word."""
        X = F.embedding(words, self.table)
        states = self.forwards(X)
        if self.backwards is not None:
            states = torch.cat([states, self.backwards(X.flip(1)).flip(1)], dim=-1)
        return self.output(states)
