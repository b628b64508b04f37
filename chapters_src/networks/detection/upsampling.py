"""Four ways to enlarge a map: repeat, interpolate, put maxima back, and how often a stamp covers a place."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.networks.convolution import convolution_matrix, transposed_size

__all__ = [
    "bilinear",
    "interpolation_matrix",
    "max_pool_with_places",
    "max_unpool",
    "nearest",
    "overlap_counts",
]


@checked(factor=at_least(1))
def nearest(X: Float[ndarray, "... h w"], factor: int) -> Float[ndarray, "... p q"]:
    """Each pixel becomes a block of factor × factor equal ones.

    yⱼ = x_⌊j/S⌋ along each axis   {eq}`eq-detection-nearest`
    """
    return X.repeat(factor, axis=-2).repeat(factor, axis=-1)


@checked(size=at_least(1), new=at_least(1))
def interpolation_matrix(size: int, new: int) -> Float[ndarray, "{new} {size}"]:
    """The matrix that resizes a signal of this size to a new one, linear between the centres of its pixels.

    Rⱼₖ = max(0, 1 − |uⱼ − k|),  uⱼ = (j + ½)·size/new − ½   {eq}`eq-detection-bilinear`

    Beyond the first and the last centre the signal stays as it is there.
    """
    u = (np.arange(new) + 0.5) * size / new - 0.5
    u = u.clip(0, size - 1)
    return np.maximum(0, 1 - np.abs(u[:, None] - np.arange(size)))


@checked(height=at_least(1), width=at_least(1))
def bilinear(X: Float[ndarray, "... h w"], height: int, width: int) -> Float[ndarray, "... {height} {width}"]:
    """A picture of this height and width, linear along the columns and then along the rows.

    Y = R X Cᵀ   {eq}`eq-detection-bilinear`
    """
    h, w = X.shape[-2:]
    return bare(interpolation_matrix)(h, height) @ X @ bare(interpolation_matrix)(w, width).T


@checked(kernel=at_least(1))
def max_pool_with_places(
    X: Float[ndarray, "h w"], kernel: int
) -> tuple[Float[ndarray, "p q"], Int[ndarray, "p q"]]:
    """The largest of each block of kernel × kernel, and its place in the picture, counted row by row."""
    h, w = X.shape
    require(h % kernel == w % kernel == 0, "kernel", f"divide the sides {h} and {w}", kernel)
    blocks = lambda A: A.reshape(h // kernel, kernel, w // kernel, kernel).swapaxes(1, 2)  # noqa: E731
    windows = blocks(X).reshape(h // kernel, w // kernel, -1)
    places = blocks(np.arange(h * w).reshape(h, w)).reshape(windows.shape)
    first = windows.argmax(axis=-1)[..., None]
    pooled, where = (np.take_along_axis(A, first, axis=-1)[..., 0] for A in (windows, places))
    return pooled, where


@checked(places=at_least(0), height=at_least(1), width=at_least(1))
def max_unpool(
    Y: Float[ndarray, "p q"], places: Int[ndarray, "p q"], height: int, width: int
) -> Float[ndarray, "{height} {width}"]:
    """Each number back to the place from which `max_pool_with_places` took it, zeros elsewhere.

    x_{place(i)} = yᵢ   {eq}`eq-detection-unpooling`
    """
    require(places.max() < height * width, "places", f"lie below {height * width}", places.max())
    X = np.zeros(height * width)
    X[places.ravel()] = Y.ravel()
    return X.reshape(height, width)


@checked(size=at_least(1), kernel=at_least(1), stride=at_least(1))
def overlap_counts(size: int, kernel: int, stride: int) -> Float[ndarray, "m"]:
    """How many stamps of a transposed convolution of this many inputs cover each output.

    cⱼ = #{(i, k) : iS + k = j}   {eq}`eq-detection-overlap`
    """
    m = bare(transposed_size)(size, kernel, stride)
    return bare(convolution_matrix)(np.ones(kernel), m, stride).T @ np.ones(size)
