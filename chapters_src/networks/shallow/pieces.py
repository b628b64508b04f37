"""The linear pieces of a network with one input, found in fractions.

A float is a fraction with a power of two below, and a network of hinges only adds, multiplies and compares.
So its joints are fractions too, and can be had without any rounding and without any tolerance.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, refuse
from chapters_src.core.readers import Ask, beyond
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow.network import Network
from chapters_src.networks.shallow.parameters import Layer, Layers, fitting_layers

__all__ = ["ExactPieces", "Pieces", "exact_pieces", "linear_pieces", "one_input", "with_one_input"]


class ExactPieces(NamedTuple):
    """A continuous piecewise linear function of one number: on piece i, y = offset[i] + slope[i]·x.

    Joints lie between pieces, one fewer than those. `pattern` says which hidden units are on, on each piece.
    """

    joints: list[Fraction]
    offset: list[tuple[Fraction, ...]]
    slope: list[tuple[Fraction, ...]]
    pattern: list[tuple[bool, ...]]


def with_one_input(ask: Ask, value: Any) -> list[Layer]:
    """Layers that take one input."""
    layers = fitting_layers(ask, value)
    ask.require(len(layers[0].W) == 1, "take one input", len(layers[0].W))
    return layers


@checked(layers=with_one_input, high=beyond("low"))
def exact_pieces(
    layers: Layers, low: float | None = None, high: float | None = None, merge: bool = True
) -> ExactPieces:
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
    return ExactPieces(cuts, offset, slope, patterns)


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


class Pieces(NamedTuple):
    """A piecewise linear function: joints in rising order, and slope and intercept of each piece between."""

    joints: Float[ndarray, "r"]
    slopes: Float[ndarray, "r+1 K"]
    intercepts: Float[ndarray, "r+1 K"]

    @property
    def regions(self) -> int:
        """The number of pieces, the two unbounded ones included."""
        return len(self.slopes)


def one_input(ask: Ask, network: Network) -> Network:
    """Insist on a network with one input."""
    if network.sizes[0] != 1:
        ask.fail("have one input", f"{network.sizes[0]} inputs")
    return network


@checked(network=one_input)
def linear_pieces(network: Network) -> Pieces:
    """Joints, slopes and intercepts of a network with one input, found without rounding.

    Unit j bends at t = −b/w, where the slope rises by |w|v from left to right    {eq}`eq-shallow-jump`

    In fractions, so that units which share a joint, cancel there, or never bend are seen for what they are.
    Only the results are rounded.
    """
    exact = bare(exact_pieces)(network.layers)
    try:
        return Pieces(
            *(np.array(numbers, dtype=float) for numbers in (exact.joints, exact.slope, exact.offset))
        )
    except OverflowError:
        return refuse("network", "have joints that a float can hold", "larger ones")
