"""Encoder and decoder: one sequence is read as a whole, another written from it token by token."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.core.training import TrainingRun
from chapters_src.sequences.gates import Pairs, examples, fit_with_adam
from chapters_src.sequences.transformer import NORMS, DecoderBlock, EncoderBlock, sinusoidal

__all__ = [
    "START",
    "EncoderDecoder",
    "exact_match",
    "fit_seq2seq",
    "greedy",
    "reversed_digits",
    "seq2seq_loss",
    "sorted_digits",
]

START = 10  # stands in front of what is written; the tokens before it are the ten digits


class EncoderDecoder(nn.Module):
    """p(y | x) = Πₜ p(yₜ | y₁, …, yₜ₋₁, encoder(x))                {eq}`eq-transformer-encoder-decoder`

    The encoder's positions see each other, all of them. The decoder sees what is written so far and the
    encoder's output, and never the token it is to predict or a later one.
    """

    @checked(
        vocabulary=at_least(1),
        d=at_least(1),
        heads=at_least(1),
        layers=at_least(1),
        norm=one_of(NORMS),
        position=one_of(("none", "sinusoidal", "relative", "rotary")),
        longest=at_least(1),
    )
    def __init__(
        self,
        vocabulary: int,
        d: int,
        heads: int,
        layers: int,
        generator: torch.Generator,
        norm: str = "pre",
        position: str = "sinusoidal",
        longest: int = 64,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.vocabulary, self.d, self.longest = vocabulary, d, longest
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.embedding, self.output = (
            nn.Parameter(normal_weights((vocabulary, d), scale, generator, **place))
            for scale in (1.0, 1 / math.sqrt(d))
        )
        options = (d, heads, 4 * d, generator, norm, position)
        self.encoder = nn.ModuleList(EncoderBlock(*options, **place) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderBlock(*options, **place) for _ in range(layers))
        ends = (nn.LayerNorm(d, **place) if norm == "pre" else nn.Identity() for _ in range(2))
        self.read, self.written = ends
        waves = sinusoidal(longest, d, **place) if position == "sinusoidal" else None
        self.register_buffer("waves", waves, persistent=False)

    @checked(source=tokens_below("{self.vocabulary}"))
    def encode(self, source: Int[Tensor, "B s"]) -> Float[Tensor, "B s d"]:
        """The memory: a vector for every token of the source, which has seen all the others."""
        x = self.embed(source, "source")
        for block in self.encoder:
            x = block(x)
        return self.read(x)

    @checked(target=tokens_below("{self.vocabulary}"))
    def decode(
        self, memory: Float[Tensor, "B s {self.d}"], target: Int[Tensor, "B t"]
    ) -> Float[Tensor, "B t v"]:
        """Logits of the token after each of the target's, given those up to it and the memory."""
        x = self.embed(target, "target")
        for block in self.decoder:
            x = block(x, memory)
        return self.written(x) @ self.output.T

    @checked
    def forward(self, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> Float[Tensor, "B t v"]:
        """Logits of each target token's successor, given the source."""
        return self.decode(self.encode(source), target)

    def embed(self, tokens: Int[Tensor, "B t"], name: str = "tokens") -> Float[Tensor, "B t d"]:
        """A vector for each token, and where it stands; ``name`` is what an error calls the tokens."""
        require(
            tokens.shape[1] <= self.longest, name, f"be at most {self.longest} tokens long", tokens.shape[1]
        )
        x = F.embedding(tokens.long(), self.embedding)
        waves = cast("Tensor | None", self.waves)
        return x if waves is None else x + waves[: tokens.shape[1]]


@checked(n=at_least(1), length=at_least(1))
def sorted_digits(n: int, length: int, generator: torch.Generator) -> Pairs:
    """Random digits, and the same digits in order."""
    source = _digits(n, length, generator)
    return source, source.sort(-1).values


@checked(n=at_least(1), length=at_least(1))
def reversed_digits(n: int, length: int, generator: torch.Generator) -> Pairs:
    """Random digits, and the same digits from back to front."""
    source = _digits(n, length, generator)
    return source, source.flip(-1)


def _digits(n: int, length: int, generator: torch.Generator) -> Tensor:
    return torch.randint(10, (n, length), generator=generator, device=generator.device)


@checked(target=tokens_below("{model.vocabulary}"))
def seq2seq_loss(
    model: EncoderDecoder, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats of every target token, given the source and the target tokens before it.

    L = −(1/T) Σₜ log p(yₜ | START, y₁, …, yₜ₋₁, x): the input is the target moved by one place
                                                                {eq}`eq-transformer-seq2seq-loss`
    """
    written = torch.cat([target.new_full((len(target), 1), START), target[:, :-1]], dim=1)
    return F.cross_entropy(model(source, written).flatten(0, 1), target.flatten().long())


@checked(length=at_least(1), steps=at_least(2), batch_size=at_least(1), learning_rate=above(0))
def fit_seq2seq(
    model: EncoderDecoder,
    task: Callable[[int, int, torch.Generator], Pairs],
    length: int,
    generator: torch.Generator,
    steps: int = 300,
    batch_size: int = 64,
    learning_rate: float = 3e-3,
    progress: bool | None = None,
) -> TrainingRun:
    """`fit_with_adam` on fresh examples of a task."""
    batches = examples(task, length, generator, batch_size, model.embedding.device)
    return fit_with_adam(
        model,
        lambda model, pair: seq2seq_loss(model, *pair),
        batches,
        steps,
        learning_rate,
        progress=progress,
    )


@torch.no_grad()
@checked(length=within(1, lambda seen: seen["model"].longest))
def greedy(model: EncoderDecoder, source: Int[Tensor, "B s"], length: int) -> Int[Tensor, "B {length}"]:
    """Write ``length`` tokens, each time the likeliest one given the source and what is written so far."""
    memory = model.encode(source)
    written = torch.full((len(source), 1), START, device=source.device)
    for _ in range(length):
        best = model.decode(memory, written)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, best], dim=1)
    return written[:, 1:]


@checked
def exact_match(model: EncoderDecoder, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> float:
    """The share of sources for which every token that `greedy` writes is right."""
    return float((greedy(model, source, target.shape[1]) == target).all(-1).double().mean())
