"""Looking for the likeliest sequence: all of them, one word at a time, or the best few at every step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.sequences.gates import ENGLISH, Translator

__all__ = ["Hypothesis", "beam_search", "exhaustive_search", "translator_steps"]

# A step takes the last word and the state of each sequence, and returns log p of every next word, n × V, and
# the new states. What a state is, only the step knows; its first axis counts sequences.
Step = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Hypothesis(NamedTuple):
    """A sequence without its first word, the logarithm of its probability, and what it is ranked by."""

    tokens: tuple[int, ...]
    log_p: float
    score: float


def one_start(ask: Ask, value: object) -> Tensor:
    """The state of a single sequence, numbers of any kind."""
    rule = "be a tensor of real, finite numbers with one row"
    tensor = value if isinstance(value, Tensor) else None
    ask.require(tensor is not None, rule, type(value).__name__)
    assert tensor is not None
    ask.require(not tensor.is_complex() and tensor.ndim >= 1 and len(tensor) == 1, rule, tuple(tensor.shape))
    ask.require(tensor.device.type == "meta" or bool(tensor.isfinite().all()), rule, "NaN or infinity")
    return tensor


@checked(
    state=one_start,
    first=at_least(0),
    width=at_least(1),
    length=at_least(1),
    end=at_least(0),
    alpha=at_least(0),
)
def beam_search(
    step: Step,
    state: Tensor,
    first: int,
    width: int,
    length: int,
    end: int | None = None,
    alpha: float = 0.0,
) -> list[Hypothesis]:
    """The best sequences found if only ``width`` are kept at each step, best first.

    Every kept sequence is continued by every word, and of all of these the best ``width`` stay. Ranked at the
    end by log p / (words)^alpha                                 {eq}`eq-decoding-normalised`
    """
    live, total = torch.full((1, 1), first), torch.zeros(1, dtype=torch.float64)
    found: list[Hypothesis] = []
    for t in range(1, length + 1):
        log_p, state = step(live[:, -1], state)
        extended = total[:, None] + log_p.double()
        total, best = extended.flatten().topk(min(width, extended.numel()))
        best, total = best[total > -math.inf], total[total > -math.inf]
        parent, word = best // log_p.shape[1], best % log_p.shape[1]
        live, state = torch.cat([live[parent], word[:, None]], dim=1), state[parent]
        stops = (
            (word == (-1 if end is None else end)) if t < length else torch.ones_like(word, dtype=torch.bool)
        )
        found += [_ranked(row[1:], log, alpha) for row, log in zip(live[stops], total[stops], strict=True)]
        live, state, total = live[~stops], state[~stops], total[~stops]
        done = max((one.log_p for one in found), default=-math.inf)
        if not len(live) or (alpha == 0 and done >= total[0]):  # a longer one is never likelier
            break
    return sorted(found, key=lambda one: -one.score)


@checked(state=one_start, first=at_least(0), length=at_least(1), end=at_least(0), alpha=at_least(0))
def exhaustive_search(
    step: Step,
    state: Tensor,
    first: int,
    length: int,
    end: int | None = None,
    alpha: float = 0.0,
) -> list[Hypothesis]:
    """All sequences that end, or have ``length`` words, best first: V^length of them without an end."""

    def below(words: tuple[int, ...], log_p: float, state: Tensor) -> list[Hypothesis]:
        if len(words) == length or (words and words[-1] == end):
            return [_ranked(torch.tensor(words), torch.tensor(log_p, dtype=torch.float64), alpha)]
        next_log_p, state = step(torch.tensor([words[-1] if words else first]), state)
        logs = next_log_p[0].tolist()
        return [one for w, more in enumerate(logs) for one in below((*words, w), log_p + more, state)]

    return sorted(below((), 0.0, state), key=lambda one: -one.score)


def _ranked(words: Tensor, log_p: Tensor, alpha: float) -> Hypothesis:
    return Hypothesis(tuple(words.tolist()), float(log_p), float(log_p) / len(words) ** alpha)


def one_sentence(ask: Ask, value: Tensor) -> Tensor:
    """One row of words."""
    ask.require(value.shape[0] == 1, "have one row, a sentence", tuple(value.shape))
    return tokens_below(str(len(ENGLISH)))(ask, value)


@checked(source=one_sentence)
def translator_steps(model: Translator, source: Int[Tensor, "B s"]) -> tuple[Step, Float[Tensor, "1 m"]]:
    """The decoder of a translator as a step for one source sentence, and its first state."""
    with torch.no_grad():
        encoded, mask = model.encode(source)

    @torch.no_grad()
    def step(words: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        n = len(words)
        require(n >= 1, "words", "have at least one entry", n)
        state = model.step(state, words, encoded.expand(n, -1, -1), mask.expand(n, -1))
        return model.output(state).log_softmax(-1), state

    return step, encoded[:, -1]
