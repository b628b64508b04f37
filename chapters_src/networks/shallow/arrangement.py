"""Linear regions of a shallow network with several inputs: counted exactly in any dimension, drawn in two."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, between
from chapters_src.core.shapes import Bool, Float, ndarray

__all__ = ["Cell", "cells", "count_cells", "most_regions"]

Plane = tuple[Fraction, ...]  # w₁, …, w_d, b of the hyperplane w·x + b = 0
Corner = tuple[Fraction, Fraction]


@checked(hidden=between(0, 10**6), inputs=between(1, 1000))
def most_regions(hidden: int, inputs: int) -> int:
    """The most regions into which D hyperplanes can cut a space of d dimensions.

    Σ_{j=0}^{d} C(D, j)                               {eq}`eq-shallow-zaslavsky`

    Attained when no two are parallel and no more than d meet in a point; 2^D as long as D ≤ d.
    """
    return sum(comb(hidden, j) for j in range(min(inputs, hidden) + 1))


@checked
def count_cells(W1: Float[ndarray, "D_i D_h"], b1: Float[ndarray, "D_h"]) -> int:
    """Into how many regions the joints w·x + b = 0 of the hidden units cut the whole space, exactly.

    r(A ∪ {H}) = r(A) + r(A restricted to H)          {eq}`eq-shallow-zaslavsky`

    A new hyperplane cuts in two each region it passes through, and it passes through as many as the others
    cut *it* into. In fractions, so that parallel, equal and concurrent joints are counted as they are. The
    work grows as D_h to the power D_i.
    """
    planes = [(*map(Fraction, w.tolist()), Fraction(float(b_d))) for w, b_d in zip(W1.T, b1, strict=True)]
    return _count(planes)


def _count(planes: Sequence[Plane]) -> int:
    """Regions of an arrangement: each hyperplane adds as many as the earlier ones cut it into."""
    distinct = list(dict.fromkeys(plane for one in planes if (plane := _normal_form(one))))
    if not distinct:
        return 1
    if len(distinct[0]) == 2:  # points on a line
        return len(distinct) + 1
    return 1 + sum(_count([_restricted(one, H) for one in distinct[:i]]) for i, H in enumerate(distinct))


def _normal_form(plane: Plane) -> Plane | None:
    """The same hyperplane with its first weight 1; None where all weights are 0 and there is none."""
    lead = next((w for w in plane[:-1] if w), None)
    return tuple(w / lead for w in plane) if lead is not None else None


def _restricted(plane: Plane, H: Plane) -> Plane:
    """``plane`` as a hyperplane within H: the first coordinate that H fixes is eliminated."""
    k = next(i for i, w in enumerate(H[:-1]) if w)
    factor = plane[k] / H[k]
    return tuple(p - factor * q for i, (p, q) in enumerate(zip(plane, H, strict=True)) if i != k)


class Cell(NamedTuple):
    """A linear region within a box: its corners, anticlockwise, and which hidden units are on in it."""

    corners: Float[ndarray, "_ 2"]  # cells of one list differ in their number of corners
    pattern: Bool[ndarray, "D_h"]


@checked(half_width=above(0))
def cells(W1: Float[ndarray, "2 D_h"], b1: Float[ndarray, "D_h"], half_width: float = 1.0) -> list[Cell]:
    """The regions of a network with two inputs that meet the square |x₁|, |x₂| ≤ ``half_width``.

    The square is cut along one joint after the other; every piece is convex and stays so. The cutting is done
    in fractions, so that no sliver is invented and none is lost.
    """
    side = Fraction(half_width)
    square: list[Corner] = [(-side, -side), (side, -side), (side, side), (-side, side)]
    parts: list[tuple[list[Corner], list[bool]]] = [(square, [])]
    for (u, v), b_d in zip(W1.T.tolist(), b1.tolist(), strict=True):
        cut: list[tuple[list[Corner], list[bool]]] = []
        for corners, pattern in parts:
            heights = [Fraction(u) * x + Fraction(v) * y + Fraction(b_d) for x, y in corners]
            if any(height > 0 for height in heights):
                cut.append((_where_positive(corners, heights), [*pattern, True]))
            if not any(height > 0 for height in heights) or any(height < 0 for height in heights):
                below = [-height for height in heights]
                cut.append((_where_positive(corners, below), [*pattern, False]))
        parts = cut
    return [Cell(np.array(corners, dtype=float), np.array(pattern)) for corners, pattern in parts]


def _where_positive(corners: list[Corner], heights: list[Fraction]) -> list[Corner]:
    """The part of a convex polygon where a linear function, known at the corners, is at least 0."""
    kept: list[Corner] = []
    for i, (here, height) in enumerate(zip(corners, heights, strict=True)):
        before, earlier = corners[i - 1], heights[i - 1]
        if height * earlier < 0:  # the edge crosses zero
            share = earlier / (earlier - height)
            kept.append(
                (before[0] + share * (here[0] - before[0]), before[1] + share * (here[1] - before[1]))
            )
        if height >= 0:
            kept.append(here)
    return kept
