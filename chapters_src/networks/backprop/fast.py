"""Both passes for training: what can be written into is not made anew, and nothing is checked twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import one_of
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.networks.backprop.passes import LOSSES, Loss, Trace, insist_on_finite
from chapters_src.networks.shallow import Layers, fits_layers, fitting_layers

__all__ = ["loss_and_gradients_into"]


@checked(layers=fitting_layers, X=fits_layers, phi=one_of(ACTIVATIONS), loss=one_of(LOSSES))
def loss_and_gradients_into(
    out: Any, layers: Layers, X: Float[ndarray, "n d"], y: Any, phi: str = "relu", loss: str = "cross-entropy"
) -> float:
    """`loss_and_gradients`, with the gradients written into arrays of the layers' shapes and precision."""
    require(
        _forms(out) == _forms(layers),
        "out",
        "have the shapes of the layers, in their precision",
        f"a {type(out).__name__}",
    )
    return written_into(out, layers, X, targets(y, len(X), len(layers[-1].b), loss), phi, loss)


def targets(y: Any, n: int, outputs: int, loss: str) -> ndarray:
    """Read y by the loss, which says whatever is wrong with it: classes, or a row of numbers per example."""
    LOSSES[loss](np.zeros((n, outputs)), y)
    return np.asarray(y, np.int64 if loss == "cross-entropy" else np.float64)


def _forms(layers: Any) -> Any:
    """Shape and precision of every array, so that what is written to can be compared with what is to come."""
    if isinstance(layers, (list, tuple)):
        return [_forms(one) for one in layers]
    return (layers.shape, layers.dtype) if isinstance(layers, ndarray) else type(layers)


def written_into(
    out: Any, layers: Layers, X: Float[ndarray, "n d"], y: ndarray, phi: str, loss: str
) -> float:
    """The loss; the gradients are in ``out``."""
    trace = _forward(layers, X, phi)
    value, delta = QUICK[loss](trace.a[-1], y)
    _backward(trace, layers, delta, out)
    return value


def _forward(layers: Layers, X: Float[ndarray, "n d"], phi: str) -> Trace:
    activate, trace = bare(ACTIVATIONS[phi].value), Trace([], [X], phi)
    for W, b in layers:
        if trace.a:
            trace.h.append(activate(trace.a[-1]))
        with np.errstate(over="ignore", invalid="ignore"):
            a = trace.h[-1] @ W
            a += b
        insist_on_finite(a, f"the numbers of layer {len(trace.h)}")
        trace.a.append(a)
    return trace


def _backward(trace: Trace, layers: Layers, delta: Float[ndarray, "n k"], out: Any) -> None:
    slope, ones = bare(ACTIVATIONS[trace.phi].derivative), np.ones(len(delta), delta.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for l in range(len(layers) - 1, -1, -1):
            np.matmul(trace.h[l].T, delta, out=out[l][0])
            np.matmul(ones, delta, out=out[l][1])
            if l:
                delta = delta @ layers[l].W.T
                delta *= slope(trace.a[l - 1])
    for pair in out:
        for part in pair:
            insist_on_finite(part, "the gradients")


def _squared(y_hat: Float[ndarray, "n k"], y: Float[ndarray, "n k"]) -> Loss:
    delta = np.subtract(y_hat, y, dtype=y_hat.dtype)
    with np.errstate(over="ignore"):
        value = float(np.vdot(delta, delta)) / len(y)
        delta *= 2 / len(y)
    return Loss(value, delta)


def _cross_entropy(logits: Float[ndarray, "n k"], y: Int[ndarray, "n"]) -> Loss:
    n, rows = len(logits), np.arange(len(logits))
    a = logits.T.copy()  # (classes, n): sums over classes run along memory, several times as quick
    a -= a.max(axis=0)
    shifted = a[y, rows]
    P = np.exp(a, out=a)
    total = P.sum(axis=0)
    value = float((np.log(total) - shifted).sum()) / n
    P /= total * n
    P[y, rows] -= 1 / n
    return Loss(value, P.T)


QUICK = {"cross-entropy": _cross_entropy, "squared": _squared}
