"""Instruments to look inside a network: how large its signals and adjoints are, and which units are dead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.activations import ACTIVATIONS, is_dead
from chapters_src.networks.backprop.passes import LOSSES, Trace, forward
from chapters_src.networks.shallow import Layers, fits_layers, fitting_layers

__all__ = ["Sizes", "dead_units", "signal_sizes"]


class Sizes(NamedTuple):
    """The root mean square, layer by layer, of what goes forward and of what comes back."""

    h: Float[ndarray, "_"]
    delta: Float[ndarray, "_"]
    gradient: Float[ndarray, "_"]


@checked(layers=fitting_layers, X=fits_layers, phi=one_of(ACTIVATIONS), loss=one_of(LOSSES))
def signal_sizes(
    layers: Layers, X: Float[ndarray, "n d"], y: Any, phi: str = "relu", loss: str = "cross-entropy"
) -> Sizes:
    """How large the inputs h of every layer are, its adjoints Δ, and the gradients of its weights.

    A gradient is hᵀΔ, so it may look healthy at every layer while h grows and Δ shrinks, or both do.
    """
    trace = forward(layers, X, phi)
    deltas, slope = [LOSSES[loss](trace.a[-1], y).delta], ACTIVATIONS[phi].derivative
    for (W, _), a in zip(layers[:0:-1], trace.a[-2::-1], strict=True):
        deltas.insert(0, (deltas[0] @ W.T) * slope(a))
    gradients = [h.T @ delta for h, delta in zip(trace.h, deltas, strict=True)]
    return Sizes(*(np.array([_rms(part) for part in parts]) for parts in (trace.h, deltas, gradients)))


def _rms(array: Float[ndarray, "*shape"]) -> float:
    largest = float(np.abs(array).max())
    return largest * float(np.sqrt(np.mean((array / largest) ** 2))) if largest else 0.0  # no underflow


@checked
def dead_units(trace: Trace) -> Float[ndarray, "_"]:
    """The share of each hidden layer's units whose pre-activation is at most 0 on every example of a batch.

    Behind a ReLU such a unit puts out 0 and has gradient 0: on these examples it cannot learn.
    """
    require(len(trace.a) >= 2, "trace", "come from a network with a hidden layer", "one layer")
    return np.array([float(bare(is_dead)(a).mean()) for a in trace.a[:-1]])
