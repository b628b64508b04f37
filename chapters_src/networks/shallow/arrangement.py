"""Linear regions: counted exactly for one hidden layer, drawn in the plane for any number of layers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, between, beyond
from chapters_src.core.shapes import Bool, Float, ndarray
from chapters_src.networks.shallow.parameters import Layer, Layers, fitting_layers

__all__ = ["Cell", "cells", "count_cells", "most_regions"]

Plane = tuple[Fraction, ...]  # w₁, …, w_d, b of the hyperplane w·x + b = 0
Corners = list[tuple[Fraction, Fraction]]


@checked(hidden=between(0, 10**6), inputs=between(1, 1000))
def most_regions(hidden: int, inputs: int) -> int:
    """The most regions into which m hyperplanes can cut a space of d dimensions.

    Σ_{j=0}^{d} C(m, j)                               {eq}`eq-shallow-regions`

    Attained by hyperplanes in general position, such as random ones; 2ᵐ as long as m ≤ d.
    """
    return sum(comb(hidden, j) for j in range(min(inputs, hidden) + 1))


@checked
def count_cells(W1: Float[ndarray, "d m"], b1: Float[ndarray, "m"]) -> int:
    """Into how many regions the joints w·x + b = 0 of the hidden units cut the whole space, exactly.

    r(A ∪ {H}) = r(A) + r(A restricted to H)          {eq}`eq-shallow-regions`

    A new hyperplane cuts in two each region it passes through, and it passes through as many as the others
    cut *it* into. In fractions, so that parallel, equal and concurrent joints are counted as they are. The
    work grows as m to the power d.
    """
    planes = [(*map(Fraction, w.tolist()), Fraction(float(b_j))) for w, b_j in zip(W1.T, b1, strict=True)]
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
    """A linear region within a square: its corners, anticlockwise, and which hidden units are on in it."""

    corners: Float[ndarray, "_ 2"]  # cells of one list differ in their number of corners
    pattern: Bool[ndarray, "units"]


def _two_inputs(ask: Ask, value: Any) -> list[Layer]:
    layers = fitting_layers(ask, value)
    if len(layers[0].W) != 2:
        ask.fail("take two inputs", len(layers[0].W))
    return layers


@checked(layers=_two_inputs, high=beyond("low"))
def cells(layers: Layers, low: float = -1.0, high: float = 1.0) -> list[Cell]:
    """The convex regions of the square [low, high]² in which no hidden unit switches on or off.

    Within a region each unit is one affine function of x, so that a region of one layer is cut by the next
    layer's units along straight lines too. In fractions: no sliver is invented and none is lost.
    """
    a, b = Fraction(low), Fraction(high)
    itself = np.array([[0, 0], [1, 0], [0, 1]]) * Fraction(1)  # x₁ and x₂ as (constant, by x₁, by x₂)
    parts: list[tuple[Corners, Any, list[bool]]] = [([(a, a), (b, a), (b, b), (a, b)], itself, [])]
    for W, bias in layers[:-1]:
        parts = [
            (shape, planes * on, [*pattern, *on])
            for corners, units, pattern in parts
            for planes in [units @ _exact(W) + np.outer([1, 0, 0], _exact(bias))]
            for shape, on in _cut(corners, planes)
        ]
    return [Cell(np.array(corners, dtype=float), np.array(on, dtype=bool)) for corners, _, on in parts]


def _exact(array: Any) -> Any:
    return np.array([Fraction(x) for x in array.ravel().tolist()], dtype=object).reshape(array.shape)


def _cut(polygon: Corners, planes: Any) -> list[tuple[Corners, list[bool]]]:
    """A convex polygon cut along the zeros of several affine functions, and which are on in each part."""
    parts: list[tuple[Corners, list[bool]]] = [(polygon, [])]
    for constant, by_x, by_y in planes.T:
        cut: list[tuple[Corners, list[bool]]] = []
        for corners, on in parts:
            heights = [constant + by_x * x + by_y * y for x, y in corners]
            if max(heights) > 0:
                cut.append((_where_positive(corners, heights), [*on, True]))
            if min(heights) < 0 or max(heights) <= 0:
                cut.append((_where_positive(corners, [-height for height in heights]), [*on, False]))
        parts = cut
    return parts


def _where_positive(corners: Corners, heights: list[Fraction]) -> Corners:
    """The part of a convex polygon where an affine function, known at the corners, is at least 0."""
    kept: Corners = []
    for i, ((x, y), height) in enumerate(zip(corners, heights, strict=True)):
        (x_before, y_before), earlier = corners[i - 1], heights[i - 1]
        if height * earlier < 0:  # the edge crosses zero
            share = earlier / (earlier - height)
            kept.append((x_before + share * (x - x_before), y_before + share * (y - y_before)))
        if height >= 0:
            kept.append((x, y))
    return kept
