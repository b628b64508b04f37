"""Shallow networks: one hidden layer, and for one input every joint and every linear piece of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Bool, Float, ndarray

__all__ = [
    "Network",
    "Pieces",
    "Steps",
    "active",
    "affine_on",
    "linear_pieces",
    "parameter_count",
    "relu",
    "side_by_side",
    "steps",
]

BLOCK = 65_536  # activations computed at a time, half a megabyte


def relu(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """The rectified linear unit, a hinge: nothing below zero, the identity above.

    φ(a) = max(0, a)                                  {eq}`eq-shallow-relu`
    """
    return np.maximum(checks.array("relu", "a", a), 0.0)


def parameter_count(inputs: int, hidden: int, outputs: int) -> int:
    """How many numbers a shallow network has to learn.

    D_h(D_i + 1) + D_o(D_h + 1), and so 3D + 1 for one input and one output     {eq}`eq-shallow-parameters`
    """
    inputs = checks.integer("parameter_count", "inputs", inputs, at_least=1)
    hidden = checks.integer("parameter_count", "hidden", hidden, at_least=0)
    outputs = checks.integer("parameter_count", "outputs", outputs, at_least=1)
    return hidden * (inputs + 1) + outputs * (hidden + 1)


@dataclass(frozen=True)
class Network:
    """The parameters of a network with D_i inputs, D_h hidden units and D_o outputs; call it to use it.

    ŷ = φ(XW₁ + b₁)W₂ + b₂,  φ = relu                 {eq}`eq-shallow-network`
    """

    W1: Float[ndarray, "D_i D_h"]
    b1: Float[ndarray, "D_h"]
    W2: Float[ndarray, "D_h D_o"]
    b2: Float[ndarray, "D_o"]

    def __post_init__(self) -> None:
        W1 = checks.matrix("Network", "W1", self.W1)
        hidden = W1.shape[1]
        b1 = checks.vector("Network", "b1", self.b1, length=hidden, per="column of W1")
        W2 = checks.array("Network", "W2", self.W2)
        if W2.ndim != 2 or len(W2) != hidden:
            checks.fail("Network", "W2", f"have shape ({hidden}, D_o), one row per hidden unit", W2.shape)
        b2 = checks.vector("Network", "b2", self.b2, length=W2.shape[1], per="column of W2")
        for name, value in (("W1", W1), ("b1", b1), ("W2", W2), ("b2", b2)):
            own = value.copy()  # nobody else can change what the network has learned
            own.flags.writeable = False
            object.__setattr__(self, name, own)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """D_i, D_h and D_o."""
        return len(self.W1), len(self.b1), len(self.b2)

    def __call__(self, X: Float[ndarray, "n D_i"]) -> Float[ndarray, "n D_o"]:
        X = checks.matrix("Network", "X", X, columns=len(self.W1), per="input")
        y_hat = np.empty((len(X), len(self.b2)))
        # A block of activations stays in the cache from one step to the next; all of them would not.
        block = max(1, BLOCK // len(self.b1))
        for first in range(0, len(X), block):
            rows = slice(first, first + block)
            h = X[rows] @ self.W1
            h += self.b1
            np.maximum(h, 0.0, out=h)
            np.matmul(h, self.W2, out=y_hat[rows])
        y_hat += self.b2
        return y_hat


class Steps(NamedTuple):
    """What happens on the way: pre-activations, activations, output."""

    a: Float[ndarray, "n D_h"]
    h: Float[ndarray, "n D_h"]
    y_hat: Float[ndarray, "n D_o"]


def steps(network: Network, X: Float[ndarray, "n D_i"]) -> Steps:
    """The three steps of a shallow network: linear functions, clipped, added up with weights.

    a = XW₁ + b₁,  h = φ(a),  ŷ = hW₂ + b₂            {eq}`eq-shallow-steps`
    """
    network = _network("steps", network)
    X = checks.matrix("steps", "X", X, columns=len(network.W1), per="input")
    a = X @ network.W1 + network.b1  # (n, D_i) @ (D_i, D_h) -> (n, D_h)
    h = np.maximum(a, 0.0)
    return Steps(a, h, h @ network.W2 + network.b2)


def active(network: Network, X: Float[ndarray, "n D_i"]) -> Bool[ndarray, "n D_h"]:
    """Which hidden units are switched on, a > 0, at each row of X: the pattern that names a linear region."""
    network = _network("active", network)
    X = checks.matrix("active", "X", X, columns=len(network.W1), per="input")
    return X @ network.W1 + network.b1 > 0


def affine_on(
    network: Network, pattern: Bool[ndarray, "D_h"]
) -> tuple[Float[ndarray, "D_i D_o"], Float[ndarray, "D_o"]]:
    """The matrix A and offset c of the affine map that the network is wherever ``pattern`` is on.

    A = W₁ diag(p) W₂,  c = (b₁ ∘ p)W₂ + b₂           {eq}`eq-shallow-region`
    """
    network = _network("affine_on", network)
    on = checks.vector("affine_on", "pattern", pattern, length=len(network.b1), per="hidden unit")
    if not np.isin(on, (0, 1)).all():
        checks.fail("affine_on", "pattern", "be true or false for each hidden unit", "other numbers")
    return (network.W1 * on) @ network.W2, (network.b1 * on) @ network.W2 + network.b2


class Pieces(NamedTuple):
    """A piecewise linear function: joints in rising order, and slope and intercept of each piece between."""

    joints: Float[ndarray, "r"]
    slopes: Float[ndarray, "r+1 D_o"]
    intercepts: Float[ndarray, "r+1 D_o"]

    @property
    def regions(self) -> int:
        """The number of pieces, the two unbounded ones included."""
        return len(self.slopes)


def linear_pieces(network: Network) -> Pieces:
    """Joints, slopes and intercepts of a network with one input, found without rounding.

    Unit d bends at t = −b/w, where the slope rises by |w|v from left to right    {eq}`eq-shallow-jump`

    In fractions, so that units which share a joint, cancel there, or never bend are seen for what they are.
    Only the results are rounded.
    """
    network = _network("linear_pieces", network)
    if len(network.W1) != 1:
        checks.fail("linear_pieces", "network", "have one input", f"{len(network.W1)} inputs")
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
        return checks.fail("linear_pieces", "network", "have joints that a float can hold", "larger ones")


def side_by_side(networks: list[Network], scales: Float[ndarray, "m"] | None = None) -> Network:
    """One network whose output is the weighted sum of several: their hidden units side by side.

    ŷ = Σ_m s_m ŷ_m,  with W₁ = [W₁¹ W₁² …] and s_m W₂ᵐ stacked                {eq}`eq-shallow-ridge`
    """
    if not isinstance(networks, (list, tuple)) or not networks:
        checks.fail(
            "side_by_side", "networks", "be a list of one network or more", f"a {type(networks).__name__}"
        )
    parts = [_network("side_by_side", one, "networks") for one in networks]
    ends = {(one.sizes[0], one.sizes[2]) for one in parts}
    if len(ends) > 1:
        checks.fail("side_by_side", "networks", "agree in their inputs and outputs", sorted(ends))
    given = np.ones(len(parts)) if scales is None else scales
    s = checks.vector("side_by_side", "scales", given, length=len(parts), per="network")
    return Network(
        np.hstack([one.W1 for one in parts]),
        np.concatenate([one.b1 for one in parts]),
        np.vstack([s_m * one.W2 for s_m, one in zip(s, parts, strict=True)]),
        np.sum([s_m * one.b2 for s_m, one in zip(s, parts, strict=True)], axis=0),
    )


def _network(function: str, network: Network, name: str = "network") -> Network:
    if not isinstance(network, Network):
        checks.fail(function, name, "be a Network", f"a {type(network).__name__}")
    return network
