"""Noise on what a network sees and computes while it learns."""

from __future__ import annotations

import torch
from torch.nn import functional

from chapters_src.core.contract import checked
from chapters_src.core.readers import Limits
from chapters_src.core.shapes import Float, Int, Tensor

__all__ = ["dropout", "mixed", "shifted"]


@checked(share=Limits(at_least=0, below=1))
def dropout(
    x: Float[Tensor, "*shape"], share: float, generator: torch.Generator | None
) -> Float[Tensor, "*shape"]:
    """Set a random share of the numbers to 0 and divide the others by 1 − share, so that the mean stays.

    h ⊙ b/(1 − p),  bⱼ = 1 with probability 1 − p       {eq}`eq-regularisation-dropout`

    Without a generator nothing is dropped: there is no mode to be in, training says so at the call.
    """
    if generator is None or share == 0:
        return x
    drawn = torch.rand(x.shape, generator=generator, device=generator.device, dtype=x.dtype)
    return x * (drawn >= share).to(x).div_(1 - share)


@checked
def mixed(
    x: Float[Tensor, "n d"], weight: Float[Tensor, "n"], partner: Int[Tensor, "n"]
) -> Float[Tensor, "n d"]:
    """Each example mixed with its partner; called with the same weights for inputs and for targets.

    w·xᵢ + (1 − w)·xⱼ                                  {eq}`eq-regularisation-mixed`
    """
    return weight[:, None] * x + (1 - weight[:, None]) * x[partner]


@checked
def shifted(
    images: Float[Tensor, "n height width"], down: Float[Tensor, "n"], right: Float[Tensor, "n"]
) -> Float[Tensor, "n height width"]:
    """Each image moved by its own, possibly fractional, number of pixels; what comes in is paper, 0."""
    n, height, width = images.shape
    turn = torch.eye(2, 3, dtype=images.dtype, device=images.device).repeat(n, 1, 1)
    turn[:, 0, 2], turn[:, 1, 2] = -2 * right / width, -2 * down / height  # grids run from −1 to 1
    grid = functional.affine_grid(turn, [n, 1, height, width], align_corners=False)
    return functional.grid_sample(images[:, None], grid, align_corners=False)[:, 0]
