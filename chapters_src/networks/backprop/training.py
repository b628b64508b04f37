"""Training by backpropagation, and the instruments to look at it: gradient checks, sizes, dead units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks, progress
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.networks.activations.functions import ACTIVATIONS
from chapters_src.networks.backprop import mlp
from chapters_src.networks.backprop.layers import Layer, flatten, known, pairs, unflatten, widths
from chapters_src.optimisation.stochastic.batches import fit_batches
from chapters_src.optimisation.stochastic.optimisers import Optimiser

__all__ = [
    "Sizes",
    "Training",
    "accuracy",
    "dead_units",
    "fit",
    "gradient_check",
    "objective",
    "signal_sizes",
]

Backward = Callable[..., list[Layer]]  # (trace, layers, Δ, out) -> gradients, as `mlp.backward`


def objective(
    X: Float[ndarray, "n d"],
    y: Any,
    sizes: Sequence[int],
    phi: str = "relu",
    loss: str = "cross-entropy",
    backward: Backward = mlp.backward,
) -> Callable[[Any, Any], tuple[float, Any]]:
    """A function of (θ, rows) that gives the loss on those rows and its gradient, for any optimiser.

    Where numbers overflow the loss is infinite. Another ``backward``, such as a wrong one, can be put in.
    """
    sizes = widths("objective", sizes)
    X = checks.matrix("objective", "X", X, columns=sizes[0], per="input")
    y = np.asarray(y)
    if y.shape[:1] != (len(X),):
        checks.fail("objective", "y", f"have {len(X)} rows, one per row of X", f"shape {y.shape}")
    known("objective", "loss", loss, mlp.LOSSES)
    measure = mlp.LOSSES[loss]
    measure(mlp.forward(X[:1], mlp.initialise(sizes, np.random.default_rng(0)), phi).a[-1], y[:1])
    measure(np.zeros((len(X), sizes[-1])), y)  # whatever is wrong with y or phi is said now

    def loss_and_gradient(theta: Any, rows: Any) -> tuple[float, Any]:
        layers, gradient = unflatten(theta, sizes), np.zeros(len(theta))
        try:
            trace = mlp.forward(X[rows], layers, phi)
            value, delta = measure(trace.a[-1], y[rows])
            backward(trace, layers, delta, unflatten(gradient, sizes))
        except FloatingPointError:
            return np.inf, np.zeros(len(theta))
        return value, gradient

    return loss_and_gradient


class Training(NamedTuple):
    """Where training ended, the loss of every batch before its step, and what was watched each epoch."""

    layers: list[Layer]
    losses: Float[ndarray, "t"]
    watched: list[Any]


def fit(
    X: Float[ndarray, "n d"],
    y: Any,
    layers: Sequence[Layer],
    optimiser: Optimiser,
    epochs: int,
    batch_size: int,
    rng: np.random.Generator,
    phi: str = "relu",
    loss: str = "cross-entropy",
    backward: Backward = mlp.backward,
    watch: Callable[[list[Layer]], Any] | None = None,
    show: bool | None = None,
) -> Training:
    """Train from the given layers by mini-batches, in float64; where training diverges it ends early.

    ``watch(layers)`` is called before the first epoch and after every epoch. A bar shows the progress to
    somebody who waits, unless ``show`` says otherwise.
    """
    start = pairs("fit", layers)
    epochs = checks.integer("fit", "epochs", epochs, at_least=1)
    sizes = (len(start[0][0]), *(len(b) for _, b in start))
    theta = flatten(start).astype(np.float64)
    step = objective(X, y, sizes, phi, loss, backward)
    n, losses = len(X), []
    watched = [watch(unflatten(theta, sizes))] if watch else []
    for _ in progress.bar(range(epochs), "epochs", show=show):
        epoch = fit_batches(step, n, theta, optimiser, 1, batch_size, rng)
        theta = epoch.theta
        losses.append(epoch.losses)
        if watch:
            watched.append(watch(unflatten(theta, sizes)))
        if not np.isfinite(epoch.losses[-1]):
            break
    return Training(unflatten(theta, sizes), np.concatenate(losses), watched)


def accuracy(
    X: Float[ndarray, "n d"], y: Int[ndarray, "n"], layers: Sequence[Layer], phi: str = "relu"
) -> float:
    """The share of examples whose largest output is at their class."""
    output = mlp.forward(X, layers, phi).a[-1]
    y = checks.vector("accuracy", "y", y, length=len(output), per="row of X")
    return float(np.mean(output.argmax(axis=1) == mlp.classes("accuracy", y, *output.shape)))


def gradient_check(
    X: Float[ndarray, "n d"],
    y: Any,
    layers: Sequence[Layer],
    gradients: Sequence[Layer],
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
    layers, gradients = pairs("gradient_check", layers), pairs("gradient_check", gradients)
    rng = checks.generator("gradient_check", "rng", rng)
    step = checks.number("gradient_check", "step", step, above=0)
    known("gradient_check", "loss", loss, mlp.LOSSES)
    if layers[0][0].dtype != np.float64:
        checks.fail("gradient_check", "layers", "be float64, or rounding hides the error", layers[0][0].dtype)
    if [W.shape for W, _ in gradients] != [W.shape for W, _ in layers]:
        shapes = [W.shape for W, _ in gradients]
        checks.fail("gradient_check", "gradients", "have the shapes of the layers", shapes)

    def slope(l: int, part: int, v: Any) -> float:
        values = []
        for sign in (1, -1):
            moved = [list(layer) for layer in layers]
            moved[l][part] = layers[l][part] + sign * step * v
            values.append(mlp.LOSSES[loss](mlp.forward(X, [(W, b) for W, b in moved], phi).a[-1], y).value)
        return (values[0] - values[1]) / (2 * step)

    errors = np.empty((len(layers), 2))
    for l, gradient in enumerate(gradients):
        for part in (0, 1):
            v = rng.standard_normal(gradient[part].shape)
            v /= np.linalg.norm(v)
            numeric, claimed = slope(l, part, v), float(np.vdot(gradient[part], v))
            errors[l, part] = abs(numeric - claimed) / max(abs(numeric), abs(claimed), 1e-12)
    return errors


class Sizes(NamedTuple):
    """The root mean square, layer by layer, of what goes forward and of what comes back."""

    h: Float[ndarray, "L"]
    delta: Float[ndarray, "L"]
    gradient: Float[ndarray, "L"]


def signal_sizes(
    X: Float[ndarray, "n d"],
    y: Any,
    layers: Sequence[Layer],
    phi: str = "relu",
    loss: str = "cross-entropy",
) -> Sizes:
    """How large the inputs h of every layer are, its adjoints Δ, and the gradients of its weights.

    A gradient is hᵀΔ, so it may look healthy at every layer while h grows and Δ shrinks, or both do.
    """
    known("signal_sizes", "loss", loss, mlp.LOSSES)
    layers = pairs("signal_sizes", layers)
    trace = mlp.forward(X, layers, phi)
    deltas, slope = [mlp.LOSSES[loss](trace.a[-1], y).delta], ACTIVATIONS[phi].derivative
    for (W, _), a in zip(layers[:0:-1], trace.a[-2::-1], strict=True):
        deltas.insert(0, (deltas[0] @ W.T) * slope(a))
    gradients = [h.T @ delta for h, delta in zip(trace.h, deltas, strict=True)]
    return Sizes(*(np.array([_rms(part) for part in parts]) for parts in (trace.h, deltas, gradients)))


def _rms(array: Float[ndarray, "*shape"]) -> float:
    largest = float(np.abs(array).max())
    return largest * float(np.sqrt(np.mean((array / largest) ** 2))) if largest else 0.0  # no underflow


def dead_units(trace: mlp.Trace) -> Float[ndarray, "_"]:
    """The share of each hidden layer's units whose pre-activation is negative on every example of a batch.

    Behind a ReLU such a unit puts out 0 and has gradient 0: on these examples it cannot learn.
    """
    if not isinstance(trace, mlp.Trace) or len(trace.a) < 2:
        checks.fail("dead_units", "trace", "come from forward, with a hidden layer", type(trace).__name__)
    return np.array([float((a <= 0).all(axis=0).mean()) for a in trace.a[:-1]])
