"""Shallow networks: one hidden layer, and for one input every joint and every linear piece of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Ask, own_precision
from chapters_src.core.shapes import Bool, Float, ndarray
from chapters_src.networks.shallow.parameters import Layer

__all__ = [
    "Network",
    "Pieces",
    "Steps",
    "active",
    "affine_on",
    "linear_pieces",
    "one_input",
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
    """The parameters of a network with D_i inputs, D_h hidden units and D_o outputs; call it to use it.

    ŷ = φ(XW₁ + b₁)W₂ + b₂,  φ = relu                 {eq}`eq-shallow-network`
    """

    W1: Float[ndarray, "D_i D_h"]
    b1: Float[ndarray, "D_h"]
    W2: Float[ndarray, "D_h D_o"]
    b2: Float[ndarray, "D_o"]

    @checked
    def __init__(
        self,
        W1: Float[ndarray, "D_i D_h"],
        b1: Float[ndarray, "D_h"],
        W2: Float[ndarray, "D_h D_o"],
        b2: Float[ndarray, "D_o"],
    ) -> None:
        for name, value in (("W1", W1), ("b1", b1), ("W2", W2), ("b2", b2)):
            own = value.copy()  # nobody else can change what the network has learned
            own.flags.writeable = False
            object.__setattr__(self, name, own)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """D_i, D_h and D_o."""
        return len(self.W1), len(self.b1), len(self.b2)

    @property
    def layers(self) -> list[Layer]:
        """The hidden layer and the layer of outputs."""
        return [Layer(self.W1, self.b1), Layer(self.W2, self.b2)]

    def __call__(self, X: Float[ndarray, "n D_i"]) -> Float[ndarray, "n D_o"]:
        return steps(self, X).y_hat


class Steps(NamedTuple):
    """What happens on the way: pre-activations, activations, output."""

    a: Float[ndarray, "n D_h"]
    h: Float[ndarray, "n D_h"]
    y_hat: Float[ndarray, "n D_o"]


@checked
def steps(network: Network, X: Float[ndarray, "n {network.sizes[0]}"]) -> Steps:
    """The three steps of a shallow network: linear functions, clipped, added up with weights.

    a = XW₁ + b₁,  h = φ(a),  ŷ = hW₂ + b₂            {eq}`eq-shallow-steps`
    """
    a = X @ network.W1 + network.b1  # (n, D_i) @ (D_i, D_h) -> (n, D_h)
    h = relu(a)
    return Steps(a, h, h @ network.W2 + network.b2)


@checked
def active(network: Network, X: Float[ndarray, "n {network.sizes[0]}"]) -> Bool[ndarray, "n D_h"]:
    """Which hidden units are switched on, a > 0, at each row of X: the pattern that names a linear region."""
    return X @ network.W1 + network.b1 > 0


@checked
def affine_on(
    network: Network, pattern: Bool[ndarray, "{network.sizes[1]}"]
) -> tuple[Float[ndarray, "D_i D_o"], Float[ndarray, "D_o"]]:
    """The matrix A and offset c of the affine map that the network is wherever ``pattern`` is on.

    A = W₁ diag(p) W₂,  c = (b₁ ∘ p)W₂ + b₂           {eq}`eq-shallow-region`
    """
    return (network.W1 * pattern) @ network.W2, (network.b1 * pattern) @ network.W2 + network.b2


class Pieces(NamedTuple):
    """A piecewise linear function: joints in rising order, and slope and intercept of each piece between."""

    joints: Float[ndarray, "r"]
    slopes: Float[ndarray, "r+1 D_o"]
    intercepts: Float[ndarray, "r+1 D_o"]

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

    Unit d bends at t = −b/w, where the slope rises by |w|v from left to right    {eq}`eq-shallow-jump`

    In fractions, so that units which share a joint, cancel there, or never bend are seen for what they are.
    Only the results are rounded.
    """
    w, b = [list(map(Fraction, row.tolist())) for row in (network.W1[0], network.b1)]
    V = [list(map(Fraction, row.tolist())) for row in network.W2]
    outputs = range(len(network.b2))
    jumps: dict[Fraction, list[Fraction]] = {}
    slope, offset = [Fraction()] * len(outputs), list(map(Fraction, network.b2.tolist()))
    for w_d, b_d, v in zip(w, b, V, strict=True):
        if w_d < 0 or (w_d == 0 and b_d > 0):  # on at x = −∞, where the leftmost piece begins
            slope = [s + w_d * v_k for s, v_k in zip(slope, v, strict=True)]
            offset = [c + b_d * v_k for c, v_k in zip(offset, v, strict=True)]
        if w_d:
            at = jumps.setdefault(-b_d / w_d, [Fraction()] * len(outputs))
            at[:] = [j + abs(w_d) * v_k for j, v_k in zip(at, v, strict=True)]
    joints, slopes, intercepts = [], [slope], [offset]
    for t in sorted(t for t, jump in jumps.items() if any(jump)):
        joints.append(t)
        slopes.append([s + j for s, j in zip(slopes[-1], jumps[t], strict=True)])
        # The pieces meet at t: s·t + c = (s + j)·t + c′, so c′ = c − j·t.
        intercepts.append([c - j * t for c, j in zip(intercepts[-1], jumps[t], strict=True)])
    try:
        return Pieces(np.array(joints, dtype=float), np.array(slopes, float), np.array(intercepts, float))
    except OverflowError:
        return refuse("network", "have joints that a float can hold", "larger ones")


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

    ŷ = Σ_m s_m ŷ_m,  with W₁ = [W₁¹ W₁² …] and s_m W₂ᵐ stacked                {eq}`eq-shallow-ridge`
    """
    s = np.ones(len(networks)) if scales is None else scales
    require(len(s) == len(networks), "scales", f"have shape ({len(networks)},), one per network", s.shape)
    return Network(
        np.hstack([one.W1 for one in networks]),
        np.concatenate([one.b1 for one in networks]),
        np.vstack([s_m * one.W2 for s_m, one in zip(s, networks, strict=True)]),
        np.sum([s_m * one.b2 for s_m, one in zip(s, networks, strict=True)], axis=0),
    )
