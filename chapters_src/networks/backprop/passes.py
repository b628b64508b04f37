"""A multilayer perceptron by hand: forward, losses and backward in matrix form for a whole batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, refuse, require
from chapters_src.core.readers import one_of, own_precision
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.softmax import cross_entropy, cross_entropy_gradient
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.networks.shallow import Layer, Layers, fits_layers, fitting_layers

__all__ = [
    "LOSSES",
    "Loss",
    "Trace",
    "backward",
    "cross_entropy_loss",
    "forward",
    "loss_and_gradients",
    "squared_loss",
]


class Trace(NamedTuple):
    """What the forward pass leaves for the backward pass: every a, and every h with h[0] = X.

    ``a[l]`` comes from ``h[l]``, and ``h[l + 1]`` from ``a[l]``; ``a[-1]`` is the output of the network.
    """

    a: list[Float[ndarray, "n _"]]
    h: list[Float[ndarray, "n _"]]
    phi: str


class Loss(NamedTuple):
    """The mean loss L of a batch, and Δ = ∂L/∂ŷ, in the shape of the network's output ŷ."""

    value: float
    delta: Float[ndarray, "n k"]


@checked(layers=fitting_layers, X=fits_layers, phi=one_of(ACTIVATIONS))
def forward(layers: Layers, X: Float[ndarray, "n d"], phi: str = "relu") -> Trace:
    """Run a batch through the network and keep what the backward pass will need.

    h₀ = X,  a_l = h_{l−1}W_l + b_l,  h_l = φ(a_l),  ŷ = a_K        {eq}`eq-backprop-forward`

    The last layer has no activation. The precision is that of the layers: float32 stays float32. A network
    whose numbers overflow raises `FloatingPointError`.
    """
    activate, trace = bare(ACTIVATIONS[phi].value), Trace([], [X], phi)
    for W, b in layers:
        if trace.a:
            trace.h.append(activate(trace.a[-1]))
        with np.errstate(over="ignore", invalid="ignore"):
            trace.a.append(trace.h[-1] @ W + b)  # (n, d_in) @ (d_in, d_out) + (d_out,) -> (n, d_out)
        insist_on_finite(trace.a[-1], f"the numbers of layer {len(trace.a)}")
    return trace


@checked(layers=fitting_layers, delta=own_precision)
def backward(trace: Trace, layers: Layers, delta: Float[ndarray, "n k"]) -> list[Layer]:
    """The gradients of all weights and biases, from Δ_K = ∂L/∂a_K, the last layer first.

    ∇W_l = h_{l−1}ᵀΔ_l,  ∇b_l = Δ_lᵀ1                        {eq}`eq-backprop-weights`
    Δ_{l−1} = (Δ_l W_lᵀ) ⊙ φ′(a_{l−1})                       {eq}`eq-backprop-delta`

    Every h and a is the one that the forward pass stored.
    """
    match_passes(trace, layers, delta)
    slope, gradients = bare(ACTIVATIONS[trace.phi].derivative), list[Layer]()
    delta = delta.astype(layers[0].W.dtype, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        for l in range(len(layers) - 1, -1, -1):
            gradients.insert(0, Layer(trace.h[l].T @ delta, delta.sum(axis=0)))  # (d_in, d_out) and (d_out,)
            if l:
                delta = (delta @ layers[l].W.T) * slope(trace.a[l - 1])  # (n, d_in)
    for W, b in gradients:
        insist_on_finite(W, "the gradients")
        insist_on_finite(b, "the gradients")
    return gradients


def match_passes(trace: Trace, layers: Layers, delta: Float[ndarray, "n k"]) -> None:
    """Insist that a trace comes from these layers, and that Δ has the shape of its output."""
    require(
        [a.shape[1] for a in trace.a] == [len(b) for _, b in layers],
        "trace",
        "come from forward with these layers",
        f"a trace of {len(trace.a)} layers",
    )
    if delta.shape != trace.a[-1].shape:
        refuse("delta", f"have shape {trace.a[-1].shape}, as the output", delta.shape)


def insist_on_finite(array: Float[ndarray, "*shape"], what: str) -> None:
    """Raise `FloatingPointError` unless all entries are finite, which a finite sum of squares proves."""
    row = array.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(np.dot(row, row)) and not np.isfinite(row).all():
            raise FloatingPointError(f"{what} overflow {array.dtype}")


@checked(y_hat=own_precision)
def squared_loss(y_hat: Float[ndarray, "n k"], y: Float[ndarray, "n k"]) -> Loss:
    """The squared error of an average example, its outputs added up.

    L = (1/n) Σᵢ‖ŷᵢ − yᵢ‖²,  Δ = (2/n)(ŷ − y)                {eq}`eq-backprop-losses`
    """
    difference = np.subtract(y_hat, y, dtype=y_hat.dtype)
    with np.errstate(over="ignore"):
        return Loss(float(np.sum(difference**2)) / len(y), 2 / len(y) * difference)


@checked(logits=own_precision)
def cross_entropy_loss(logits: Float[ndarray, "n k"], y: Int[ndarray, "n"]) -> Loss:
    """The mean of −log softmax(logits)_y in nats; Y has a row of zeros and a one for each class in y.

    L = −(1/n) Σᵢ log π_{i,yᵢ},  π = softmax(logits),  Δ = (π − Y)/n          {eq}`eq-backprop-cross-entropy`
    """
    value, delta = cross_entropy(logits, y), cross_entropy_gradient(logits, y)
    return Loss(value, delta.astype(logits.dtype, copy=False))


LOSSES = {"cross-entropy": cross_entropy_loss, "squared": squared_loss}


@checked(layers=fitting_layers, X=fits_layers, phi=one_of(ACTIVATIONS), loss=one_of(LOSSES))
def loss_and_gradients(
    layers: Layers, X: Float[ndarray, "n d"], y: Any, phi: str = "relu", loss: str = "cross-entropy"
) -> tuple[float, list[Layer]]:
    """Forward, loss, backward: the loss of a batch and the gradients of all weights and biases.

    ``y`` holds classes for the loss "cross-entropy", a row of numbers per example for "squared".
    """
    trace = bare(forward)(layers, X, phi)
    value, delta = LOSSES[loss](trace.a[-1], y)
    return value, bare(backward)(trace, layers, delta)
