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


@checked
def affine_on(
    network: Network, pattern: Bool[ndarray, "{network.sizes[1]}"]
) -> tuple[Float[ndarray, "d K"], Float[ndarray, "K"]]:
    """The matrix A and offset c of the affine map that the network is wherever ``pattern`` is on.

    A = W₁ diag(p) W₂,  c = (b₁ ∘ p)W₂ + b₂           {eq}`eq-shallow-region`
    """
    return (network.W1 * pattern) @ network.W2, (network.b1 * pattern) @ network.W2 + network.b2


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
    w, b = [list(map(Fraction, row.tolist())) for row in (network.W1[0], network.b1)]
    V = [list(map(Fraction, row.tolist())) for row in network.W2]
    outputs = range(len(network.b2))
    jumps: dict[Fraction, list[Fraction]] = {}
    slope, offset = [Fraction()] * len(outputs), list(map(Fraction, network.b2.tolist()))
    for w_j, b_j, v in zip(w, b, V, strict=True):
        if w_j < 0 or (w_j == 0 and b_j > 0):  # on at x = −∞, where the leftmost piece begins
            slope = [s + w_j * v_k for s, v_k in zip(slope, v, strict=True)]
            offset = [c + b_j * v_k for c, v_k in zip(offset, v, strict=True)]
        if w_j:
            at = jumps.setdefault(-b_j / w_j, [Fraction()] * len(outputs))
            at[:] = [jump + abs(w_j) * v_k for jump, v_k in zip(at, v, strict=True)]
    joints, slopes, intercepts = [], [slope], [offset]
    for t in sorted(t for t, jump in jumps.items() if any(jump)):
        joints.append(t)
        slopes.append([s + jump for s, jump in zip(slopes[-1], jumps[t], strict=True)])
        # The pieces meet at t: s·t + c = (s + jump)·t + c′, so c′ = c − jump·t.
        intercepts.append([c - jump * t for c, jump in zip(intercepts[-1], jumps[t], strict=True)])
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
