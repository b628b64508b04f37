"""Training by back-propagation, and the check that a gradient is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, refuse, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.networks.backprop.passes import LOSSES, forward, loss_and_gradients
from chapters_src.networks.shallow import Layer, Layers, fits_layers, fitting_layers, flat, layers_from
from chapters_src.optimisation.stochastic import Optimiser, fit_batches

__all__ = ["fit", "gradient_check", "predicted_classes"]

Gradients = Callable[[Layers, Any, Any], tuple[float, Layers]]  # (layers, X, y) -> loss and gradients


@checked(layers=fitting_layers, X=fits_layers, epochs=at_least(1), batch_size=at_least(1))
def fit(
    layers: Layers,
    X: Float[ndarray, "n d"],
    y: Any,
    optimiser: Optimiser,
    epochs: int,
    batch_size: int,
    rng: np.random.Generator,
    gradients: Gradients = loss_and_gradients,
) -> Fit:
    """Train from the given layers by mini-batches, in float64; `layers_from` makes layers of its θ.

    ``gradients(layers, X, y)`` gives the loss of a batch and its gradients: another loss, or a wrong backward
    pass, can be put in. Where numbers overflow, training ends early with ``converged`` False.
    """
    widths, outputs = (len(layers[0].W), *(len(b) for _, b in layers)), np.asarray(y)

    require(
        outputs.shape[:1] == X.shape[:1],
        "y",
        f"have {len(X)} rows, one per row of X",
        len(outputs) if outputs.ndim else "none",
    )

    def objective(theta: Any, rows: Any) -> tuple[float, Any]:
        try:
            value, found = gradients(bare(layers_from)(theta, widths), X[rows], outputs[rows])
        except FloatingPointError:
            return np.inf, theta
        return value, flat(found)

    theta = flat(layers).astype(np.float64)
    return fit_batches(objective, len(X), theta, optimiser, epochs, batch_size, rng)


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
) -> Float[ndarray, "_ 2"]:
    """The relative error of the gradient of every W and b, a row per layer, by moving it back and forth.

    |q − uᵀg| / max(|q|, |uᵀg|),  q = (L(θ + su) − L(θ − su)) / 2s          {eq}`eq-backprop-check`

    u is a random direction of length 1 in one W or one b at a time, so that two forward passes look at all of
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
            u = rng.standard_normal(gradient[part].shape)
            u /= np.linalg.norm(u)
            numeric = (moved(l, part, step * u) - moved(l, part, -step * u)) / (2 * step)
            claimed = float(np.vdot(gradient[part], u))
            errors[l, part] = abs(numeric - claimed) / max(abs(numeric), abs(claimed), 1e-12)
    return errors
