"""Training a GPT on one long text: batches of windows, AdamW, a rate that rises and falls, and a record."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core import checks, progress, tensors
from chapters_src.core.shapes import Int, Tensor
from chapters_src.optimisation.search.schedules import warm_up_cosine_rate
from chapters_src.sequences.language_model.gpt import GPT, next_token_loss

__all__ = ["Evaluation", "Recipe", "Run", "bits_per_character", "one_pass", "total_nats", "windows"]

Evaluation = tuple[int, float, float]  # steps done, seconds of training, what was measured


@dataclass(frozen=True)
class Recipe:
    """How long and how fast to train: windows of ``length`` tokens and one to predict, ``batch_size`` a step.

    Matrices are shrunk by ``weight_decay``, biases and norms are not. Gradients longer than ``clip`` are cut.
    """

    steps: int
    batch_size: int = 16
    length: int = 64
    learning_rate: float = 3e-3
    warm_up: int = 50
    weight_decay: float = 0.1
    beta_2: float = 0.95
    clip: float = 1.0

    def __post_init__(self) -> None:
        for name in ("batch_size", "length", "warm_up"):
            checks.integer("Recipe", name, getattr(self, name), at_least=1)
        checks.integer("Recipe", "steps", self.steps, at_least=self.warm_up + 1)
        for name in ("learning_rate", "clip"):
            checks.number("Recipe", name, getattr(self, name), above=0)
        checks.number("Recipe", "weight_decay", self.weight_decay, at_least=0)
        checks.number("Recipe", "beta_2", self.beta_2, above=0, below=1)

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        return warm_up_cosine_rate(step, self.learning_rate, self.warm_up, self.steps)


def one_pass(n: int, length: int, generator: torch.Generator) -> Int[Tensor, "m"]:
    """Where the windows of one pass over a text of n tokens begin: side by side, in random order.

    The first begins at a random place, so that the next pass cuts the text elsewhere. Each window has
    ``length`` tokens and the one after it, which is the last to be predicted.
    """
    n = checks.integer("one_pass", "n", n, at_least=2)
    length = checks.integer("one_pass", "length", length, at_least=1, at_most=n - 1)
    generator = tensors.generator("one_pass", generator)
    first = int(torch.randint(min(length, n - length), (1,), generator=generator, device=generator.device))
    count = (n - 1 - first) // length
    return first + length * torch.randperm(count, generator=generator, device=generator.device)


def windows(
    tokens: Int[Tensor, "n"], count: int, length: int, generator: torch.Generator
) -> Int[Tensor, "{count} {length}"]:
    """So many stretches of the text, from places drawn at random."""
    tokens = tensors.tokens("windows", "tokens", tokens, 1)
    count = checks.integer("windows", "count", count, at_least=1)
    length = checks.integer("windows", "length", length, at_least=1)
    if length > len(tokens):
        checks.fail("windows", "length", f"be at most {len(tokens)}, all tokens there are", length)
    generator = tensors.generator("windows", generator)
    places = len(tokens) - length + 1
    starts = torch.randint(places, (count,), generator=generator, device=tokens.device)
    return _at(tokens, starts, length)


class Run:
    """A training under way: model, AdamW, the steps done, the generator of batches, and the record so far.

    Batches go through the text pass by pass, so that all of it is seen before anything is seen again.
    Everything that decides what comes next is in here, so that a run can be saved and taken up again.
    """

    def __init__(self, model: GPT, recipe: Recipe, generator: torch.Generator) -> None:
        if not isinstance(model, GPT):
            checks.fail("Run", "model", "be a GPT", tensors.outline(model))
        if not isinstance(recipe, Recipe):
            checks.fail("Run", "recipe", "be a Recipe", tensors.outline(recipe))
        if recipe.length > model.config.context:
            checks.fail("Run", "recipe", f"have a length of at most {model.config.context}", recipe.length)
        self.model, self.recipe = model, recipe
        self.generator = tensors.generator("Run", generator)
        self.step, self.seconds = 0, 0.0
        self.queue = torch.empty(0, dtype=torch.long)  # where the windows begin that are left of this pass
        self.evaluations: list[Evaluation] = []
        self.losses = torch.zeros(recipe.steps, device=model.embedding.device)  # nats per token, step by step
        self.optimiser = _adam_w(model, recipe)

    def train(
        self,
        tokens: Int[Tensor, "n"],
        until: int | None = None,
        every: int | None = None,
        evaluate: Callable[[GPT], float] | None = None,
        show: bool | None = None,
    ) -> Run:
        """Take steps up to step ``until`` (all, unless given); measure each time ``every`` steps are done.

        Seconds are those of the steps alone. The loss of each batch is noted before its step.
        """
        last = self.recipe.steps
        until = (
            last if until is None else checks.integer("Run.train", "until", until, at_least=0, at_most=last)
        )
        if every is not None:
            every = checks.integer("Run.train", "every", every, at_least=1)
        if (every is None) != (evaluate is None):
            checks.fail("Run.train", "every", "be given together with evaluate", every)
        tokens = tensors.tokens("Run.train", "tokens", tokens, 1, self.model.config.vocabulary)
        begun = time.perf_counter()
        for step in progress.bar(range(self.step, until), "training", show=show):
            self._take(step, tokens)
            self.step = step + 1
            if every is not None and evaluate is not None and (self.step % every == 0 or self.step == last):
                self.seconds += time.perf_counter() - begun
                self.evaluations.append((self.step, self.seconds, evaluate(self.model)))
                begun = time.perf_counter()
        self.seconds += time.perf_counter() - begun
        return self

    def _take(self, step: int, tokens: Tensor) -> None:
        recipe, noise = self.recipe, self.generator if self.model.config.dropout else None
        for group in self.optimiser.param_groups:
            group["lr"] = recipe.rate(step)
        while len(self.queue) < recipe.batch_size:
            self.queue = torch.cat([self.queue, one_pass(len(tokens), recipe.length, self.generator).cpu()])
        starts, self.queue = self.queue[: recipe.batch_size], self.queue[recipe.batch_size :]
        batch = _at(tokens, starts.to(tokens.device), recipe.length + 1)
        self.optimiser.zero_grad()
        loss = next_token_loss(self.model, batch, noise)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), recipe.clip)
        self.optimiser.step()
        self.losses[step] = loss.detach()


def _at(tokens: Tensor, starts: Tensor, length: int) -> Tensor:
    """The stretches that begin there, one a row."""
    return tokens[starts[:, None] + torch.arange(length, device=tokens.device)]


def _adam_w(model: GPT, recipe: Recipe) -> torch.optim.AdamW:
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": recipe.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    one_pass = model.embedding.device.type in ("cpu", "cuda")  # elsewhere torch has no fused version
    return torch.optim.AdamW(groups, recipe.learning_rate, (0.9, recipe.beta_2), fused=one_pass)


@torch.no_grad()
def total_nats(
    model: GPT, tokens: Int[Tensor, "n"], start: int = 1, stride: int | None = None, at_once: int = 32
) -> float:
    """The cost of all tokens from ``start`` on, each counted once and predicted from those before it.

    Σᵢ −log p(tokenᵢ | as many before it as there is room for),  i = start, …, n − 1

    A window moves by ``stride`` (half the context unless given) and only its newest predictions count. So
    every token has at least context − stride tokens before it, save at the beginning of the text.
    """
    if not isinstance(model, GPT):
        checks.fail("total_nats", "model", "be a GPT", tensors.outline(model))
    context = model.config.context
    tokens = tensors.tokens("total_nats", "tokens", tokens, 1, model.config.vocabulary)
    start = checks.integer("total_nats", "start", start, at_least=1, at_most=len(tokens) - 1)
    stride = max(context // 2, 1) if stride is None else stride
    stride = checks.integer("total_nats", "stride", stride, at_least=1, at_most=context)
    at_once = checks.integer("total_nats", "at_once", at_once, at_least=1)
    pieces = []  # first and last token of each window, and how many of its predictions count
    for first in range(start, len(tokens), stride):
        end = min(first + stride, len(tokens))
        pieces.append((max(end - 1 - context, 0), end, end - first))
    total, at = 0.0, 0
    while at < len(pieces):  # windows of one length go together
        size, counted = pieces[at][1] - pieces[at][0], pieces[at][2]
        same = [p for p in pieces[at : at + at_once] if (p[1] - p[0], p[2]) == (size, counted)]
        batch = torch.stack([tokens[begin:end] for begin, end, _ in same]).long()
        logits = model(batch[:, :-1])[:, -counted:]
        total += float(F.cross_entropy(logits.flatten(0, 1), batch[:, -counted:].flatten(), reduction="sum"))
        at += len(same)
    return total


def bits_per_character(
    model: GPT, before: Int[Tensor, "m"], held_out: Int[Tensor, "n"], characters: int
) -> float:
    """What the model pays for a held-out text, in bits for each of its characters.

    bits per character = nats of all its tokens / (log 2 · characters)       {eq}`eq-transformer-bits`

    ``before`` is the text in front of it, and serves as context only. Tokens may be of any length: what
    they cost together is divided by the same characters for every way to cut the text up.
    """
    before = tensors.tokens("bits_per_character", "before", before, 1)
    held_out = tensors.tokens("bits_per_character", "held_out", held_out, 1)
    characters = checks.integer("bits_per_character", "characters", characters, at_least=1)
    if not isinstance(model, GPT):
        checks.fail("bits_per_character", "model", "be a GPT", tensors.outline(model))
    near = before[-model.config.context :]
    nats = total_nats(model, torch.cat([near, held_out]), start=len(near))
    return nats / math.log(2) / characters
