"""Readers of tensors that go with another argument: tokens of a vocabulary, the same device or type."""

from __future__ import annotations

import functools
from typing import Any

import torch

from chapters_src.core.readers import Ask, Reader

__all__ = ["beside", "joins", "like", "like_weights", "like_weights_of", "over_pairs", "tokens_below"]


def tokens_below(vocabulary: str) -> Reader:
    """Tokens from 0 to below a number that another argument has, such as "{self.vocabulary}".

    They are looked at on the CPU alone: elsewhere that would wait for the device.
    """

    def tokens(ask: Ask, value: torch.Tensor) -> torch.Tensor:
        top = int(vocabulary.format_map(ask.arguments)) - 1
        if value.device.type == "cpu":
            low, high = (int(one) for one in value.aminmax())
            ask.require(low >= 0 and high <= top, f"hold tokens from 0 to {top}", f"{low} to {high}")
        return value

    return tokens


def beside(other: str) -> Reader:
    """A tensor on the device of another argument."""

    def neighbour(ask: Ask, value: torch.Tensor) -> torch.Tensor:
        place = ask.arguments[other].device
        ask.require(value.device == place, f"be on {place}, as {other} is", value.device)
        return value

    return neighbour


def like(other: str) -> Reader:
    """A tensor of the type and on the device of another argument, or of what one has: "self.keys"."""
    name, *parts = other.split(".")

    def twin(ask: Ask, value: Any) -> torch.Tensor:
        first = functools.reduce(getattr, parts, ask.arguments[name])
        ask.require(
            (value.dtype, value.device) == (first.dtype, first.device),
            f"be {first.dtype} on {first.device}, as {other} is",
            f"{value.dtype} on {value.device}",
        )
        return value

    return twin


def like_weights(ask: Ask, value: torch.Tensor) -> torch.Tensor:
    """A tensor of the type and on the device of the weights of the argument ``model``, or ``self``."""
    model = "model" if "model" in ask.arguments else "self"
    return _as_weights(ask, value, model, "the model is")


def like_weights_of(model: str) -> Reader:
    """A tensor of the type and on the device of the weights of another argument, if it has any."""
    return lambda ask, value: _as_weights(ask, value, model, f"the weights of {model} are")


def _as_weights(ask: Ask, value: torch.Tensor, model: str, whose: str) -> torch.Tensor:
    first = next(ask.arguments[model].parameters(), value)
    if (value.dtype, value.device) != (first.dtype, first.device):
        ask.fail(f"be {first.dtype} on {first.device}, as {whose}", f"{value.dtype} on {value.device}")
    return value


def joins(first: str, *others: str) -> Reader:
    """Rows of the type and on the device of another argument, with leading axes that go with all others."""

    def partner(ask: Ask, value: Any) -> torch.Tensor:
        value = like(first)(ask, value)
        names = (first, *others)
        shapes = [tuple(ask.arguments[name].shape[:-2]) for name in names] + [tuple(value.shape[:-2])]
        try:
            torch.broadcast_shapes(*shapes)
        except RuntimeError:
            rule = f"have leading axes that go with those of {' and '.join(names)}"
            ask.fail(rule, " and ".join(map(str, shapes)))
        return value

    return partner


def over_pairs(queries: str, keys: str) -> Reader:
    """A tensor with an entry for every query and key; it may be one for all of a batch."""

    def pairs(ask: Ask, value: Any) -> torch.Tensor:
        Q, K = ask.arguments[queries], ask.arguments[keys]
        value = beside(queries)(ask, value)
        shape = (*torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2]), Q.shape[-2], K.shape[-2])
        try:
            fits = value.ndim >= 2 and torch.broadcast_shapes(shape, value.shape)[-2:] == shape[-2:]
        except RuntimeError:
            fits = False
        ask.require(fits, f"fit scores of shape {shape}", f"shape {tuple(value.shape)}")
        return value

    return pairs
