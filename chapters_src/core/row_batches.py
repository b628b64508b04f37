"""Rows in batches, each epoch in an order of its own."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Int, Tensor

__all__ = ["row_batches"]


@checked(n=at_least(1), size=at_least(1))
def row_batches(
    n: int, size: int, generator: torch.Generator, full: bool = False, device: Device = None
) -> Iterator[Int[Tensor, "rows"]]:
    """The numbers of n rows, ``size`` at a time, without end; every epoch has a new order.

    The last batch of an epoch may be short; with ``full`` it is left out.
    """
    require(not full or size <= n, "size", f"be at most {n}, or no batch is full", size)

    def batches() -> Iterator[Int[Tensor, "rows"]]:
        kept = n // size * size if full else n
        while True:
            order = torch.randperm(n, generator=generator, device=generator.device).to(device or "cpu")
            yield from order[:kept].split(size)

    return batches()
