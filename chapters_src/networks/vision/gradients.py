"""Features made by hand: which way the edges run, counted in cells."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["edge_directions", "oriented_gradients"]


@checked
def edge_directions(
    images: Float[ndarray, "n h w"],
) -> tuple[Float[ndarray, "n h w"], Float[ndarray, "n h w"]]:
    """The length and the direction, from 0 to π, of the brightness gradient at every pixel.

    m = √(g_x² + g_y²),  α = atan2(g_y, g_x) mod π       {eq}`eq-vision-gradient`

    A dark-to-bright edge and a bright-to-dark one have the same direction.
    """
    require(min(images.shape[1:]) >= 2, "images", "have two rows and two columns or more", images.shape[1:])
    down, right = np.gradient(images, axis=(1, 2))
    return np.hypot(right, down), np.arctan2(down, right) % np.pi


@checked(cell=at_least(1), bins=at_least(2))
def oriented_gradients(
    images: Float[ndarray, "n h w"], cell: int = 4, bins: int = 8
) -> Float[ndarray, "n p q {bins}"]:
    """A histogram of edge directions for each cell of cell × cell pixels, scaled to length 1 per image.

    H_{c,k} = Σ_{pixels in c} m · max(0, 1 − bins from α to k),  f = H/‖H‖   {eq}`eq-vision-histogram`

    Each pixel votes with its m, shared by the two nearest directions. An image without edges gives zeros.
    """
    n, h, w = images.shape
    require(h % cell == w % cell == 0, "cell", f"divide {h} and {w}", cell)
    length, angle = bare(edge_directions)(images)
    place = angle / np.pi * bins  # the middle of bin k is at the direction kπ/bins
    H = np.empty((n, h // cell, w // cell, bins))
    for k in range(bins):
        apart = np.abs(place - k)
        votes = length * np.maximum(0, 1 - np.minimum(apart, bins - apart))  # directions lie on a ring
        H[..., k] = votes.reshape(n, h // cell, cell, w // cell, cell).sum(axis=(2, 4))
    size = np.sqrt(np.sum(H**2, axis=(1, 2, 3), keepdims=True))
    return H / np.where(size > 0, size, 1.0)
