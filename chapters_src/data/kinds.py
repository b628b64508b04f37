"""What data come in: tables, images, points on a curve."""

from __future__ import annotations

from dataclasses import dataclass

from chapters_src.core.shapes import Float, Int, Num, ndarray

__all__ = ["Crossed", "Images", "Points", "Split", "Table"]


@dataclass(frozen=True)
class Table:
    """One example a row: features `X` with their `columns`, and what to predict, `y`.

    `y` holds numbers with the name `target`, or, in a classification, indices into `classes`.
    """

    X: Float[ndarray, "n d"]
    y: Num[ndarray, "n"]
    columns: tuple[str, ...]
    target: str
    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Crossed:
    """How many cases have each pair of two properties: one down the rows, one along the columns."""

    counts: Int[ndarray, "rows columns"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Split:
    """A table and the two halves it was split into."""

    train: Table
    test: Table
    every: Table


@dataclass(frozen=True)
class Images:
    """Grey images with values from 0 (paper) to 1 (ink), and what they show."""

    images: Float[ndarray, "n height width"]
    labels: Int[ndarray, "n"]
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def X(self) -> Float[ndarray, "n d"]:
        """The images as rows of pixels."""
        return self.images.reshape(len(self.images), -1)  # (n, h, w) -> (n, h·w)


@dataclass(frozen=True)
class Points:
    """Noisy points on a curve: `y` is `truth` plus noise."""

    x: Float[ndarray, "n"]
    y: Float[ndarray, "n"]
    truth: Float[ndarray, "n"]

    def __len__(self) -> int:
        return len(self.x)
