"""Training by backpropagation, and the instruments to look at it: gradient checks, sizes, dead units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, refuse, require
from chapters_src.core.progress import bar
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.networks.backprop.fast import targets, written_into
from chapters_src.networks.backprop.passes import LOSSES, Trace, forward
from chapters_src.networks.shallow import (
    Layer,
    Layers,
    fits_layers,
    fitting_layers,
    flat,
    layer_widths,
    layers_from,
)
from chapters_src.optimisation.stochastic import Optimiser, fit_batches

__all__ = [
    "Sizes",
    "Training",
    "dead_units",
    "fit",
    "gradient_check",
    "objective",
    "predicted_classes",
    "signal_sizes",
]

Backward = Callable[[Trace, Layers, ndarray], list[Layer]]  # (trace, layers, Δ) -> gradients


@checked(widths=layer_widths, phi=one_of(ACTIVATIONS), loss=one_of(LOSSES))
def objective(
    X: Float[ndarray, "n d"],
    y: Any,
    widths: Sequence[int],
    phi: str = "relu",
    loss: str = "cross-entropy",
    backward: Backward | None = None,
) -> Callable[[Any, Any], tuple[float, Any]]:
    """A function of (θ, rows) that gives the loss on those rows and its gradient, for any optimiser.

    Where numbers overflow the loss is infinite. Another ``backward``, such as a wrong one, can be put in.
    """
    if X.shape[1] != widths[0]:
        refuse("X", f"have shape (n, {widths[0]}), one column per input", X.shape)
    y = targets(y, len(X), widths[-1], loss)

    def loss_and_gradient(theta: Any, rows: Any) -> tuple[float, Any]:
        layers, gradient = bare(layers_from)(theta, widths), np.zeros(len(theta))
        try:
            if backward is None:
                into = bare(layers_from)(gradient, widths)
                return written_into(into, layers, X[rows], y[rows], phi, loss), gradient
            trace = forward(layers, X[rows], phi)
            value, delta = LOSSES[loss](trace.a[-1], y[rows])
            return value, flat(backward(trace, layers, delta))
        except FloatingPointError:
            return np.inf, np.zeros(len(theta))

    return loss_and_gradient


class Training(NamedTuple):
    """Where training ended, the loss of every batch before its step, and what was watched each epoch."""

    layers: list[Layer]
    losses: Float[ndarray, "t"]
    watched: list[Any]


@checked(layers=fitting_layers, X=fits_layers, epochs=at_least(1), batch_size=at_least(1))
def fit(
    layers: Layers,
    X: Float[ndarray, "n d"],
    y: Any,
    optimiser: Optimiser,
    epochs: int,
    batch_size: int,
    rng: np.random.Generator,
    objective: Callable[..., Callable[[Any, Any], tuple[float, Any]]] = objective,
    watch: Callable[[list[Layer]], Any] | None = None,
    progress: bool | None = None,
) -> Training:
    """Train from the given layers by mini-batches, in float64; where training diverges it ends early.

    ``objective(X, y, widths)`` makes the function of (θ, rows) that is minimised; ``watch(layers)`` is called
    before the first epoch and after every epoch. A bar shows the progress to somebody who waits, unless
    ``progress`` says otherwise.
    """
    widths = (len(layers[0].W), *(len(b) for _, b in layers))
    theta = flat(layers).astype(np.float64)
    step = objective(X.astype(np.float64), y, widths)
    losses, watched = [], [watch(layers_from(theta, widths))] if watch else []
    for _ in bar(range(epochs), "epochs", show=progress):
        epoch = fit_batches(step, len(X), theta, optimiser, 1, batch_size, rng)
        theta = epoch.theta
        losses.append(epoch.losses)
        if watch:
            watched.append(watch(layers_from(theta, widths)))
        if not np.isfinite(epoch.losses[-1]):
            break
    return Training(layers_from(theta, widths), np.concatenate(losses), watched)


@checked(layers=fitting_layers, X=fits_layers, phi=one_of(ACTIVATIONS))
def predicted_classes(layers: Layers, X: Float[ndarray, "n d"], phi: str = "relu") -> Int[ndarray, "n"]:
    """The class with the largest output, for each row of X."""
    return bare(forward)(layers, X, phi).a[-1].argmax(axis=1)


@checked(
    layers=fitting_layers,
    X=fits_layers,
    gradients=fitting_layers,
    phi=one_of(ACTIVATIONS),
    loss=one_of(LOSSES),
    step=above(0),
)
def gradient_check(
    layers: Layers,
    X: Float[ndarray, "n d"],
    y: Any,
    gradients: Layers,
    rng: np.random.Generator,
    phi: str = "relu",
    loss: str = "cross-entropy",
    step: float = 1e-4,
) -> Float[ndarray, "L 2"]:
    """The relative error of the gradient of every W and b, one layer a row, by moving it back and forth.

    |s − gᵀv| / max(|s|, |gᵀv|),  s = (L(θ + hv) − L(θ − hv)) / 2h          {eq}`eq-backprop-check`

    v is a random direction of length 1 in one W or one b at a time, so that two forward passes look at all of
    its entries and a wrong one is found where it is. Rounding spoils this in float32, which is refused.
    """
    if layers[0].W.dtype != np.float64:
        refuse("layers", "be float64, or rounding hides the error", layers[0].W.dtype)
    if [W.shape for W, _ in gradients] != [W.shape for W, _ in layers]:
        refuse("gradients", "have the shapes of the layers", [W.shape for W, _ in gradients])

    def moved(l: int, part: int, by: ndarray) -> float:
        """The loss after one W or b has moved."""
        there = [list(layer) for layer in layers]
        there[l][part] = there[l][part] + by
        return LOSSES[loss](forward([Layer(W, b) for W, b in there], X, phi).a[-1], y).value

    errors = np.empty((len(layers), 2))
    for l, gradient in enumerate(gradients):
        for part in (0, 1):
            v = rng.standard_normal(gradient[part].shape)
            v /= np.linalg.norm(v)
            numeric = (moved(l, part, step * v) - moved(l, part, -step * v)) / (2 * step)
            claimed = float(np.vdot(gradient[part], v))
            errors[l, part] = abs(numeric - claimed) / max(abs(numeric), abs(claimed), 1e-12)
    return errors


class Sizes(NamedTuple):
    """The root mean square, layer by layer, of what goes forward and of what comes back."""

    h: Float[ndarray, "L"]
    delta: Float[ndarray, "L"]
    gradient: Float[ndarray, "L"]


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
    """The share of each hidden layer's units whose pre-activation is negative on every example of a batch.

    Behind a ReLU such a unit puts out 0 and has gradient 0: on these examples it cannot learn.
    """
    require(len(trace.a) >= 2, "trace", "come from a network with a hidden layer", "one layer")
    return np.array([float((a <= 0).all(axis=0).mean()) for a in trace.a[:-1]])
