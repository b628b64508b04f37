"""A multilayer perceptron by hand: forward, losses and backward in matrix form for a whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.networks.activations.functions import ACTIVATIONS
from chapters_src.networks.backprop.layers import (
    Layer,
    finite,
    floats,
    initialise,
    known,
    look_at,
    outline,
    pairs,
)

__all__ = [
    "LOSSES",
    "Loss",
    "Trace",
    "backward",
    "cross_entropy",
    "forward",
    "initialise",
    "loss_and_gradients",
    "squared_error",
]


def _output(function: str, name: str, value: Any) -> Float[ndarray, "n K"]:
    output = floats(function, name, value)
    if output.ndim != 2:
        checks.fail(function, name, "have two axes, one row per example", f"shape {output.shape}")
    return output


def classes(function: str, y: Any, n: int, K: int) -> Int[ndarray, "n"]:
    """Read one class, a whole number below K, for each of n rows."""
    if not (type(y) is ndarray and y.dtype.kind in "iu" and y.shape == (n,)):
        given = checks.vector(function, "y", y, length=n, per="row")
        y = given.astype(np.int64)
        if not np.array_equal(y, given):
            checks.fail(function, "y", "hold whole numbers, one class per row", "others")
    if y.min() < 0 or y.max() >= K:
        checks.fail(function, "y", f"hold classes from 0 to {K - 1}", f"{y.min()} to {y.max()}")
    return y


class Trace(NamedTuple):
    """What the forward pass leaves for the backward pass: every a, and every h with h[0] = X.

    ``a[l]`` comes from ``h[l]``, and ``h[l + 1]`` from ``a[l]``; ``a[-1]`` is the output of the network.
    """

    a: list[Float[ndarray, "n _"]]
    h: list[Float[ndarray, "n _"]]
    phi: str


class Loss(NamedTuple):
    """A loss, the mean over the batch, and Δ, its gradient in the shape of the network's output."""

    value: float
    delta: Float[ndarray, "n K"]


def forward(X: Float[ndarray, "n d"], layers: Sequence[Layer], phi: str = "relu") -> Trace:
    """Run a batch through the network and keep what the backward pass will need.

    h₀ = X,  a_l = h_{l−1}W_l + b_l,  h_l = φ(a_l),  ŷ = a_L        {eq}`eq-backprop-forward`

    The last layer has no activation. The precision is that of the layers: float32 stays float32. A network
    whose numbers overflow raises `FloatingPointError`.
    """
    layers = pairs("forward", layers)
    known("forward", "phi", phi, ACTIVATIONS)
    first = layers[0][0]
    X = floats("forward", "X", X, look=False).astype(first.dtype, copy=False)
    if X.ndim != 2 or X.shape[1] != len(first):
        checks.fail("forward", "X", f"have shape (n, {len(first)}), one column per row of W", X.shape)
    activate, trace = ACTIVATIONS[phi].value, Trace([], [X], phi)
    for W, b in layers:
        if trace.a:
            trace.h.append(activate(trace.a[-1]))
        with np.errstate(over="ignore", invalid="ignore"):
            a = trace.h[-1] @ W  # (n, d_in) @ (d_in, d_out) -> (n, d_out)
            a += b
        if not finite(a):  # a NaN or an infinity in X, W or b ends up here: to look once is enough
            floats("forward", "X", X)
            look_at("forward", layers)
            raise FloatingPointError(f"forward: the numbers of layer {len(trace.h)} overflow {a.dtype}")
        trace.a.append(a)
    return trace


