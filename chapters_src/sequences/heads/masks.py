"""Who may look where: boolean masks, True for yes, to be joined with & and handed to attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from chapters_src.core import checks
from chapters_src.core import device as devices
from chapters_src.core.shapes import Bool, Int, Tensor

__all__ = ["causal", "padding", "window"]


def causal(
    t: int,
    s: int | None = None,
    device: str | torch.device | None = None,
) -> Bool[Tensor, "{t} s"]:
    """Position i may look at itself and at what came before it, not at the future.

    allowed(i, j) = (j ≤ i)                               {eq}`eq-attention-causal`

    With s > t keys the queries are the *last* t of s positions, as when a text is
    continued: j ≤ i + s − t. (``is_causal`` of torch takes them to be the first t.)
    """
    t = checks.integer("causal", "t", t, at_least=1)
    s = t if s is None else checks.integer("causal", "s", s, at_least=t)
    place = _place(device)
    i, j = torch.arange(s - t, s, device=place), torch.arange(s, device=place)
    return j <= i[:, None]


def window(t: int, width: int, device: str | torch.device | None = None) -> Bool[Tensor, "{t} {t}"]:
    """Position i may look at those less than ``width`` places away, to either side.

    allowed(i, j) = (|i − j| < width)

    A width of 1 is itself alone. Together with `causal` each position sees its last ``width``.
    """
    t = checks.integer("window", "t", t, at_least=1)
    width = checks.integer("window", "width", width, at_least=1)
    i = torch.arange(t, device=_place(device))
    return (i - i[:, None]).abs() < width


def padding(
    lengths: Sequence[int] | Int[Tensor, "b"], t: int, device: str | torch.device | None = None
) -> Bool[Tensor, "b 1 {t}"]:
    """Nobody may look at what only fills a row of the batch up to length t.

    allowed(b, i, j) = (j < lengths[b]), for every i

    Tensors of lengths stay on their device; only those on the CPU are checked for range.
    """
    t = checks.integer("padding", "t", t, at_least=1)
    if not isinstance(lengths, torch.Tensor):
        lengths = torch.tensor(_whole(lengths, t), device=_place(device))
    if (
        lengths.ndim != 1
        or lengths.numel() == 0
        or lengths.dtype == torch.bool
        or lengths.is_floating_point()
    ):
        got = f"shape {tuple(lengths.shape)}, {lengths.dtype}"
        checks.fail("padding", "lengths", "be whole numbers, shape (b,)", got)
    if lengths.device.type == "cpu" and not bool(((lengths >= 0) & (lengths <= t)).all()):
        checks.fail("padding", "lengths", f"be from 0 to {t}", lengths.tolist()[:8])
    return torch.arange(t, device=lengths.device) < lengths[:, None, None]


def _whole(lengths: Any, t: int) -> list[int]:
    """Lengths out of a list, one by one."""
    try:
        entries = list(lengths)
    except TypeError:
        checks.fail("padding", "lengths", "be whole numbers, shape (b,)", f"a {type(lengths).__name__}")
    if not entries:
        checks.fail("padding", "lengths", "not be empty", "nothing")
    return [checks.integer("padding", "lengths", entry, at_least=0, at_most=t) for entry in entries]


def _place(device: str | torch.device | None) -> torch.device:
    """The cpu unless said, because a mask is small and whoever has a GPU knows it."""
    return torch.device("cpu") if device is None else devices.pick(device)
