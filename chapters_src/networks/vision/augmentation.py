"""Images a little turned, stretched, sheared and moved: the same label, other pixels."""

from __future__ import annotations

from math import pi

import torch
from torch.nn import functional

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like

__all__ = ["affine_images", "randomly_moved"]


@checked(A=like("images"), moved=like("images"))
def affine_images(
    images: Float[Tensor, "n c h w"], A: Float[Tensor, "n 2 2"], moved: Float[Tensor, "n 2"]
) -> Float[Tensor, "n c h w"]:
    """Each image read anew at other places: pixel u of the result shows what lay at A u + t, paper outside.

    x'(u) = x(A u + t),  u from the middle, t in pixels to the right and down   {eq}`eq-vision-affine`
    """
    height, width = images.shape[2:]
    half = images.new_tensor([width, height]) / 2  # grids run from −1 to 1
    turn = torch.cat([A * (half / half[:, None]), (moved / half)[:, :, None]], dim=2)
    grid = functional.affine_grid(turn, list(images.shape), align_corners=False)
    return functional.grid_sample(images, grid, align_corners=False)


@checked(degrees=between(0, 180), stretch=between(0, 0.9), shear=between(0, 1), shift=at_least(0))
def randomly_moved(
    images: Float[Tensor, "n c h w"],
    generator: torch.Generator,
    degrees: float = 10.0,
    stretch: float = 0.1,
    shear: float = 0.1,
    shift: float = 2.0,
) -> Float[Tensor, "n c h w"]:
    """Each image under a map of its own: turn, stretch, shear and shift are uniform up to the given sizes."""
    n = len(images)
    drawn = torch.rand(6, n, generator=generator, device=generator.device).mul(2).sub(1).to(images)
    angle, slant = drawn[0] * degrees * pi / 180, drawn[1] * shear
    wide, tall = 1 + drawn[2] * stretch, 1 + drawn[3] * stretch
    first = torch.stack([wide * angle.cos(), slant - angle.sin()], dim=1)
    second = torch.stack([angle.sin(), tall * angle.cos()], dim=1)
    moved = drawn[4:].T * shift
    return affine_images(images, torch.stack([first, second], dim=1), moved)
