"""What the models of this part say to bad input: tensors of floats or of tokens, generators, names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from chapters_src.core import checks
from chapters_src.core.shapes import Tensor

__all__ = ["floats", "generator", "mask", "one_of", "outline", "tokens"]


def outline(value: Any) -> str:
    """Shape and kind of a tensor, or the type of anything else."""
    if isinstance(value, torch.Tensor):
        return f"shape {tuple(value.shape)}, {value.dtype}"
    return f"a {type(value).__name__}"


def floats(function: str, name: str, value: Any, shape: tuple[int | str, ...]) -> Tensor:
    """A tensor of floats whose axes are as said: a number fixes a side, a letter leaves it free.

    An ellipsis in front lets there be more. The numbers inside are not looked at, because that would wait for
    the device.
    """
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not _fits(value.shape, shape):
        words = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
        checks.fail(function, name, f"be a tensor of floats, shape {words}", outline(value))
    return value


def tokens(function: str, name: str, value: Any, axes: int, vocabulary: int | None = None) -> Tensor:
    """A tensor of whole numbers with so many axes, none of them empty; on the CPU also their range."""
    kinds = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)
    letters = {1: "(t,)", 2: "(B, t)"}[axes]
    fits = isinstance(value, torch.Tensor) and value.dtype in kinds and value.ndim == axes
    if not fits or value.numel() == 0:
        checks.fail(
            function, name, f"be a tensor of tokens, whole numbers of shape {letters}", outline(value)
        )
    if vocabulary is not None and value.device.type == "cpu":
        low, high = (int(one) for one in value.aminmax())
        if low < 0 or high >= vocabulary:
            checks.fail(function, name, f"hold tokens from 0 to {vocabulary - 1}", f"{low} to {high}")
    return value


def mask(function: str, name: str, value: Any, like: Tensor, shape: tuple[int, ...]) -> Tensor | None:
    """None, or a boolean tensor that says for every pair of this shape whether one may look at the other."""
    if value is None:
        return None
    rule = f"be a boolean tensor of shape {shape}, or 1 for any of them, True where a query may look"
    fits = isinstance(value, torch.Tensor) and value.dtype == torch.bool and value.ndim == len(shape)
    if not fits or any(a not in (1, b) for a, b in zip(value.shape, shape, strict=True)):
        checks.fail(function, name, rule, outline(value))
    if value.device != like.device:
        checks.fail(function, name, f"be on {like.device}", value.device)
    return value


def generator(function: str, value: Any, name: str = "generator") -> torch.Generator:
    """An explicit `torch.Generator`."""
    if not isinstance(value, torch.Generator):
        checks.fail(function, name, "be a torch.Generator, as from device.seed(0)", outline(value))
    return value


def one_of(function: str, name: str, value: Any, options: Iterable[str]) -> str:
    """One of the names that are known."""
    known = list(options)
    if not isinstance(value, str) or value not in known:
        got = repr(value) if isinstance(value, str) and len(value) <= 40 else outline(value)
        checks.fail(function, name, f"be one of {', '.join(map(repr, known))}", got)
    return value


def _fits(found: torch.Size, wanted: tuple[int | str, ...]) -> bool:
    if wanted[0] == "…":
        found, wanted = found[max(len(found) - len(wanted) + 1, 0) :], wanted[1:]
    if len(found) != len(wanted) or 0 in found:
        return False
    return all(not isinstance(want, int) or side == want for side, want in zip(found, wanted, strict=True))
