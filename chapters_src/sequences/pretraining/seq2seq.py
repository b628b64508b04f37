"""Encoder and decoder: one sequence is read as a whole, another written from it token by token."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Bool, Float, Int, Tensor
from chapters_src.core.tensor_readers import like_weights, tokens_below
from chapters_src.core.training import TrainingRun
from chapters_src.sequences.gates import Pairs, examples, fit_with_adam
from chapters_src.sequences.transformer import NORMS, DecoderBlock, EncoderBlock, sinusoidal

__all__ = [
    "START",
    "EncoderDecoder",
    "exact_match",
    "fit_seq2seq",
    "greedy",
    "real_tokens",
    "seq2seq_loss",
    "sorted_lists",
]

START = 10  # stands in front of what is written and fills short rows up; before it come the ten digits


class EncoderDecoder(nn.Module):
    """p(y | x) = Πₜ p(yₜ | y₁, …, yₜ₋₁, encoder(x))                {eq}`eq-pretraining-encoder-decoder`

    The encoder's positions see each other, all but those that only fill a row up. The decoder sees what is
    written so far and the encoder's output, and never the token it is to predict or a later one.
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
        real = real_tokens(source)
        x = self.embed(source, "source")
        for block in self.encoder:
            x = block(x, real)
        return self.read(x)

    @checked(memory=like_weights, target=tokens_below("{self.vocabulary}"))
    def decode(
        self,
        memory: Float[Tensor, "B s {self.d}"],
        target: Int[Tensor, "B t"],
        real: Bool[Tensor, "B 1 s"] | None = None,
    ) -> Float[Tensor, "B t v"]:
        """Logits of the token after each of the target's; ``real`` says which rows of the memory count."""
        x = self.embed(target, "target")
        for block in self.decoder:
            x = block(x, memory, memory_mask=real)
        return self.written(x) @ self.output.T

    @checked
    def forward(self, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> Float[Tensor, "B t v"]:
        """Logits of each target token's successor, given the source."""
        return self.decode(self.encode(source), target, real_tokens(source))

    def embed(self, tokens: Int[Tensor, "B t"], name: str = "tokens") -> Float[Tensor, "B t d"]:
        """A vector for each token, and where it stands; ``name`` is what an error calls the tokens."""
        require(
            tokens.shape[1] <= self.longest, name, f"be at most {self.longest} tokens long", tokens.shape[1]
        )
        x = F.embedding(tokens.long(), self.embedding)
        waves = cast("Tensor | None", self.waves)
        return x if waves is None else x + waves[: tokens.shape[1]]


@checked
def real_tokens(source: Int[Tensor, "B s"]) -> Bool[Tensor, "B 1 s"]:
    """Which tokens may be looked at: all but the filling. A row of filling alone is refused on the CPU."""
    real = source != START
    if source.device.type == "cpu" and not bool(real.any(-1).all()):
        refuse("source", f"have a token other than {START}, the filling, in every row", "a row without one")
    return real[:, None]


@checked(n=at_least(1), length=at_least(2))
def sorted_lists(n: int, length: int, generator: torch.Generator) -> Pairs:
    """Lists of 2 to ``length`` digits, filled up with START, and the same digits in order."""
    source, where = _digits(n, length, generator), generator.device
    lengths = torch.randint(2, length + 1, (n, 1), generator=generator, device=where)
    source = source.masked_fill(torch.arange(length, device=where) >= lengths, START)
    return source, source.sort(-1).values  # START is above every digit and stays at the end


def _digits(n: int, length: int, generator: torch.Generator) -> Tensor:
    return torch.randint(10, (n, length), generator=generator, device=generator.device)


@checked(target=tokens_below("{model.vocabulary}"))
def seq2seq_loss(
    model: EncoderDecoder, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats of every target token, given the source and the target tokens before it.

    L = −(1/T) Σₜ log p(yₜ | START, y₁, …, yₜ₋₁, x): the input is the target moved by one place
                                                                {eq}`eq-pretraining-seq2seq-loss`

    What only fills a target up is left out; without any target the loss is 0.
    """
    written = torch.cat([target.new_full((len(target), 1), START), target[:, :-1]], dim=1)
    logits, counts = model(source, written).transpose(1, 2), target != START
    each = F.cross_entropy(logits, target.long(), reduction="none")  # (B, t)
    return (each * counts).sum() / counts.sum().clamp(min=1)


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
    memory, real = model.encode(source), real_tokens(source)
    written = torch.full((len(source), 1), START, device=source.device)
    for _ in range(length):
        best = model.decode(memory, written, real)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, best], dim=1)
    return written[:, 1:]


@checked
def exact_match(model: EncoderDecoder, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> float:
    """The share of sources for which every token that `greedy` writes is right, filling left aside."""
    right = greedy(model, source, target.shape[1]) == target
    return float((right | (target == START)).all(-1).double().mean())
