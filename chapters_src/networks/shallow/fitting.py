"""Fitting a shallow network: the outer weights exactly, or all parameters with gradients from torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from chapters_src.core.contract import bare, checked, refuse
from chapters_src.core.device import Device
from chapters_src.core.modules import layers_of
from chapters_src.core.readers import at_least, counts
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.core.tensor_readers import like
from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.networks.shallow.network import Network, relu
from chapters_src.networks.shallow.parameters import layers_from, parameter_count

__all__ = ["fit_outer", "network_from", "objective", "quantile_layer", "squared_error", "start"]

three = counts("be three: inputs, hidden units, outputs", least=3, most=3)


@checked(hidden=at_least(1))
def quantile_layer(x: Float[ndarray, "n"], hidden: int) -> tuple[Float[ndarray, "1 m"], Float[ndarray, "m"]]:
    """A hidden layer for one input: joints at the least x and at equal shares of the data above it.

    W₁ = (1 … 1),  b₁ = −(quantiles 0, 1/m, …, (m−1)/m of x)
    """
    return np.ones((1, hidden)), -np.quantile(x, np.arange(hidden) / hidden)


@checked(ridge=at_least(0))
def fit_outer(
    W1: Float[ndarray, "d m"],
    b1: Float[ndarray, "m"],
    X: Float[ndarray, "n d"],
    Y: Float[ndarray, "n *k"],
    ridge: float = 0.0,
) -> Network:
    """The best outer weights for a hidden layer that stays as it is: least squares on the activations.

    min over W₂, b₂ of ‖φ(XW₁ + b₁)W₂ + b₂ − Y‖² + λ‖(W₂, b₂)‖²                {eq}`eq-shallow-outer`

    With the hidden layer fixed the model is linear in what is left, so this is one solve and no descent.
    """
    h = relu(X @ W1 + b1)
    theta = least_squares(with_bias(h), Y.reshape(len(Y), -1), ridge)  # b₂ on top of W₂
    return Network(W1, b1, theta[1:], theta[0])


@checked(sizes=three)
def start(sizes: Sequence[int], rng: np.random.Generator) -> Float[ndarray, "p"]:
    """A θ to start from: weights of variance 2/inputs and 1/hidden, hidden biases standard normal."""
    d, m, K = sizes
    W1 = rng.standard_normal((d, m)) * np.sqrt(2.0 / d)
    b1, W2 = rng.standard_normal(m), rng.standard_normal((m, K)) / np.sqrt(m)
    return np.concatenate([W1.ravel(), b1, W2.ravel(), np.zeros(K)])


@checked(sizes=three)
def network_from(theta: Float[ndarray, "p"], sizes: Sequence[int]) -> Network:
    """The network whose parameters, in one vector, are θ; undoes `flat` of its layers."""
    hidden, outputs = layers_from(theta, sizes)
    return Network(*hidden, *outputs)


@checked(sizes=three, X=like("theta"), Y=like("theta"))
def squared_error(
    theta: Float[Tensor, "p"],
    X: Float[Tensor, "n {sizes[0]}"],
    Y: Float[Tensor, "n {sizes[2]}"],
    sizes: Sequence[int],
) -> Float[Tensor, ""]:
    """The mean over examples of the squared error, outputs added up.

    L(θ) = (1/n) Σᵢ ‖ŷ(xᵢ) − yᵢ‖²                     {eq}`eq-shallow-loss`
    """
    if len(theta) != parameter_count(sizes):
        refuse("theta", f"have shape ({parameter_count(sizes)},)", tuple(theta.shape))
    (W1, b1), (W2, b2) = layers_of(theta, sizes)
    y_hat = torch.relu(X @ W1 + b1) @ W2 + b2  # (n, d) -> (n, m) -> (n, K)
    return ((y_hat - Y) ** 2).sum(dim=1).mean()


@checked(sizes=three)
def objective(
    X: Float[ndarray, "n d"], Y: Float[ndarray, "n *k"], sizes: Sequence[int], device: Device = None
) -> Callable[[Any, Any], tuple[float, Any]]:
    """A function of (θ, rows) that gives the loss and its gradient, by automatic differentiation.

    How a gradient is found without torch is the subject of the chapter on backpropagation.
    """
    if X.shape[1] != sizes[0]:
        refuse("X", f"have shape (n, {sizes[0]}), one column per input", X.shape)
    Y = Y.reshape(len(X), -1)
    if Y.shape[1] != sizes[2]:
        refuse("Y", f"have {sizes[2]} columns, one per output", Y.shape[1])
    place = torch.device(device or "cpu")
    # mps knows no float64; everywhere else the book computes in it.
    dtype = torch.float32 if place.type == "mps" else torch.float64
    X_t, Y_t = torch.tensor(X, dtype=dtype, device=place), torch.tensor(Y, dtype=dtype, device=place)

    def loss_and_gradient(theta: Any, rows: Any) -> tuple[float, Any]:
        point = torch.tensor(theta, dtype=dtype, device=place, requires_grad=True)
        chosen = torch.as_tensor(rows, device=place)
        loss = bare(squared_error)(point, X_t[chosen], Y_t[chosen], sizes)
        (gradient,) = torch.autograd.grad(loss, point)
        return loss.item(), gradient.cpu().numpy().astype(np.float64)

    return loss_and_gradient
