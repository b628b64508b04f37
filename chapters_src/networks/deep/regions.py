"""Linear regions of networks of hinges (ReLU), counted exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chapters_src.core.contract import bare, checked, refuse
from chapters_src.core.readers import at_least, between, beyond, counts
from chapters_src.networks.shallow import Layer, Layers, exact_pieces, most_regions, with_one_input

__all__ = ["count_pieces", "deep_lower_bound", "tiling"]

hidden_widths = counts("list the widths of the hidden layers")


@checked(layers=with_one_input, high=beyond("low"))
def count_pieces(layers: Layers, low: float | None = None, high: float | None = None) -> int:
    """How many linear pieces a network of hinges with one input has."""
    return len(bare(exact_pieces)(layers, low, high).slope)


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
