"""Deep networks as a list of layers: evaluated for a batch, composed, counted, and built by hand to fold.

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
    "collapse",
    "compose",
    "deep_parameters",
    "folding",
    "forward",
    "forward_cost",
    "hidden",
    "random_network",
    "region_limit",
    "width_within",
    "zigzag",
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

    W = V U,  b = c U + d  for  h V + c  followed by  y U + d    {eq}`eq-deep-compose`

    No activation stands between the two, so their touching layers are one linear map.
    """
    V, c = first[-1]
    U, d = second[0]
    require(V.shape[1] == len(U), "second", f"take {V.shape[1]} inputs, one per output of first", len(U))
    return [*first[:-1], Layer(V @ U, c @ U + d), *second[1:]]


@checked(layers=fitting_layers)
def collapse(layers: Layers) -> Layer:
    """The one layer that equals a network without activations.

    ((XW₁ + b₁)W₂ + b₂)… = X(W₁W₂…) + (b₁W₂… + b₂… + …)   {eq}`eq-deep-collapse`
    """
    W, b = layers[0]
    for V, c in layers[1:]:
        W, b = W @ V, b @ V + c
    return Layer(W.copy(), b.copy())


@checked(widths=layer_widths)
def forward_cost(widths: Sequence[int]) -> int:
    """Multiplications to send one example through: Σⱼ dⱼ₋₁dⱼ, j = 1 … K + 1.   {eq}`eq-deep-cost`"""
    return sum(before * after for before, after in pairwise(widths))


@checked(D=at_least(1), K=DEPTHS)
def deep_parameters(D: int, K: int) -> int:
    """Parameters of K hidden layers of D units with one input and one output: 3D + 1 + (K − 1)D(D + 1)."""
    return 3 * D + 1 + (K - 1) * D * (D + 1)


@checked(D=at_least(1), K=DEPTHS)
def region_limit(D: int, K: int) -> int:
    """What K hidden layers of D hinges on one input cannot exceed: (D + 1)ᴷ regions.  {eq}`eq-deep-limit`"""
    return int((D + 1) ** K)


@checked(inputs=at_least(1), outputs=at_least(1), K=DEPTHS)
def width_within(budget: int, inputs: int, outputs: int, K: int) -> int:
    """The largest width that K equal hidden layers may have within a budget of parameters."""
    least = parameter_count([inputs, *[1] * K, outputs])
    require(budget >= least, "budget", f"be at least {least}", budget)
    # The count is AD² + BD + outputs: solve the quadratic in whole numbers.
    A, B, left = K - 1, inputs + outputs + K, budget - outputs
    return left // B if A == 0 else (isqrt(B * B + 4 * A * left) - B) // (2 * A)


@checked(widths=layer_widths, scale=at_least(0), bias=at_least(0))
def random_network(
    widths: Sequence[int], rng: np.random.Generator, scale: float = 1.0, bias: float = 0.0
) -> list[Layer]:
    """Gaussian weights of standard deviation scale/√inputs, and biases of standard deviation ``bias``."""
    return [
        Layer(scale / np.sqrt(m) * rng.standard_normal((m, n)), bias * rng.standard_normal(n))
        for m, n in pairwise(widths)
    ]


@checked(D=at_least(1))
def zigzag(D: int) -> list[Layer]:
    """A shallow network of D hinges that folds [0, 1] onto itself D times, with slopes D, −D, D, …

    f(x) = Dx − 2D φ(x − 1/D) + 2D φ(x − 2/D) − …      {eq}`eq-deep-zigzag`

    The first hinge stands at 0, the edge, so that only D − 1 joints lie inside.
    """
    signs = np.where(np.arange(D) % 2 == 0, 1.0, -1.0)
    out = np.where(np.arange(D) == 0, 1.0, 2.0) * signs  # φ(Dx − k) has slope D already
    return [Layer(np.full((1, D), float(D)), -np.arange(float(D))), Layer(out[:, None], np.zeros(1))]


@checked(D=at_least(3), K=DEPTHS)
def folding(D: int, K: int) -> list[Layer]:
    """K hidden layers of D ≥ 3 hinges with (D + 1)ᴷ linear regions on [0, 1]: the most there can be.

    Joints of one fold: 1/2D, 1/D, 2/D, …, (D − 1)/D; slopes 2D, −2D, D, −D, …   {eq}`eq-deep-folding`

    All D joints lie inside, so one hinge must open to the left, or the first piece would be flat. The third
    does: its change of slope, −2D, is then the whole slope at the left end. Two hinges cannot do it.
    """
    at = np.concatenate([[1.0], 2.0 * np.arange(1, D)])  # 2D times the joints
    facing = np.where(np.arange(D) == 2, -1.0, 1.0)
    change = np.where(np.arange(D) % 2 == 0, -1.0, 1.0)
    change[:2] = [-2.0, 1.5]  # in units of 2D, which is what each hinge rises by
    # At 0 only the hinge that opens to the left is on. What it adds there is taken off again.
    fold = [
        Layer(2.0 * D * facing[None, :], -facing * at),
        Layer(change[:, None], np.array([at[2]])),
    ]
    network = fold
    for _ in range(K - 1):
        network = compose(network, fold)
    return network
