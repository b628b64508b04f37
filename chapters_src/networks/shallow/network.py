"""Shallow networks: one hidden layer, the steps it takes, and several of them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, own_precision
from chapters_src.core.shapes import Bool, Float, ndarray
from chapters_src.networks.shallow.parameters import Layer

__all__ = [
    "Network",
    "Steps",
    "active",
    "relu",
    "side_by_side",
    "steps",
]


@checked(a=own_precision)
def relu(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """The rectified linear unit, a hinge: nothing below zero, the identity above.

    φ(a) = max(0, a)                                  {eq}`eq-shallow-relu`
    """
    return np.asarray(np.maximum(a, 0))


@dataclass(frozen=True, init=False)
class Network:
    """The parameters of a network with d inputs, m hidden units and K outputs; call it to use it.

    ŷ = φ(XW₁ + b₁)W₂ + b₂,  φ = relu                 {eq}`eq-shallow-network`
    """

    W1: Float[ndarray, "d m"]
    b1: Float[ndarray, "m"]
    W2: Float[ndarray, "m K"]
    b2: Float[ndarray, "K"]

    @checked
    def __init__(
        self,
        W1: Float[ndarray, "d m"],
        b1: Float[ndarray, "m"],
        W2: Float[ndarray, "m K"],
        b2: Float[ndarray, "K"],
    ) -> None:
        for name, value in (("W1", W1), ("b1", b1), ("W2", W2), ("b2", b2)):
            own = value.copy()  # nobody else can change what the network has learned
            own.flags.writeable = False
            object.__setattr__(self, name, own)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """d, m and K: how many inputs, hidden units and outputs."""
        return len(self.W1), len(self.b1), len(self.b2)

    @property
    def layers(self) -> list[Layer]:
        """The hidden layer and the layer of outputs."""
        return [Layer(self.W1, self.b1), Layer(self.W2, self.b2)]

    def __call__(self, X: Float[ndarray, "n d"]) -> Float[ndarray, "n K"]:
        return steps(self, X).y_hat


class Steps(NamedTuple):
    """What happens on the way: pre-activations, activations, output."""

    a: Float[ndarray, "n m"]
    h: Float[ndarray, "n m"]
    y_hat: Float[ndarray, "n K"]


@checked
def steps(network: Network, X: Float[ndarray, "n {network.sizes[0]}"]) -> Steps:
    """The three steps of a shallow network: linear functions, clipped, added up with weights.

    a = XW₁ + b₁,  h = φ(a),  ŷ = hW₂ + b₂            {eq}`eq-shallow-steps`
    """
    a = X @ network.W1 + network.b1  # (n, d) @ (d, m) -> (n, m)
    h = relu(a)
    return Steps(a, h, h @ network.W2 + network.b2)


@checked
def active(network: Network, X: Float[ndarray, "n {network.sizes[0]}"]) -> Bool[ndarray, "n m"]:
    """Which hidden units are switched on, a > 0, at each row of X: the pattern that names a linear region."""
    return X @ network.W1 + network.b1 > 0


def _alike(ask: Ask, value: Any) -> list[Network]:
    """Read one network or more, with the same inputs and outputs."""
    ask.require(
        isinstance(value, (list, tuple)) and value,
        "be a list of one network or more",
        f"a {type(value).__name__}",
    )
    for one in value:
        ask.require(isinstance(one, Network), "be a list of networks", f"a {type(one).__name__}")
    ends = {(one.sizes[0], one.sizes[2]) for one in value}
    ask.require(len(ends) <= 1, "agree in their inputs and outputs", sorted(ends))
    return list(value)


@checked(networks=_alike)
def side_by_side(networks: list[Network], scales: Float[ndarray, "m"] | None = None) -> Network:
    """One network whose output is the weighted sum of several: their hidden units side by side.

    ŷ = Σᵢ sᵢŷᵢ: the W₁ of all stand in one row, and under one another the W₂, each times its sᵢ
    """
    s = np.ones(len(networks)) if scales is None else scales
    require(len(s) == len(networks), "scales", f"have shape ({len(networks)},), one per network", s.shape)
    return Network(
        np.hstack([one.W1 for one in networks]),
        np.concatenate([one.b1 for one in networks]),
        np.vstack([scale * one.W2 for scale, one in zip(s, networks, strict=True)]),
        np.sum([scale * one.b2 for scale, one in zip(s, networks, strict=True)], axis=0),
    )
