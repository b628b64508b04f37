"""One formula, several norms: they differ in which entries of a block share a mean and a variance."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Bool, Float

__all__ = ["AXES", "block_norm", "sharing_entries"]

# the axes of an N × C × H × W block over which the mean goes; N examples, C channels, H × W positions
AXES: dict[str, tuple[int, ...]] = {
    "batch": (0, 2, 3),
    "layer": (1, 2, 3),
    "layer, each position": (1,),
    "instance": (2, 3),
    "group": (2, 3, 4),  # after the channels were split into groups
}


@checked(norm=one_of(AXES), groups=at_least(1), eps=at_least(0))
def block_norm(
    x: Float[ndarray, "n c h w"], norm: str, groups: int = 1, eps: float = 1e-5
) -> Float[ndarray, "n c h w"]:
    """The block with mean 0 and variance 1 in every set of entries that share their statistics."""
    split = x
    if norm == "group":
        n, c, h, w = x.shape
        require(c % groups == 0, "groups", f"divide the {c} channels", groups)
        split = x.reshape(n, groups, c // groups, h, w)
    mean = split.mean(axis=AXES[norm], keepdims=True)
    variance = split.var(axis=AXES[norm], keepdims=True)
    return np.reshape((split - mean) / np.sqrt(variance + eps), x.shape)


@checked(norm=one_of(AXES), groups=at_least(1))
def sharing_entries(
    shape: tuple[int, int, int, int], entry: tuple[int, int, int, int], norm: str, groups: int = 1
) -> Bool[ndarray, "n c h w"]:
    """Which entries of a block of this shape share the statistics of one entry."""
    inside = all(0 <= k < length for k, length in zip(entry, shape, strict=True))
    require(inside, "entry", f"lie in a block of shape {shape}", entry)
    require(norm != "group" or shape[1] % groups == 0, "groups", f"divide the {shape[1]} channels", groups)
    where: list[slice | int] = list(entry)
    if norm == "group":
        size = shape[1] // groups
        first = entry[1] // size * size
        where[1:] = [slice(first, first + size), slice(None), slice(None)]
    else:
        for axis in AXES[norm]:
            where[axis] = slice(None)
    shared = np.zeros(shape, dtype=bool)
    shared[tuple(where)] = True
    return shared
