"""Fitting a shallow network: the outer weights exactly, or all parameters with gradients from torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from chapters_src.core import checks
from chapters_src.core import device as devices
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.networks.shallow.network import Network, parameter_count

__all__ = [
    "fit_outer",
    "flat",
    "network_from",
    "objective",
    "quantile_layer",
    "squared_error",
    "start",
]

Device = str | torch.device | None


def quantile_layer(
    x: Float[ndarray, "n"], hidden: int
) -> tuple[Float[ndarray, "1 D_h"], Float[ndarray, "D_h"]]:
    """A hidden layer for one input: joints at the least x and at equal shares of the data above it.

    W₁ = (1 … 1),  b₁ = −(quantiles 0, 1/D, …, (D−1)/D of x)
    """
    x = checks.vector("quantile_layer", "x", x)
    hidden = checks.integer("quantile_layer", "hidden", hidden, at_least=1)
    return np.ones((1, hidden)), -np.quantile(x, np.arange(hidden) / hidden)


def fit_outer(
    W1: Float[ndarray, "D_i D_h"],
    b1: Float[ndarray, "D_h"],
    X: Float[ndarray, "n D_i"],
    Y: Float[ndarray, "n *k"],
    ridge: float = 0.0,
) -> Network:
    """The best outer weights for a hidden layer that stays as it is: least squares on the activations.

    min over W₂, b₂ of ‖φ(XW₁ + b₁)W₂ + b₂ − Y‖² + λ‖(W₂, b₂)‖²                {eq}`eq-shallow-outer`

    With the hidden layer fixed the model is linear in what is left, so this is one solve and no descent.
    """
    name = "fit_outer"
    W1 = checks.matrix(name, "W1", W1)
    b1 = checks.vector(name, "b1", b1, length=W1.shape[1], per="column of W1")
    X = checks.matrix(name, "X", X, columns=len(W1), per="row of W1")
    Y = checks.vector_or_matrix(name, "Y", Y, rows=len(X), per="row of X")
    ridge = checks.number(name, "ridge", ridge, at_least=0)
    h = np.maximum(X @ W1 + b1, 0.0)
    theta = least_squares(with_bias(h), Y.reshape(len(Y), -1), ridge)  # b₂ on top of W₂
    return Network(W1, b1, theta[1:], theta[0])


def start(sizes: Sequence[int], rng: np.random.Generator) -> Float[ndarray, "p"]:
    """A θ to start from: weights of variance 2/inputs and 1/hidden, hidden biases standard normal."""
    D_i, D_h, D_o = _sizes("start", sizes)
    rng = checks.generator("start", "rng", rng)
    W1 = rng.standard_normal((D_i, D_h)) * np.sqrt(2.0 / D_i)
    b1, W2 = rng.standard_normal(D_h), rng.standard_normal((D_h, D_o)) / np.sqrt(D_h)
    return np.concatenate([W1.ravel(), b1, W2.ravel(), np.zeros(D_o)])


def flat(network: Network) -> Float[ndarray, "p"]:
    """All parameters in one vector θ, for an optimiser: W₁ row by row, b₁, W₂ row by row, b₂."""
    if not isinstance(network, Network):
        checks.fail("flat", "network", "be a Network", f"a {type(network).__name__}")
    return np.concatenate([network.W1.ravel(), network.b1, network.W2.ravel(), network.b2])


def network_from(theta: Float[ndarray, "p"], sizes: Sequence[int]) -> Network:
    """The network whose parameters, in one vector, are θ; undoes `flat`."""
    sizes = _sizes("network_from", sizes)
    length = parameter_count(*sizes)
    theta = checks.vector("network_from", "theta", theta, length=length, per="parameter")
    return Network(*_split(theta, sizes))


def _split(theta: Any, sizes: tuple[int, int, int]) -> tuple[Any, Any, Any, Any]:
    """W₁, b₁, W₂ and b₂ as views of θ, an array or a tensor."""
    D_i, D_h, D_o = sizes
    ends = np.cumsum([D_i * D_h, D_h, D_h * D_o, D_o]).tolist()
    W1, b1 = theta[: ends[0]].reshape(D_i, D_h), theta[ends[0] : ends[1]]
    return W1, b1, theta[ends[1] : ends[2]].reshape(D_h, D_o), theta[ends[2] : ends[3]]


def squared_error(
    theta: Float[Tensor, "p"], X: Float[Tensor, "n D_i"], Y: Float[Tensor, "n D_o"], sizes: Sequence[int]
) -> Float[Tensor, ""]:
    """The mean over examples of the squared error, outputs added up.

    L(θ) = (1/n) Σᵢ ‖ŷ(xᵢ) − yᵢ‖²                     {eq}`eq-shallow-loss`
    """
    sizes = _sizes("squared_error", sizes)
    D_i, _, D_o = sizes
    for name, value, shape in (
        ("theta", theta, (parameter_count(*sizes),)),
        ("X", X, (len(X), D_i)),
        ("Y", Y, (len(X), D_o)),
    ):
        if tuple(value.shape) != shape:
            checks.fail("squared_error", name, f"have shape {shape}", tuple(value.shape))
    W1, b1, W2, b2 = _split(theta, sizes)
    y_hat = torch.relu(X @ W1 + b1) @ W2 + b2  # (n, D_i) -> (n, D_h) -> (n, D_o)
    return ((y_hat - Y) ** 2).sum(dim=1).mean()


def objective(
    X: Float[ndarray, "n D_i"], Y: Float[ndarray, "n *k"], sizes: Sequence[int], device: Device = None
) -> Callable[[Any, Any], tuple[float, Any]]:
    """A function of (θ, rows) that gives the loss and its gradient, by automatic differentiation.

    How a gradient is found without torch is the subject of the chapter on backpropagation.
    """
    sizes = _sizes("objective", sizes)
    X = checks.matrix("objective", "X", X, columns=sizes[0], per="input")
    Y = checks.vector_or_matrix("objective", "Y", Y, rows=len(X), per="row of X").reshape(len(X), -1)
    if Y.shape[1] != sizes[2]:
        checks.fail("objective", "Y", f"have {sizes[2]} columns, one per output", Y.shape[1])
    place = devices.pick(device)
    # mps knows no float64; everywhere else the book computes in it.
    dtype = torch.float32 if place.type == "mps" else torch.float64
    X_t, Y_t = torch.tensor(X, dtype=dtype, device=place), torch.tensor(Y, dtype=dtype, device=place)

    def loss_and_gradient(theta: Any, rows: Any) -> tuple[float, Any]:
        point = torch.tensor(theta, dtype=dtype, device=place, requires_grad=True)
        chosen = torch.as_tensor(rows, device=place)
        loss = squared_error(point, X_t[chosen], Y_t[chosen], sizes)
        (gradient,) = torch.autograd.grad(loss, point)
        return loss.item(), gradient.cpu().numpy().astype(np.float64)

    return loss_and_gradient


def _sizes(function: str, sizes: Sequence[int]) -> tuple[int, int, int]:
    if isinstance(sizes, str) or not isinstance(sizes, Sequence) or len(sizes) != 3:
        got = repr(sizes) if isinstance(sizes, (str, tuple, list)) else f"a {type(sizes).__name__}"
        checks.fail(function, "sizes", "be three: inputs, hidden units, outputs", got[:40])
    D_i, D_h, D_o = (checks.integer(function, "sizes", size, at_least=1) for size in sizes)
    return D_i, D_h, D_o
