"""What a model pays for a text: every token counted once, and the same bits however the text is cut."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Int, Tensor
from chapters_src.sequences.language_model.gpt import GPT, known_tokens

__all__ = ["bits_per_character", "total_nats"]


@torch.no_grad()
@checked(
    tokens=known_tokens,
    start=within(1, lambda seen: len(seen["tokens"]) - 1),
    stride=within(1, lambda seen: seen["model"].config.context),
    at_once=at_least(1),
)
def total_nats(
    model: GPT, tokens: Int[Tensor, "n"], start: int = 1, stride: int | None = None, at_once: int = 32
) -> float:
    """The cost of all tokens from ``start`` on, each counted once and predicted from those before it.

    Σᵢ −log p(tokenᵢ | as many before it as there is room for),  i = start, …, n − 1

    A window moves by ``stride`` (half the context unless given) and only its newest predictions count. So
    every token has at least context − stride tokens before it, save at the beginning of the text.
    """
    context = model.config.context
    stride = max(context // 2, 1) if stride is None else stride
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


@checked(before=known_tokens, held_out=known_tokens, characters=at_least(1))
def bits_per_character(
    model: GPT, before: Int[Tensor, "m"], held_out: Int[Tensor, "n"], characters: int
) -> float:
    """What the model pays for a held-out text, in bits for each of its characters.

    bits per character = nats of all its tokens / (log 2 · characters)       {eq}`eq-language-model-bits`

    ``before`` is the text in front of it, and serves as context only. Tokens may be of any length: what
    they cost together is divided by the same characters for every way to cut the text up.
    """
    near = before[-model.config.context :]
    nats = total_nats(model, torch.cat([near, held_out]), start=len(near))
    return nats / math.log(2) / characters