def backward(
    trace: Trace, layers: Sequence[Layer], delta: Float[ndarray, "n K"], out: Sequence[Layer] | None = None
) -> list[Layer]:
    """The gradients of all weights and biases, from Δ_L = ∂L/∂a_L, the last layer first.

    ∇W_l = h_{l−1}ᵀΔ_l,  ∇b_l = Δ_lᵀ1                        {eq}`eq-backprop-weights`
    Δ_{l−1} = (Δ_l W_lᵀ) ⊙ φ′(a_{l−1})                       {eq}`eq-backprop-delta`

    Every h and a is the one that the forward pass stored. With ``out`` the gradients are written there.
    """
    layers = pairs("backward", layers)
    if not isinstance(trace, Trace) or [a.shape[1] for a in trace.a] != [len(b) for _, b in layers]:
        checks.fail("backward", "trace", "come from forward with these layers", outline(trace))
    delta = floats("backward", "delta", delta).astype(layers[0][0].dtype, copy=False)
    if delta.shape != trace.a[-1].shape:
        checks.fail("backward", "delta", f"have shape {trace.a[-1].shape}, as the output", delta.shape)
    if out is None:
        out = [(np.empty_like(W), np.empty_like(b)) for W, b in layers]
    elif _forms(out) != _forms(layers):
        checks.fail("backward", "out", "have the shapes of the layers, in their precision", outline(out))
    slope, ones = ACTIVATIONS[trace.phi].derivative, np.ones(len(delta), delta.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for l in range(len(layers) - 1, -1, -1):
            np.matmul(trace.h[l].T, delta, out=out[l][0])  # (d_in, n) @ (n, d_out) -> (d_in, d_out)
            np.matmul(ones, delta, out=out[l][1])
            if l:
                delta = delta @ layers[l][0].T  # (n, d_out) @ (d_out, d_in) -> (n, d_in)
                delta *= slope(trace.a[l - 1])
    if not all(finite(part) for pair in out for part in pair):
        look_at("backward", layers)
        raise FloatingPointError(f"backward: the gradients overflow {delta.dtype}")
    return list(out)


def _forms(layers: Any) -> list[Any]:
    """Shape and precision of every array, so that what is written to can be compared with what is to come."""
    parts = [part for pair in layers for part in pair]
    return [(part.shape, part.dtype) if isinstance(part, ndarray) else type(part) for part in parts]


def squared_error(y_hat: Float[ndarray, "n K"], y: Float[ndarray, "n K"]) -> Loss:
    """The squared error of an average example, its outputs added up.

    L = (1/n) Σᵢ‖ŷᵢ − yᵢ‖²,  Δ = (2/n)(ŷ − y)                {eq}`eq-backprop-squared`
    """
    y_hat = _output("squared_error", "y_hat", y_hat)
    y = floats("squared_error", "y", y)
    if y.shape != y_hat.shape:
        checks.fail("squared_error", "y", f"have shape {y_hat.shape}, the shape of y_hat", y.shape)
    delta = np.subtract(y_hat, y, dtype=y_hat.dtype)
    with np.errstate(over="ignore"):
        value = float(np.vdot(delta, delta)) / len(y)
        delta *= 2 / len(y)
    return Loss(value, delta)


def cross_entropy(logits: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> Loss:
    """The mean of −log softmax(logits)_y in nats; Y has a row of zeros and a one for each class in y.

    L = −(1/n) Σᵢ log P_{i,yᵢ},  P = softmax(logits),  Δ = (P − Y)/n          {eq}`eq-backprop-cross-entropy`

    The largest logit of a row is subtracted first, so that no exponential overflows.
    """
    logits = _output("cross_entropy", "logits", logits)
    n, K = logits.shape
    y = classes("cross_entropy", y, n, K)
    rows = np.arange(n)
    a = logits.T.copy()  # (K, n): sums over classes run along memory, several times as quick
    a -= a.max(axis=0)
    shifted = a[y, rows]
    P = np.exp(a, out=a)
    total = P.sum(axis=0)
    value = float((np.log(total) - shifted).sum()) / n
    P /= total * n
    P[y, rows] -= 1 / n
    return Loss(value, P.T)


LOSSES = {"cross-entropy": cross_entropy, "squared": squared_error}


def loss_and_gradients(
    X: Float[ndarray, "n d"],
    y: Any,
    layers: Sequence[Layer],
    phi: str = "relu",
    loss: str = "cross-entropy",
    out: Sequence[Layer] | None = None,
) -> tuple[float, list[Layer]]:
    """Forward, loss, backward: the loss of a batch and the gradients of all weights and biases.

    ``y`` holds classes for the loss "cross-entropy", a row of numbers per example for "squared".
    """
    known("loss_and_gradients", "loss", loss, LOSSES)
    trace = forward(X, layers, phi)
    value, delta = LOSSES[loss](trace.a[-1], y)
    return value, backward(trace, layers, delta, out)
