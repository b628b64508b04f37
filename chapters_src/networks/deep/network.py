"""Deep networks as a list of layers: evaluated for a batch, composed, counted, and built by hand to fold.

A layer is a pair (W, b) with W of shape (inputs, outputs), used as ``X @ W + b``. An activation stands
between layers and not after the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.activations.functions import ACTIVATIONS

__all__ = [
    "Layer",
    "collapse",
    "compose",
    "deep_parameters",
    "folding",
    "forward",
    "forward_cost",
    "hidden",
    "parameter_count",
    "random_network",
    "read_network",
    "region_limit",
    "width_within",
    "zigzag",
]

Phi = str | Callable[[ndarray], ndarray]


class Layer(NamedTuple):
    """A weight matrix and a bias, one column and one entry per unit."""

    W: Float[ndarray, "_inputs _units"]
    b: Float[ndarray, "_units"]


def read_network(function: str, layers: Any) -> list[Layer]:
    """Read a list of pairs (W, b) whose shapes fit one another, or say where they do not."""
    if not isinstance(layers, (list, tuple)) or not layers:
        checks.fail(function, "layers", "be a list of pairs (W, b)", _kind(layers))
    network: list[Layer] = []
    for k, layer in enumerate(layers):
        if not isinstance(layer, (list, tuple)) or len(layer) != 2:
            checks.fail(function, "layers", "be a list of pairs (W, b)", f"{_kind(layer)} at place {k}")
        rows = network[-1].b.size if network else None
        why = None if rows is None else f"unit of layer {k - 1}"
        W = checks.matrix(function, f"layers[{k}].W", layer[0], rows=rows, per=why)
        b = checks.vector(function, f"layers[{k}].b", layer[1], length=W.shape[1], per="column of W")
        network.append(Layer(W, b))
    return network


def _kind(value: object) -> str:
    return "an empty list" if isinstance(value, (list, tuple)) and not value else f"a {type(value).__name__}"


def _phi(function: str, activation: Phi) -> Callable[[ndarray], ndarray]:
    if callable(activation):
        return activation
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        checks.fail(
            function, "activation", f"be a function or one of {', '.join(ACTIVATIONS)}", repr(activation)
        )
    return ACTIVATIONS[activation].value


def hidden(
    layers: Sequence[Layer], X: Float[ndarray, "n d"], activation: Phi = "relu"
) -> list[Float[ndarray, "n _"]]:
    """The activations of every hidden layer, first to last, for a batch with one example a row.

    H₀ = X,  Hₖ = φ(Hₖ₋₁Wₖ + bₖ)                       {eq}`eq-deep-layers`
    """
    return _hidden("hidden", layers, X, activation)[1]


def _hidden(
    function: str, layers: Any, X: Any, activation: Phi
) -> tuple[list[Layer], list[Float[ndarray, "n _"]]]:
    network = read_network(function, layers)
    H = checks.matrix(function, "X", X, columns=len(network[0].W), per="row of the first W")
    phi, states = _phi(function, activation), []
    for W, b in network[:-1]:
        H = phi(H @ W + b)  # (n, inputs) @ (inputs, units) + (units,) -> (n, units)
        states.append(H)
    return network, states


def forward(
    layers: Sequence[Layer], X: Float[ndarray, "n d"], activation: Phi = "relu"
) -> Float[ndarray, "n outputs"]:
    """The outputs of a network for a batch with one example a row; nothing is squashed at the end.

    Ŷ = H_K W_{K+1} + b_{K+1},  Hₖ = φ(Hₖ₋₁Wₖ + bₖ),  H₀ = X     {eq}`eq-deep-output`
    """
    network, states = _hidden("forward", layers, X, activation)
    W, b = network[-1]
    return np.asarray((states[-1] if states else checks.matrix("forward", "X", X)) @ W + b)


def compose(first: Sequence[Layer], second: Sequence[Layer]) -> list[Layer]:
    """One network that does what the second does to the outputs of the first.

    W = V U,  b = c U + d  for  h V + c  followed by  y U + d    {eq}`eq-deep-compose`

    No activation stands between the two, so their touching layers are one linear map.
    """
    one, two = read_network("compose", first), read_network("compose", second)
    V, c = one[-1]
    U, d = two[0]
    if V.shape[1] != len(U):
        checks.fail("compose", "second", f"take {V.shape[1]} inputs, one per output of first", len(U))
    return [*one[:-1], Layer(V @ U, c @ U + d), *two[1:]]


def collapse(layers: Sequence[Layer]) -> Layer:
    """The one layer that equals a network without activations.

    ((XW₁ + b₁)W₂ + b₂)… = X(W₁W₂…) + (b₁W₂… + b₂… + …)   {eq}`eq-deep-collapse`
    """
    network = read_network("collapse", layers)
    W, b = network[0]
    for V, c in network[1:]:
        W, b = W @ V, b @ V + c
    return Layer(W.copy(), b.copy())


def _widths(function: str, widths: Any) -> list[int]:
    if not isinstance(widths, (list, tuple, np.ndarray)) or len(widths) < 2:
        checks.fail(function, "widths", "list the inputs, the hidden widths and the outputs", repr(widths))
    return [checks.integer(function, "widths", one, at_least=1) for one in widths]


def parameter_count(widths: Sequence[int]) -> int:
    """How many numbers a network with these widths (inputs, hidden layers, outputs) has to learn.

    Σⱼ dⱼ(dⱼ₋₁ + 1),  j = 1 … K + 1                    {eq}`eq-deep-parameters`
    """
    d = _widths("parameter_count", widths)
    return sum(after * (before + 1) for before, after in pairwise(d))


def forward_cost(widths: Sequence[int]) -> int:
    """Multiplications to send one example through: Σⱼ dⱼ₋₁dⱼ, j = 1 … K + 1.   {eq}`eq-deep-cost`"""
    d = _widths("forward_cost", widths)
    return sum(before * after for before, after in pairwise(d))


def deep_parameters(D: int, K: int) -> int:
    """Parameters of K hidden layers of D units with one input and one output: 3D + 1 + (K − 1)D(D + 1)."""
    D, K = _shape("deep_parameters", D, K)
    return 3 * D + 1 + (K - 1) * D * (D + 1)


def region_limit(D: int, K: int) -> int:
    """What K hidden layers of D hinges on one input cannot exceed: (D + 1)ᴷ regions.  {eq}`eq-deep-limit`"""
    D, K = _shape("region_limit", D, K)
    return int((D + 1) ** K)


def _shape(function: str, D: Any, K: Any, least: int = 1) -> tuple[int, int]:
    return (
        checks.integer(function, "D", D, at_least=least),
        checks.integer(function, "K", K, at_least=1),
    )


def width_within(budget: int, inputs: int, outputs: int, K: int) -> int:
    """The largest width that K equal hidden layers may have within a budget of parameters."""
    name = "width_within"
    inputs = checks.integer(name, "inputs", inputs, at_least=1)
    outputs = checks.integer(name, "outputs", outputs, at_least=1)
    K = checks.integer(name, "K", K, at_least=1)
    least = parameter_count([inputs, *[1] * K, outputs])
    budget = checks.integer(name, "budget", budget, at_least=least)
    # The count is AD² + BD + outputs: solve the quadratic in whole numbers.
    A, B, left = K - 1, inputs + outputs + K, budget - outputs
    return left // B if A == 0 else (isqrt(B * B + 4 * A * left) - B) // (2 * A)


def random_network(
    widths: Sequence[int], rng: np.random.Generator, scale: float = 1.0, bias: float = 0.0
) -> list[Layer]:
    """Gaussian weights of standard deviation scale/√inputs, and biases of standard deviation ``bias``."""
    name = "random_network"
    d, rng = _widths(name, widths), checks.generator(name, "rng", rng)
    scale = checks.number(name, "scale", scale, at_least=0)
    bias = checks.number(name, "bias", bias, at_least=0)
    return [
        Layer(scale / np.sqrt(m) * rng.standard_normal((m, n)), bias * rng.standard_normal(n))
        for m, n in pairwise(d)
    ]


def zigzag(D: int) -> list[Layer]:
    """A shallow network of D hinges that folds [0, 1] onto itself D times, with slopes D, −D, D, …

    f(x) = Dx − 2D φ(x − 1/D) + 2D φ(x − 2/D) − …      {eq}`eq-deep-zigzag`

    The first hinge stands at 0, the edge, so that only D − 1 joints lie inside.
    """
    D = checks.integer("zigzag", "D", D, at_least=1)
    signs = np.where(np.arange(D) % 2 == 0, 1.0, -1.0)
    out = np.where(np.arange(D) == 0, 1.0, 2.0) * signs  # φ(Dx − k) has slope D already
    return [Layer(np.full((1, D), float(D)), -np.arange(float(D))), Layer(out[:, None], np.zeros(1))]


def folding(D: int, K: int) -> list[Layer]:
    """K hidden layers of D ≥ 3 hinges with (D + 1)ᴷ linear regions on [0, 1]: the most there can be.

    Joints of one fold: 1/2D, 1/D, 2/D, …, (D − 1)/D; slopes 2D, −2D, D, −D, …   {eq}`eq-deep-folding`

    All D joints lie inside, so one hinge must open to the left, or the first piece would be flat. The third
    does: its change of slope, −2D, is then the whole slope at the left end. Two hinges cannot do it.
    """
    D, K = _shape("folding", D, K, least=3)
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
