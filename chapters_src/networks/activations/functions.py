"""Activation functions and their derivatives, entry by entry: what stands between the layers of a network.

Far out nothing overflows, or an overflow gives the limit that is wanted. An array of float32 comes back
as float32, anything else as float64. At a kink the derivative is the one-sided one that torch takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr  # Φ(a) = ½(1 + erf(a/√2)), with all digits in both tails

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import Ask, at_least, own_precision
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic import sigmoid, softplus
from chapters_src.networks.shallow import relu

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "elu",
    "elu_derivative",
    "gelu",
    "gelu_derivative",
    "leaky_relu",
    "leaky_relu_derivative",
    "per_unit",
    "prelu",
    "prelu_derivative",
    "relu",
    "relu_derivative",
    "sigmoid",
    "sigmoid_derivative",
    "silu",
    "silu_derivative",
    "softplus",
    "softplus_derivative",
    "step",
    "step_derivative",
    "tanh",
    "tanh_derivative",
]


class Activation(NamedTuple):
    """A function φ of each entry, and its derivative φ′ at the same entries."""

    name: str
    value: Callable[..., Float[ndarray, "*shape"]]
    derivative: Callable[..., Float[ndarray, "*shape"]]


@checked(a=own_precision)
def step(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """A neuron that fires or does not: φ(a) = 1 for a ≥ 0, else 0.   {eq}`eq-activations-step`"""
    return np.asarray((a >= 0).astype(a.dtype))


@checked(a=own_precision)
def step_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """0 everywhere. At a = 0 there is no derivative, and descent learns nothing through a step."""
    return np.zeros_like(a)


@checked(a=own_precision)
def sigmoid_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """σ′(a) = σ(a)(1 − σ(a)), at most 1/4. Written with e⁻|ᵃ|, it keeps its digits far out."""
    small = np.exp(-np.abs(a))
    return np.asarray(small / (1 + small) ** 2)


@checked(a=own_precision)
def tanh(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """A sigmoid stretched to (−1, 1): tanh a = 2σ(2a) − 1.           {eq}`eq-activations-tanh`"""
    return np.asarray(np.tanh(a))


@checked(a=own_precision)
def tanh_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """tanh′ a = 1 − tanh² a = 4e⁻²|ᵃ|/(1 + e⁻²|ᵃ|)²; only the last form keeps its digits far out."""
    with np.errstate(over="ignore"):  # 2|a| may overflow, and e^(−∞) = 0 is the right limit
        small = np.exp(-2 * np.abs(a))
    return np.asarray(4 * small / (1 + small) ** 2)


@checked(a=own_precision)
def relu_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """1 where a > 0, else 0."""
    return np.asarray((a > 0).astype(a.dtype))


@checked(a=own_precision, slope=at_least(0))
def leaky_relu(a: Float[ndarray, "*shape"], slope: float = 0.01) -> Float[ndarray, "*shape"]:
    """A hinge that lets a little through: φ(a) = max(0, a) + s min(0, a).   {eq}`eq-activations-leaky`"""
    return np.asarray(np.maximum(a, 0) + slope * np.minimum(a, 0))


@checked(a=own_precision, slope=at_least(0))
def leaky_relu_derivative(a: Float[ndarray, "*shape"], slope: float = 0.01) -> Float[ndarray, "*shape"]:
    """1 where a > 0, else s."""
    return np.asarray(slope + (1 - slope) * (a > 0).astype(a.dtype))


def per_unit(ask: Ask, slope: Any) -> Any:
    """The slopes of PReLU: one for all units, or one for each entry of the last axis of a."""
    a = ask.arguments["a"]
    units = a.shape[-1] if a.ndim else 1
    ask.require(
        not np.ndim(slope) or slope.shape == (units,), f"have shape ({units},), one per unit", slope.shape
    )
    return slope.astype(a.dtype) if np.ndim(slope) else slope


@checked(a=own_precision, slope=per_unit)
def prelu(
    a: Float[ndarray, "*shape"], slope: float | Float[ndarray, "units"] = 0.25
) -> Float[ndarray, "*shape"]:
    """A leaky hinge whose slope is learned, one per unit: φ(a) = max(0, a) + s min(0, a)."""
    return np.asarray(np.maximum(a, 0) + slope * np.minimum(a, 0)).reshape(a.shape)


@checked(a=own_precision, slope=per_unit)
def prelu_derivative(
    a: Float[ndarray, "*shape"], slope: float | Float[ndarray, "units"] = 0.25
) -> Float[ndarray, "*shape"]:
    """∂φ/∂a: 1 where a > 0, else s."""
    return np.asarray(slope + (1 - slope) * (a > 0).astype(a.dtype)).reshape(a.shape)


@checked(a=own_precision)
def softplus_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """The derivative of the softplus is the sigmoid."""
    return bare(sigmoid)(a)


@checked(a=own_precision, alpha=at_least(0))
def elu(a: Float[ndarray, "*shape"], alpha: float = 1.0) -> Float[ndarray, "*shape"]:
    """a for a ≥ 0, else α(eᵃ − 1): a hinge that settles at −α.       {eq}`eq-activations-elu`"""
    return np.asarray(np.maximum(a, 0) + alpha * np.expm1(np.minimum(a, 0)))


@checked(a=own_precision, alpha=at_least(0))
def elu_derivative(a: Float[ndarray, "*shape"], alpha: float = 1.0) -> Float[ndarray, "*shape"]:
    """1 for a > 0, else αeᵃ."""
    above = (a > 0).astype(a.dtype)
    return np.asarray(above + (1 - above) * alpha * np.exp(np.minimum(a, 0)))


@checked(a=own_precision)
def gelu(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """a times the chance that a standard normal number lies below it: aΦ(a).   {eq}`eq-activations-gelu`"""
    return np.asarray(a * ndtr(a))


@checked(a=own_precision)
def gelu_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """Φ(a) + a e^(−a²/2)/√(2π): negative left of about −0.75, for GELU falls there before it rises."""
    with np.errstate(over="ignore"):
        density = np.exp(-0.5 * a * a) / float(np.sqrt(2 * np.pi))
    return np.asarray(ndtr(a) + a * density)


@checked(a=own_precision)
def silu(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """a times its own sigmoid, also called swish: aσ(a).              {eq}`eq-activations-silu`"""
    with np.errstate(over="ignore"):  # e⁻ᵃ may overflow, and a/∞ = 0 is the right limit
        return np.asarray(a / (1 + np.exp(-a)))


@checked(a=own_precision)
def silu_derivative(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """σ(a) + aσ(a)(1 − σ(a)): negative left of about −1.28."""
    return np.asarray(bare(sigmoid)(a) + a * bare(sigmoid_derivative)(a))


ACTIVATIONS: dict[str, Activation] = {
    value.__name__: Activation(value.__name__, value, derivative)
    for value, derivative in [
        (step, step_derivative),
        (sigmoid, sigmoid_derivative),
        (tanh, tanh_derivative),
        (relu, relu_derivative),
        (leaky_relu, leaky_relu_derivative),
        (prelu, prelu_derivative),
        (softplus, softplus_derivative),
        (elu, elu_derivative),
        (gelu, gelu_derivative),
        (silu, silu_derivative),
    ]
}
