"""Whole numbers as data of a density: noise that fills the gaps between them, and bits per dimension."""

from __future__ import annotations

import math
from typing import Any

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Int, Tensor

__all__ = ["bits_per_dimension", "dequantised", "line_to_unit", "unit_to_line"]

MARGIN = 0.05  # keeps logits finite where a number is 0 or 1


def _known(ask: Ask, x: Any) -> Any:
    levels = ask.arguments["levels"]
    if x.device.type == "cpu" and not bool(((x >= 0) & (x < levels)).all()):
        ask.fail(f"hold levels from 0 to {levels - 1}", "others")
    return x


@checked(x=_known, levels=at_least(2))
def dequantised(x: Int[Tensor, "n d"], levels: int, generator: torch.Generator) -> Float[Tensor, "n d"]:
    """y = (x + u)/levels with u uniform on [0, 1): a number of the cell that belongs to x.

    Every level gets a cell of width 1/levels of the unit interval, and no two overlap.
    """
    u = torch.rand(x.shape, generator=generator, device=generator.device).to(x.device)
    return (x + u) / levels


@checked(d=at_least(1), levels=at_least(2))
def bits_per_dimension(log_density: Float[Tensor, "n"], d: int, levels: int) -> Float[Tensor, "n"]:
    """Bits that a code for the levels needs per dimension at most, on average over the noise.

    −(log p(y) − d log levels)/(d log 2),  y = (x + u)/levels     {eq}`eq-flows-bits`

    A cell has the volume levels⁻ᵈ, and the density times that volume stands for the probability of x.
    """
    return (d * math.log(levels) - log_density) / (d * math.log(2))


def _in_unit(ask: Ask, y: Any) -> Any:
    if y.device.type == "cpu" and not bool(((y >= 0) & (y <= 1)).all()):
        ask.fail("hold numbers from 0 to 1", "others")
    return y


@checked(y=_in_unit)
def unit_to_line(y: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n"]]:
    """a = logit(0.05 + 0.9y), from a little inside the unit interval to the line; and log|det ∂a/∂y|."""
    inner = MARGIN + (1 - 2 * MARGIN) * y
    return inner.logit(), (math.log(1 - 2 * MARGIN) - (inner * (1 - inner)).log()).sum(dim=1)


@checked
def line_to_unit(a: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    """Undo `unit_to_line`; what lies beyond its ends comes back a little outside the unit interval."""
    return (torch.sigmoid(a) - MARGIN) / (1 - 2 * MARGIN)
