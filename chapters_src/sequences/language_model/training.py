"""Training a GPT on one long text: batches of windows, AdamW, a rate that rises and falls, and a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, Limits, above, at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.training import TrainingRun, train, unwrapped
from chapters_src.optimisation.search import warm_up_cosine_rate
from chapters_src.sequences.language_model.gpt import GPT, gpt, known_tokens, next_token_loss

__all__ = ["Evaluation", "Recipe", "Run", "one_pass", "windows"]

Evaluation = tuple[int, float, float]  # steps done, seconds of training, what was measured


@checked(
    steps=at_least(2),
    batch_size=at_least(1),
    length=at_least(1),
    learning_rate=above(0),
    warm_up=at_least(1),
    weight_decay=at_least(0),
    beta_2=Limits(above=0, below=1),
    clip=above(0),
)
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
        require(self.steps > self.warm_up, "steps", f"be at least {self.warm_up + 1}", self.steps)

    @checked(step=at_least(0))
    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        return warm_up_cosine_rate(step, self.learning_rate, self.warm_up, self.steps)


@checked(n=at_least(2), length=within(1, lambda seen: seen["n"] - 1))
def one_pass(n: int, length: int, generator: torch.Generator) -> Int[Tensor, "m"]:
    """Where the windows of one pass over a text of n tokens begin: side by side, in random order.

    The first begins at a random place, so that the next pass cuts the text elsewhere. Each window has
    ``length`` tokens and the one after it, which is the last to be predicted.
    """
    first = int(torch.randint(min(length, n - length), (1,), generator=generator, device=generator.device))
    count = (n - 1 - first) // length
    return first + length * torch.randperm(count, generator=generator, device=generator.device)


@checked(count=at_least(1), length=within(1, lambda seen: len(seen["tokens"])))
def windows(
    tokens: Int[Tensor, "n"], count: int, length: int, generator: torch.Generator
) -> Int[Tensor, "{count} {length}"]:
    """So many stretches of the text, from places drawn at random."""
    places = len(tokens) - length + 1
    starts = torch.randint(places, (count,), generator=generator, device=generator.device)
    return _at(tokens, starts.to(tokens.device), length)


def its_tokens(ask: Ask, value: Any) -> Tensor:
    """Tokens that the model of this run knows."""
    ask.arguments["model"] = ask.arguments["self"].model
    return known_tokens(ask, value)


class Run:
    """A training under way: model, AdamW, the generator of batches, and the record so far.

    Batches go through the text pass by pass, so that all of it is seen before anything is seen again.
    Everything that decides what comes next is in here, so that a run can be saved and taken up again.
    """

    @checked(model=gpt)
    def __init__(self, model: Any, recipe: Recipe, generator: torch.Generator) -> None:
        context = unwrapped(model).config.context
        require(recipe.length <= context, "recipe", f"have a length of at most {context}", recipe.length)
        self.model, self.recipe, self.generator = model, recipe, generator
        self.queue = torch.empty(0, dtype=torch.long)  # where the windows begin that are left of this pass
        self.record = TrainingRun(_adam_w(model, recipe))
        self.evaluations: list[Evaluation] = []

    @property
    def step(self) -> int:
        """How many steps were taken."""
        return self.record.step

    @property
    def seconds(self) -> float:
        """Seconds of the steps alone."""
        return self.record.seconds

    @property
    def losses(self) -> Float[Tensor, "steps"]:
        """Nats per token of each batch, before its step."""
        return self.record.losses

    @checked(tokens=its_tokens, until=within(0, lambda seen: seen["self"].recipe.steps), every=at_least(1))
    def train(
        self,
        tokens: Int[Tensor, "n"],
        until: int | None = None,
        every: int | None = None,
        evaluate: Callable[[GPT], float] | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Take steps up to step ``until`` (all, unless given); measure each time ``every`` steps are done."""
        recipe = self.recipe
        require((every is None) == (evaluate is None), "every", "be given together with evaluate", every)

        def measure(record: TrainingRun) -> None:
            if every and evaluate and (record.step % every == 0 or record.step == recipe.steps):
                self.evaluations.append((record.step, record.seconds, evaluate(self.model)))

        train(
            self.model,
            self._loss,
            self._batches(tokens),
            self.record.optimiser,
            recipe.steps if until is None else until,
            rate=recipe.rate,
            clip=recipe.clip,
            after=measure,
            run=self.record,
            progress=progress,
        )
        return self

    def _loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        dropping = unwrapped(model).config.dropout > 0
        return next_token_loss(model, batch, self.generator if dropping else None)

    def _batches(self, tokens: Tensor) -> Iterator[Tensor]:
        size, length = self.recipe.batch_size, self.recipe.length
        while True:
            while len(self.queue) < size:
                self.queue = torch.cat([self.queue, one_pass(len(tokens), length, self.generator).cpu()])
            starts, self.queue = self.queue[:size], self.queue[size:]
            yield _at(tokens, starts.to(tokens.device), length + 1)


def _at(tokens: Tensor, starts: Tensor, length: int) -> Tensor:
    """The stretches that begin there, one a row."""
    return tokens[starts[:, None] + torch.arange(length, device=tokens.device)]


def _adam_w(model: nn.Module, recipe: Recipe) -> torch.optim.AdamW:
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": recipe.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    fused = matrices[0].device.type in ("cpu", "cuda")  # elsewhere torch has no version in one pass
    return torch.optim.AdamW(groups, recipe.learning_rate, (0.9, recipe.beta_2), fused=fused)
