"""Linear regions of networks of hinges (ReLU), counted exactly.

A float is a fraction with a power of two below, and a network of hinges only adds, multiplies and compares.
So its joints are fractions too, and can be had without any rounding and without any tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, refuse
from chapters_src.core.readers import Ask, at_least, between, beyond, counts
from chapters_src.networks.shallow import Layer, Layers, fitting_layers, most_regions

__all__ = [
    "Pieces",
    "count_pieces",
    "deep_lower_bound",
    "pieces",
    "tiling",
]


hidden_widths = counts("list the widths of the hidden layers")


class Pieces(NamedTuple):
    """A continuous piecewise linear function of one number: on piece i, y = offset[i] + slope[i]·x.

    Joints lie between pieces, one fewer than those. `pattern` says which hidden units are on, on each piece.
    """

    joints: list[Fraction]
    offset: list[tuple[Fraction, ...]]
    slope: list[tuple[Fraction, ...]]
    pattern: list[tuple[bool, ...]]


def _one_input(ask: Ask, value: Any) -> list[Layer]:
    """Layers that take one input."""
    layers = fitting_layers(ask, value)
    ask.require(len(layers[0].W) == 1, "take one input", len(layers[0].W))
    return layers


@checked(layers=_one_input, high=beyond("low"))
def pieces(layers: Layers, low: float | None = None, high: float | None = None, merge: bool = True) -> Pieces:
    """All linear pieces of a network of hinges with one input, between ``low`` and ``high`` if given.

    Layer by layer: on each interval every pre-activation is α + βx, and has its joint at −α/β if that lies
    inside. With ``merge`` intervals on which the outputs are the same line are one piece; without, every
    pattern of units that are on and off counts.
    """
    ends = [None if end is None else Fraction(end) for end in (low, high)]
    cuts: list[Fraction] = []
    lines: list[list[tuple[Fraction, Fraction]]] = [[(Fraction(0), Fraction(1))]]  # (α, β) per unit
    patterns: list[tuple[bool, ...]] = [()]
    for k, (W, b) in enumerate(layers):
        weights = [[Fraction(w) for w in column] for column in W.T.tolist()]
        biases = [Fraction(c) for c in b.tolist()]
        lines = [[_unit(line, w, c) for w, c in zip(weights, biases, strict=True)] for line in lines]
        if k < len(layers) - 1:
            cuts, lines, patterns = _hinge([ends[0], *cuts, ends[1]], lines, patterns)
    if merge:
        keep = [i for i in range(len(cuts)) if lines[i] != lines[i + 1]]
        firsts = [0, *(i + 1 for i in keep)]
        cuts = [cuts[i] for i in keep]
        lines, patterns = [lines[i] for i in firsts], [patterns[i] for i in firsts]
    offset = [tuple(alpha for alpha, _ in line) for line in lines]
    slope = [tuple(beta for _, beta in line) for line in lines]
    return Pieces(cuts, offset, slope, patterns)


def _unit(
    inputs: list[tuple[Fraction, Fraction]], weights: list[Fraction], bias: Fraction
) -> tuple[Fraction, Fraction]:
    pairs = [(w, line) for w, line in zip(weights, inputs, strict=True) if w and (line[0] or line[1])]
    return (
        sum((w * alpha for w, (alpha, _) in pairs), bias),
        sum((w * beta for w, (_, beta) in pairs), Fraction(0)),
    )


def _hinge(edges: list[Any], lines: list[Any], patterns: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Cut every interval where one of its lines crosses zero, and set to zero what lies below."""
    cuts, after, marks = [], [], []
    for i, line in enumerate(lines):
        left, right = edges[i], edges[i + 1]
        roots = {-alpha / beta for alpha, beta in line if beta}
        inner = sorted(r for r in roots if (left is None or r > left) and (right is None or r < right))
        if i:
            cuts.append(left)
        cuts += inner
        stops = [left, *inner, right]
        for start, stop in pairwise(stops):
            x = _between(start, stop)
            on = tuple(alpha + beta * x > 0 for alpha, beta in line)
            zero = (Fraction(0), Fraction(0))
            after.append([pair if up else zero for pair, up in zip(line, on, strict=True)])
            marks.append(patterns[i] + on)
    return cuts, after, marks


def _between(left: Fraction | None, right: Fraction | None) -> Fraction:
    if left is None:
        return Fraction(0) if right is None else right - 1
    return left + 1 if right is None else (left + right) / 2


@checked(layers=_one_input, high=beyond("low"))
def count_pieces(layers: Layers, low: float | None = None, high: float | None = None) -> int:
    """How many linear pieces a network of hinges with one input has."""
    return len(bare(pieces)(layers, low, high).slope)


@checked(inputs=between(1, 1000), widths=hidden_widths)
def deep_lower_bound(inputs: int, widths: Sequence[int]) -> int:
    """Linear regions that some network with these hidden widths is sure to have (Montúfar and others, 2014).

    ∏ᵢ ⌊nᵢ/n₀⌋^{n₀} · Σⱼ C(n_L, j),  i = 1 … L − 1,  j = 0 … n₀   {eq}`eq-deep-lower-bound`

    The floor is part of it: a unit that does not make up a whole fold adds nothing here.
    """
    if min(widths) < inputs:
        refuse("widths", f"be at least {inputs}", min(widths))
    folds = 1
    for one in widths[:-1]:
        folds *= (one // inputs) ** inputs
    return folds * most_regions(widths[-1], inputs)


@checked(widths=counts("list the widths of the hidden layers", limits=at_least(2)))
def tiling(widths: Sequence[int]) -> list[Layer]:
    """Montúfar's network for two inputs: fold the unit square layer by layer, then cut it with the last one.

    Each layer but the last folds both coordinates ⌊n/2⌋ times (a unit that is left over stays at zero), and
    the lines of the last all meet one another inside the square, so that every fold shows every cell.
    """
    layers: list[Layer] = [Layer(np.eye(2), np.zeros(2))]  # how the coordinates come from the layer before
    for width in widths[:-1]:
        p = width // 2
        rise = np.zeros((2, width))
        rise[0, :p] = rise[1, p : 2 * p] = p
        start = np.full(width, -1.0)
        start[: 2 * p] = np.tile(-np.arange(float(p)), 2)
        back = np.zeros((width, 2))
        step = np.where(np.arange(p) == 0, 1.0, 2.0) * np.where(np.arange(p) % 2 == 0, 1.0, -1.0)
        back[:p, 0] = back[p : 2 * p, 1] = step
        V, c = layers.pop()
        layers += [Layer(V @ rise, c @ rise + start), Layer(back, np.zeros(2))]
    angle = np.pi * (np.arange(widths[-1]) + 0.5) / widths[-1]
    normals = np.stack([np.cos(angle), np.sin(angle)])
    # Lines that nearly pass through the middle, each off it by another amount: no three meet in a point.
    offset = 0.02 * np.cos(2.0 + 3.0 * np.arange(widths[-1])) - normals.sum(axis=0) / 2
    V, c = layers.pop()
    layers.append(Layer(V @ normals, c @ normals + offset))
    return [*layers, Layer(np.ones((widths[-1], 1)), np.zeros(1))]
