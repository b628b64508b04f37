"""Pictures with several digits in them, at places and sizes that are known, among pieces of digits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.data import Images
from chapters_src.networks.detection.upsampling import bilinear

__all__ = ["Scene", "draw_scenes", "trimmed"]

NOISE, INK, TRIES, MOST_COVERED = 0.1, 0.4, 20, 0.15


class Scene(NamedTuple):
    """A picture; 0 or 1 + class for each pixel; a box (left, top, right, bottom) and a class per digit."""

    image: Float[ndarray, "_ _"]
    mask: Int[ndarray, "_ _"]
    boxes: Float[ndarray, "_ 4"]
    labels: Int[ndarray, "_"]


@checked(ink=between(0, 1))
def trimmed(image: Float[ndarray, "h w"], ink: float = 0.3) -> Float[ndarray, "p q"]:
    """The picture without the empty rows and columns around what is darker than ``ink``."""
    dark = image > ink
    require(dark.any(), "image", f"have a pixel above {ink:g}", f"at most {image.max():g}")
    rows, columns = (np.flatnonzero(dark.any(axis=axis)) for axis in (1, 0))
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@checked(n=at_least(1), side=at_least(8), smallest=at_least(5), largest=at_least(5), most=at_least(1))
def draw_scenes(
    digits: Images,
    n: int,
    rng: np.random.Generator,
    side: int = 32,
    smallest: int = 8,
    largest: int = 13,
    most: int = 3,
    clutter: int = 4,
) -> list[Scene]:
    """n scenes: one to ``most`` digits, enlarged to heights from smallest to largest, and pieces of digits.

    Two boxes share at most 15 % of the smaller one; a digit for which no such place is found is left out.
    """
    require(smallest <= largest <= side, "largest", f"lie from {smallest} to {side}", largest)
    require(clutter >= 0, "clutter", "be at least 0", clutter)
    cut = [bare(trimmed)(image) for image in digits.images]

    def a_digit() -> tuple[Float[ndarray, "h w"], int]:
        one, height = rng.integers(len(cut)), int(rng.integers(smallest, largest + 1))
        h, w = cut[one].shape
        return bare(bilinear)(cut[one], height, min(side, max(3, round(height * w / h)))), int(
            digits.labels[one]
        )

    return [_scene(a_digit, rng, side, most, clutter) for _ in range(n)]


def _scene(a_digit, rng: np.random.Generator, side: int, most: int, clutter: int) -> Scene:  # type: ignore[no-untyped-def]
    image, mask = np.zeros((side, side)), np.zeros((side, side), dtype=np.int64)
    boxes: list[tuple[int, int, int, int]] = []
    labels: list[int] = []

    def a_place(h: int, w: int) -> tuple[int, int, int, int]:
        top, left = (int(rng.integers(0, side - length + 1)) for length in (h, w))
        return left, top, left + w, top + h

    def put(ink: ndarray, box: tuple[int, int, int, int]) -> tuple[slice, slice]:
        here = slice(box[1], box[3]), slice(box[0], box[2])
        image[here] = np.maximum(image[here], ink)
        return here

    for _ in range(clutter):
        digit, _ = a_digit()
        row, column = (int(rng.integers(0, max(1, length - 4))) for length in digit.shape)
        piece = digit[row : row + 5, column : column + 5]
        put(piece, a_place(*piece.shape))
    for _ in range(int(rng.integers(1, most + 1))):
        digit, label = a_digit()
        tries = (a_place(*digit.shape) for _ in range(TRIES))
        box = next((one for one in tries if all(_covered(one, b) <= MOST_COVERED for b in boxes)), None)
        if box is not None:
            here = put(digit, box)
            mask[here][digit > INK] = label + 1
            boxes.append(box)
            labels.append(label)
    image += rng.normal(0, NOISE, image.shape)
    return Scene(image, mask, np.array(boxes, dtype=float), np.array(labels))


def _covered(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """What two boxes share, as a share of the smaller one."""
    width, height = (min(a[i + 2], b[i + 2]) - max(a[i], b[i]) for i in (0, 1))
    smaller = min((one[2] - one[0]) * (one[3] - one[1]) for one in (a, b))
    return max(0, width) * max(0, height) / smaller
