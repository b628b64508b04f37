"""Noise on what a network computes, while it learns."""

from __future__ import annotations

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import Limits
from chapters_src.core.shapes import Float, Tensor

__all__ = ["dropout"]


@checked(share=Limits(at_least=0, below=1))
def dropout(
    x: Float[Tensor, "*shape"], share: float, generator: torch.Generator | None
) -> Float[Tensor, "*shape"]:
    """Set a random share of the numbers to 0 and divide the others by 1 − share, so that the mean stays.

    Without a generator nothing is dropped: there is no mode to be in, training says so at the call.
    """
    if generator is None or share == 0:
        return x
    drawn = torch.rand(x.shape, generator=generator, device=generator.device, dtype=x.dtype)
    return x * (drawn >= share).to(x).div_(1 - share)
