"""Encoder and decoder: one network reads a sentence into a vector, another writes from it."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear, normal_weights
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Bool, Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.core.training import TrainingRun
from chapters_src.sequences.gates.fitting import Pairs, examples, fit_with_adam
from chapters_src.sequences.gates.layers import GRU
from chapters_src.sequences.gates.translation import (
    BOS,
    ENGLISH,
    EOS,
    PAD,
    SPANISH,
    sentence_pairs,
)

__all__ = [
    "Translator",
    "accuracy_by_phrases",
    "fit_translator",
    "translation_loss",
    "translations",
]


class Translator(nn.Module):
    """p(y | x) = Πₜ p(yₜ | y₁, …, yₜ₋₁, x) with an encoder and a decoder, both GRUs.

    hₜ = f(hₜ₋₁, xₜ),  sₜ = ψ(sₜ₋₁, yₜ₋₁, c),  c = h_T,  s₀ = h_T               {eq}`eq-gates-encoder-decoder`

    Where c comes from is one method, `context`, so that another model can put something else there.
    """

    @checked(m=at_least(1), d=at_least(1))
    def __init__(
        self, m: int, generator: torch.Generator, d: int = 16, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.m, self.d = m, d
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.read_table, self.write_table = (
            nn.Parameter(normal_weights((len(words), d), 1.0, generator, **place))
            for words in (ENGLISH, SPANISH)
        )
        self.encoder = GRU(d, m, generator, **place)
        self.decoder = GRU(d + m, m, generator, **place)
        self.output = linear(m, len(SPANISH), generator, **place)

    @checked(source=tokens_below(str(len(ENGLISH))))
    def encode(self, source: Int[Tensor, "B s"]) -> tuple[Float[Tensor, "B s m"], Bool[Tensor, "B s"]]:
        """The encoder's state after each word, and which words are real; a PAD leaves the state as it is."""
        mask = source != PAD
        return self.encoder(F.embedding(source, self.read_table), mask=mask), mask

    def context(
        self, state: Float[Tensor, "B m"], encoded: Float[Tensor, "B s m"], mask: Bool[Tensor, "B s"]
    ) -> Float[Tensor, "B m"]:
        """What the decoder is told of the source before it writes a word: here always the last state, h_T."""
        return encoded[:, -1]

    def step(
        self, state: Tensor, word: Int[Tensor, "B"], encoded: Tensor, mask: Tensor
    ) -> Float[Tensor, "B m"]:
        """The decoder's next state, from its last one, the word before and the context."""
        y = F.embedding(word, self.write_table)
        return self.decoder.step(torch.cat([y, self.context(state, encoded, mask)], dim=-1), state).h

    @checked(target=tokens_below(str(len(SPANISH))))
    def forward(self, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]) -> Float[Tensor, "B t v"]:
        """Logits of the word after each of the target's, given the source and the words up to it."""
        encoded, mask = self.encode(source)
        state, states = encoded[:, -1], []
        for word in target.unbind(1):
            state = self.step(state, word, encoded, mask)
            states.append(state)
        return self.output(torch.stack(states, dim=1))


@checked(target=tokens_below(str(len(SPANISH))))
def translation_loss(
    model: Translator, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats of the target's words, given the true ones before; PAD does not count.

    L = −(1/T′) Σₜ log p(yₜ | y₁, …, yₜ₋₁, x): teacher forcing                   {eq}`eq-gates-teacher`
    """
    logits = model(source, target[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)


@checked(phrases=at_least(1), steps=at_least(2), batch_size=at_least(1), learning_rate=above(0))
def fit_translator(
    model: Translator,
    generator: torch.Generator,
    phrases: int = 4,
    steps: int = 500,
    batch_size: int = 64,
    learning_rate: float = 1e-2,
    progress: bool | None = None,
) -> TrainingRun:
    """`fit_with_adam` on fresh sentences; for each batch the number of nouns is drawn, up to ``phrases``."""
    batches = examples(any_length, phrases, generator, batch_size, model.read_table.device)
    loss = lambda model, pair: translation_loss(model, *pair)  # noqa: E731
    return fit_with_adam(model, loss, batches, steps, learning_rate, progress=progress)


def any_length(n: int, phrases: int, generator: torch.Generator) -> Pairs:
    """Sentence pairs of one number of nouns, drawn from 1 to ``phrases``."""
    return sentence_pairs(n, 1 + int(torch.randint(phrases, (1,), generator=generator)), generator)


@torch.no_grad()
@checked(length=at_least(1))
def translations(
    model: Translator, source: Int[Tensor, "B s"], length: int = 24
) -> Int[Tensor, "B {length}"]:
    """Write ``length`` words, each time the likeliest given those written so far; after an EOS comes PAD."""
    encoded, mask = model.encode(source)
    state, word = encoded[:, -1], torch.full_like(source[:, 0], BOS)
    written, goes_on = [], torch.ones_like(word, dtype=torch.bool)
    for _ in range(length):
        state = model.step(state, word, encoded, mask)
        word = torch.where(goes_on, model.output(state).argmax(-1), PAD)
        goes_on = goes_on & (word != EOS)
        written.append(word)
    return torch.stack(written, dim=1)


@checked(n=at_least(1), phrases=at_least(1))
def accuracy_by_phrases(model: Translator, n: int, phrases: int, generator: torch.Generator) -> list[float]:
    """The share of ``n`` fresh sentences that are right to the last word, with 1, 2, …, ``phrases`` nouns."""
    shares = []
    for k in range(1, phrases + 1):
        source, target = (one.to(model.read_table.device) for one in sentence_pairs(n, k, generator))
        right = translations(model, source, target.shape[1] - 1) == target[:, 1:]
        shares.append(float(right.all(-1).double().mean()))
    return shares
