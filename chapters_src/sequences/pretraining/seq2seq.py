"""Encoder and decoder: one sequence is read as a whole, another written from it token by token."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core import checks, progress, tensors
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.optimisation.search.schedules import warm_up_cosine_rate
from chapters_src.sequences.transformer.blocks import DecoderBlock, EncoderBlock
from chapters_src.sequences.transformer.positions import sinusoidal

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
Pairs = tuple[Int[Tensor, "n t"], Int[Tensor, "n t"]]


class EncoderDecoder(nn.Module):
    """p(y | x) = Πₜ p(yₜ | y₁, …, yₜ₋₁, encoder(x))                {eq}`eq-transformer-encoder-decoder`

    The encoder's positions see each other, all of them. The decoder sees what is written so far and the
    encoder's output, and never the token it is to predict or a later one.
    """

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
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = "EncoderDecoder"
        self.vocabulary = checks.integer(name, "vocabulary", vocabulary, at_least=1)
        d, self.layers = (checks.integer(name, k, v, at_least=1) for k, v in (("d", d), ("layers", layers)))
        self.longest = checks.integer(name, "longest", longest, at_least=1)
        self.position = tensors.one_of(
            name, "position", position, ("none", "sinusoidal", "relative", "rotary")
        )
        generator = tensors.generator(name, generator)
        place = {"device": device, "dtype": dtype}
        self.embedding = nn.Parameter(torch.empty(vocabulary, d, **place))
        self.output = nn.Parameter(torch.empty(vocabulary, d, **place))
        with torch.no_grad():
            self.embedding.normal_(0, 1, generator=generator)
            self.output.normal_(0, 1 / math.sqrt(d), generator=generator)
        options = (d, heads, 4 * d, generator, norm, position)
        self.encoder = nn.ModuleList(EncoderBlock(*options, **place) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderBlock(*options, **place) for _ in range(layers))
        ends = (nn.LayerNorm(d, **place) if norm == "pre" else nn.Identity() for _ in range(2))
        self.read, self.written = ends
        waves = sinusoidal(longest, d).to(**place) if position == "sinusoidal" else None
        self.register_buffer("waves", waves, persistent=False)

    def encode(self, source: Int[Tensor, "B s"]) -> Float[Tensor, "B s d"]:
        """The memory: a vector for every token of the source, which has seen all the others."""
        x = self.embed("source", source)
        for block in self.encoder:
            x = block(x)
        return self.read(x)

    def decode(self, memory: Float[Tensor, "B s d"], target: Int[Tensor, "B t"]) -> Float[Tensor, "B t v"]:
        """Logits of the token after each of the target's, given those up to it and the memory."""
        x = self.embed("target", target)
        for block in self.decoder:
            x = block(x, memory)
        return self.written(x) @ self.output.T

    def forward(self, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> Float[Tensor, "B t v"]:
        return self.decode(self.encode(source), target)

    def embed(self, name: str, tokens: Any) -> Tensor:
        """A vector for each token, and where it stands; ``name`` is what an error calls the tokens."""
        tokens = tensors.tokens("EncoderDecoder", name, tokens, 2, self.vocabulary)
        if tokens.shape[1] > self.longest:
            checks.fail("EncoderDecoder", name, f"be at most {self.longest} tokens long", tokens.shape[1])
        x = F.embedding(tokens.long(), self.embedding)
        waves = cast("Tensor | None", self.waves)
        return x if waves is None else x + waves[: tokens.shape[1]]


def sorted_digits(n: int, length: int, generator: torch.Generator) -> Pairs:
    """Random digits, and the same digits in order."""
    source = _digits("sorted_digits", n, length, generator)
    return source, source.sort(-1).values


def reversed_digits(n: int, length: int, generator: torch.Generator) -> Pairs:
    """Random digits, and the same digits from back to front."""
    source = _digits("reversed_digits", n, length, generator)
    return source, source.flip(-1)


def _digits(function: str, n: Any, length: Any, generator: Any) -> Tensor:
    n = checks.integer(function, "n", n, at_least=1)
    length = checks.integer(function, "length", length, at_least=1)
    generator = tensors.generator(function, generator)
    return torch.randint(10, (n, length), generator=generator, device=generator.device)


def seq2seq_loss(
    model: EncoderDecoder, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats of every target token, given the source and the target tokens before it.

    L = −(1/T) Σₜ log p(yₜ | START, y₁, …, yₜ₋₁, x): the input is the target moved by one place
                                                                {eq}`eq-transformer-seq2seq-loss`
    """
    if not isinstance(model, EncoderDecoder):
        checks.fail("seq2seq_loss", "model", "be an EncoderDecoder", tensors.outline(model))
    target = tensors.tokens("seq2seq_loss", "target", target, 2, model.vocabulary).long()
    written = torch.cat([target.new_full((len(target), 1), START), target[:, :-1]], dim=1)
    return F.cross_entropy(model(source, written).flatten(0, 1), target.flatten())


def fit_seq2seq(
    model: EncoderDecoder,
    task: Callable[[int, int, torch.Generator], Pairs],
    length: int,
    generator: torch.Generator,
    steps: int = 300,
    batch_size: int = 64,
    learning_rate: float = 3e-3,
    show: bool | None = None,
) -> Float[Tensor, "{steps}"]:
    """Train in place with Adam on fresh examples of a task; return the loss of every batch."""
    name = "fit_seq2seq"
    if not isinstance(model, EncoderDecoder):
        checks.fail(name, "model", "be an EncoderDecoder", tensors.outline(model))
    if not callable(task):
        checks.fail(name, "task", "be a function of n, length and generator", tensors.outline(task))
    steps = checks.integer(name, "steps", steps, at_least=2)
    rate = checks.number(name, "learning_rate", learning_rate, above=0)
    losses = torch.zeros(steps, device=model.embedding.device)
    adam = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    for step in progress.bar(range(steps), "training", show=show):
        adam.param_groups[0]["lr"] = warm_up_cosine_rate(step, rate, max(steps // 10, 1), steps)
        source, target = (one.to(losses.device) for one in task(batch_size, length, generator))
        adam.zero_grad()
        loss = seq2seq_loss(model, source, target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        losses[step] = loss.detach()
    return losses


@torch.no_grad()
def greedy(model: EncoderDecoder, source: Int[Tensor, "B s"], length: int) -> Int[Tensor, "B {length}"]:
    """Write ``length`` tokens, each time the likeliest one given the source and what is written so far."""
    if not isinstance(model, EncoderDecoder):
        checks.fail("greedy", "model", "be an EncoderDecoder", tensors.outline(model))
    length = checks.integer("greedy", "length", length, at_least=1, at_most=model.longest)
    memory = model.encode(source)
    written = torch.full((len(source), 1), START, device=source.device)
    for _ in range(length):
        best = model.decode(memory, written)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, best], dim=1)
    return written[:, 1:]


def exact_match(model: EncoderDecoder, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> float:
    """The share of sources for which every token that `greedy` writes is right."""
    target = tensors.tokens("exact_match", "target", target, 2)
    return float((greedy(model, source, target.shape[1]) == target).all(-1).double().mean())
