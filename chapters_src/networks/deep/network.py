"""Deep networks as a list of layers: evaluated for a batch, composed, counted, drawn at random.

A layer is a pair (W, b) with W of shape (inputs, outputs), used as ``X @ W + b``. An activation stands
between layers and not after the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isqrt

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow import (
    Layer,
    Layers,
    fits_layers,
    fitting_layers,
    layer_widths,
    parameter_count,
    relu,
)

__all__ = [
    "compose",
    "deep_parameters",
    "forward",
    "forward_cost",
    "hidden",
    "random_network",
    "region_limit",
    "width_within",
]

DEPTHS = between(1, 10_000)


@checked(layers=fitting_layers, X=fits_layers)
def hidden(
    layers: Layers, X: Float[ndarray, "n d"], activation: Callable[[ndarray], ndarray] = relu
) -> list[Float[ndarray, "n _"]]:
    """The activations of every hidden layer, first to last, for a batch with one example a row.

    H₀ = X,  Hₖ = φ(Hₖ₋₁Wₖ + bₖ)                       {eq}`eq-deep-layers`
    """
    phi, states = bare(activation), [X]
    for W, b in layers[:-1]:
        states.append(phi(states[-1] @ W + b))  # (n, inputs) @ (inputs, units) + (units,) -> (n, units)
    return states[1:]


@checked(layers=fitting_layers, X=fits_layers)
def forward(
    layers: Layers, X: Float[ndarray, "n d"], activation: Callable[[ndarray], ndarray] = relu
) -> Float[ndarray, "n outputs"]:
    """The outputs of a network for a batch with one example a row; nothing is squashed at the end.

    Ŷ = H_K W_{K+1} + b_{K+1},  Hₖ = φ(Hₖ₋₁Wₖ + bₖ),  H₀ = X     {eq}`eq-deep-output`
    """
    H = [X, *bare(hidden)(layers, X, activation)][-1]
    W, b = layers[-1]
    return H @ W + b


@checked(first=fitting_layers, second=fitting_layers)
def compose(first: Layers, second: Layers) -> list[Layer]:
    """One network that does what the second does to the outputs of the first.

    Ψ = VU,  ψ = vU + u  for  hV + v  followed by  yU + u    {eq}`eq-deep-compose`

    No activation stands between the two, so their touching layers are one linear map.
    """
    V, v = first[-1]
    U, u = second[0]
    require(V.shape[1] == len(U), "second", f"take {V.shape[1]} inputs, one per output of first", len(U))
    return [*first[:-1], Layer(V @ U, v @ U + u), *second[1:]]


@checked(widths=layer_widths)
def forward_cost(widths: Sequence[int]) -> int:
    """Multiplications to send one example through: Σⱼ dⱼ₋₁dⱼ, j = 1 … K + 1.   {eq}`eq-deep-cost`"""
    return sum(before * after for before, after in pairwise(widths))


@checked(width=at_least(1), depth=DEPTHS)
def deep_parameters(width: int, depth: int) -> int:
    """Parameters of a network with one input, one output and K hidden layers of m units.

    3m + 1 + (K − 1)m(m + 1)                           {eq}`eq-deep-parameters-equal`
    """
    return 3 * width + 1 + (depth - 1) * width * (width + 1)


@checked(width=at_least(1), depth=DEPTHS)
def region_limit(width: int, depth: int) -> int:
    """What K hidden layers of m hinges on one input cannot exceed: (m + 1)ᴷ pieces.   {eq}`eq-deep-limit`"""
    return int((width + 1) ** depth)


@checked(inputs=at_least(1), outputs=at_least(1), depth=DEPTHS)
def width_within(budget: int, inputs: int, outputs: int, depth: int) -> int:
    """The largest width that K equal hidden layers may have within a budget of parameters."""
    least = parameter_count([inputs, *[1] * depth, outputs])
    require(budget >= least, "budget", f"be at least {least}", budget)
    # The count is square·m² + linear·m + outputs: solve the quadratic in whole numbers.
    square, linear, left = depth - 1, inputs + outputs + depth, budget - outputs
    return left // linear if square == 0 else (isqrt(linear**2 + 4 * square * left) - linear) // (2 * square)


@checked(widths=layer_widths, scale=at_least(0), bias=at_least(0))
def random_network(
    widths: Sequence[int], rng: np.random.Generator, scale: float = 1.0, bias: float = 0.0
) -> list[Layer]:
    """Gaussian weights of standard deviation scale/√inputs, and biases of standard deviation ``bias``."""
    return [
        Layer(scale / np.sqrt(m) * rng.standard_normal((m, n)), bias * rng.standard_normal(n))
        for m, n in pairwise(widths)
    ]
