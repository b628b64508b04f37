"""A model that learns from its prompt: a description, solved examples, a question, no step of training."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import like, like_weights
from chapters_src.sequences.transformer import EncoderBlock

__all__ = ["InContext", "Tasks", "best_guess", "few_shot_mask", "in_context_loss", "random_lines"]

SLOPE_SPREAD, NOISE = 0.5, 0.2  # of the slope around ±1, and of y around the line; the offset is N(0, 1)


class Tasks(NamedTuple):
    """Prompts, a row each: m solved examples, m + 1 questions with their answers, and a description.

    ``direction`` is 1 for "rising", −1 for "falling", and 0 where nothing is said.
    """

    x: Float[Tensor, "n m"]
    y: Float[Tensor, "n m"]
    asked: Float[Tensor, "n q"]
    answer: Float[Tensor, "n q"]
    direction: Float[Tensor, "n"]


@checked(n=at_least(1), m=at_least(1))
def random_lines(n: int, m: int, generator: torch.Generator, steepness: float = 1.0) -> Tasks:
    """A line of its own for each prompt, rising or falling; half of the prompts are told which.

    y = a + bx + ε,  a ~ N(0, 1),  b ~ N(±steepness, 0.5²),  ε ~ N(0, 0.2²),  x uniform on [−2, 2]
    """
    place: dict[str, Any] = {"generator": generator, "device": generator.device}
    sign = 1.0 - 2 * torch.randint(2, (n, 1), **place)
    direction = sign * torch.randint(2, (n, 1), **place)
    a, b = torch.randn(n, 1, **place), steepness * sign + SLOPE_SPREAD * torch.randn(n, 1, **place)
    x = 4 * torch.rand(n, 2 * m + 1, **place) - 2
    y = a + b * x + NOISE * torch.randn(n, 2 * m + 1, **place)
    return Tasks(x[:, :m], y[:, :m], x[:, m:], y[:, m:], direction[:, 0])


@checked(m=at_least(1))
def few_shot_mask(m: int, device: Device = None) -> Bool[Tensor, "1 t t"]:
    """Who sees whom: question k sees the description, the first k examples and itself, and no other question.

    So one pass answers m + 1 prompts at once, with 0, 1, …, m examples.
    """
    kind = torch.arange(2 * m + 2, device=device)  # 0 the description, 1…m examples, the rest questions
    shown = torch.where(kind <= m, kind, kind - m - 1)  # how many examples a row may see
    return ((kind <= shown[:, None]) | (kind == kind[:, None]))[None]


class InContext(nn.Module):
    """A transformer over a description, examples (x, y) and questions (x, ?); it answers every question.

    Nothing says where an example stands in the prompt, because their order does not matter.
    """

    @checked(d=at_least(1), heads=at_least(1), layers=at_least(1))
    def __init__(
        self,
        d: int,
        heads: int,
        layers: int,
        generator: torch.Generator,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.read = linear(5, d, generator, **place)
        self.blocks = nn.ModuleList(EncoderBlock(d, heads, 4 * d, generator, **place) for _ in range(layers))
        self.last, self.write = nn.LayerNorm(d, **place), linear(d, 1, generator, **place)

    @checked(x=like_weights, y=like_weights, asked=like_weights, direction=like_weights)
    def forward(
        self,
        x: Float[Tensor, "n m"],
        y: Float[Tensor, "n m"],
        asked: Float[Tensor, "n m+1"],
        direction: Float[Tensor, "n"],
    ) -> Float[Tensor, "n m+1"]:
        """What is answered to question k after k examples, k = 0, …, m."""
        none, one = torch.zeros_like, torch.ones_like
        empty = none(direction)
        description = torch.stack([empty, empty, direction, empty, empty], -1)[:, None]
        examples = torch.stack([x, y, none(x), one(x), none(x)], -1)
        questions = torch.stack([asked, none(asked), none(asked), none(asked), one(asked)], -1)
        h = self.read(torch.cat([description, examples, questions], 1))
        mask = few_shot_mask(x.shape[1], device=x.device)
        for block in self.blocks:
            h = block(h, mask)
        return self.write(self.last(h[:, -asked.shape[1] :]))[..., 0]


@checked
def in_context_loss(model: InContext, tasks: Tasks) -> Float[Tensor, ""]:
    """Mean squared error over all questions: a new task in every row, so no task can be learned by heart."""
    return (model(tasks.x, tasks.y, tasks.asked, tasks.direction) - tasks.answer).square().mean()


@checked(y=like("x"), asked=like("x"), direction=like("x"))
def best_guess(
    x: Float[Tensor, "n m"],
    y: Float[Tensor, "n m"],
    asked: Float[Tensor, "n m+1"],
    direction: Float[Tensor, "n"],
) -> Float[Tensor, "n m+1"]:
    """The mean of the answer to question k, given k examples and the description: nobody can do better.

    For a known direction s the line is Gaussian, and its posterior mean is linear in y. Where the direction
    is not told, both are weighted by how probable they make the examples.
    """
    return torch.stack([_after(x[:, :k], y[:, :k], asked[:, k], direction) for k in range(asked.shape[1])], 1)


def _after(x: Tensor, y: Tensor, asked: Tensor, direction: Tensor) -> Tensor:
    both = lambda points: torch.stack([torch.ones_like(points), points], -1)  # noqa: E731
    X, spread = both(x), torch.diag(x.new_tensor([1.0, SLOPE_SPREAD**2]))  # (n, k, 2), (2, 2)
    C = X @ spread @ X.mT + NOISE**2 * torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    guesses, weights = [], []
    for s in (1.0, -1.0):
        off = (y - s * x)[..., None]  # how far the examples lie from what is expected of them
        scaled = torch.linalg.solve(C, off)
        line = x.new_tensor([[0.0], [s]]) + spread @ X.mT @ scaled
        guesses.append((both(asked)[:, None] @ line)[:, 0, 0])
        weights.append((-(off * scaled).sum((1, 2)) / 2).masked_fill(direction == -s, -torch.inf))
    return (torch.stack(weights).softmax(0) * torch.stack(guesses)).sum(0)
