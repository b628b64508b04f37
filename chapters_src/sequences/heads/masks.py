"""Who may look where: boolean masks, True for yes, to be joined with & and handed to attention."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Device
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Int, Tensor

__all__ = ["causal", "padding", "window"]


@checked(t=at_least(1))
def causal(t: int, s: int | None = None, device: Device = None) -> Bool[Tensor, "{t} s"]:
    """Position i may look at itself and at what came before it, not at the future.

    allowed(i, j) = (j ≤ i)                               {eq}`eq-heads-causal`

    With s > t keys the queries are the *last* t of s positions, as when a text is
    continued: j ≤ i + s − t. (``is_causal`` of torch takes them to be the first t.)
    """
    s = t if s is None else s
    require(s >= t, "s", f"be at least {t}", s)
    i, j = torch.arange(s - t, s, device=device), torch.arange(s, device=device)
    return j <= i[:, None]


@checked(t=at_least(1), width=at_least(1))
def window(t: int, width: int, device: Device = None) -> Bool[Tensor, "{t} {t}"]:
    """Position i may look at those less than ``width`` places away, to either side.

    allowed(i, j) = (|i − j| < width)

    A width of 1 is itself alone. Together with `causal` each position sees its last ``width``.
    """
    i = torch.arange(t, device=device)
    return (i - i[:, None]).abs() < width


@checked(t=at_least(1))
def padding(
    lengths: Int[Tensor, "b"] | Sequence[int], t: int, device: Device = None
) -> Bool[Tensor, "b 1 {t}"]:
    """Nobody may look at what only fills a row of the batch up to length t.

    allowed(b, i, j) = (j < lengths[b]), for every i

    Tensors of lengths stay on their device; only those on the CPU are checked for range.
    """
    known = lengths if isinstance(lengths, Tensor) else torch.tensor(lengths, dtype=torch.long, device=device)
    if not known.numel() or (known.device.type == "cpu" and bool(((known < 0) | (known > t)).any())):
        refuse("lengths", f"be from 0 to {t}, one or more of them", known.tolist()[:8])
    return torch.arange(t, device=known.device) < known[:, None, None]
