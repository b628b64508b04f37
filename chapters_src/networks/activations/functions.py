"""Activation functions and their derivatives, entry by entry: what stands between the layers of a network.

Only exponentials of negative numbers are computed, so that nothing overflows. An array of float32 comes back
as float32, anything else as float64. At a kink the derivative is the one-sided one that torch takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr  # Φ(a) = ½(1 + erf(a/√2)), with all digits in both tails

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "elu",
    "elu_derivative",
    "gelu",
    "gelu_derivative",
    "leaky_relu",
    "leaky_relu_derivative",
    "prelu",
    "prelu_derivative",
    "prelu_slope_derivative",
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


def _read(function: str, a: Any) -> Float[ndarray, "*shape"]:
    """The pre-activations as finite floats: float32 stays, everything else becomes float64."""
    if type(a) is ndarray and a.dtype == np.float32 and a.size and np.isfinite(a).all():
        return a  # the quick way through, because every layer of every step comes by
    checked = checks.array(function, "a", a)
    return checked.astype(np.float32) if getattr(a, "dtype", None) == np.float32 else checked


def step(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """A neuron that fires or does not: φ(a) = 1 for a ≥ 0, else 0.   {eq}`eq-deep-step`"""
    a = _read("step", a)
    return np.asarray((a >= 0).astype(a.dtype))


def step_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """0 everywhere. At a = 0 there is no derivative, and descent learns nothing through a step."""
    return np.zeros_like(_read("step_derivative", a))


def _tail(a: Float[ndarray, "*shape"], slope: float) -> Float[ndarray, "*shape"]:
    """e^(−|slope · a|), which is 0 at worst."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(-np.abs(a * slope)))


def _sigmoid(a: Float[ndarray, "*shape"], slope: float = 1.0) -> Float[ndarray, "*shape"]:
    small = _tail(a, slope)
    # Masks by arithmetic: `where` waits at every entry to see which branch it is.
    return np.asarray(np.maximum(small, (a >= 0).astype(a.dtype)) / (1 + small))


def _sigmoid_derivative(a: Float[ndarray, "*shape"], slope: float = 1.0) -> Float[ndarray, "*shape"]:
    small = _tail(a, slope)
    return np.asarray(slope * small / (1 + small) ** 2)


def sigmoid(a: Float[ndarray, "*shape"] | float, slope: float = 1.0) -> Float[ndarray, "*shape"]:
    """The logistic function, a step that takes its time: the larger the slope, the less of it.

    σ(sa) = 1 / (1 + e⁻ˢᵃ),  s = ``slope``               {eq}`eq-deep-sigmoid`
    """
    return _sigmoid(_read("sigmoid", a), checks.number("sigmoid", "slope", slope, above=0))


def sigmoid_derivative(a: Float[ndarray, "*shape"] | float, slope: float = 1.0) -> Float[ndarray, "*shape"]:
    """dσ(sa)/da = s σ(sa)(1 − σ(sa)), at most s/4. Written with e⁻|ˢᵃ|, it keeps its digits far out."""
    name = "sigmoid_derivative"
    return _sigmoid_derivative(_read(name, a), checks.number(name, "slope", slope, above=0))


def tanh(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """A sigmoid stretched to (−1, 1): tanh a = 2σ(2a) − 1.           {eq}`eq-deep-tanh`"""
    return np.asarray(np.tanh(_read("tanh", a)))


def tanh_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """tanh′ a = 1 − tanh² a = 4e⁻²|ᵃ|/(1 + e⁻²|ᵃ|)²; only the last form keeps its digits far out."""
    return np.asarray(2 * _sigmoid_derivative(_read("tanh_derivative", a), 2.0))


def relu(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """The hinge: φ(a) = max(0, a).                                   {eq}`eq-deep-relu`"""
    return np.asarray(np.maximum(_read("relu", a), 0))


def relu_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """1 where a > 0, else 0."""
    a = _read("relu_derivative", a)
    return np.asarray((a > 0).astype(a.dtype))


def leaky_relu(a: Float[ndarray, "*shape"] | float, slope: float = 0.01) -> Float[ndarray, "*shape"]:
    """A hinge that lets a little through: φ(a) = max(0, a) + s min(0, a).   {eq}`eq-deep-leaky`"""
    a, slope = _read("leaky_relu", a), checks.number("leaky_relu", "slope", slope, at_least=0)
    return np.asarray(np.maximum(a, 0) + slope * np.minimum(a, 0))


def leaky_relu_derivative(
    a: Float[ndarray, "*shape"] | float, slope: float = 0.01
) -> Float[ndarray, "*shape"]:
    """1 where a > 0, else s."""
    name = "leaky_relu_derivative"
    a, slope = _read(name, a), checks.number(name, "slope", slope, at_least=0)
    return np.asarray(slope + (1 - slope) * (a > 0).astype(a.dtype))


def _slopes(function: str, slope: Any, a: ndarray) -> ndarray:
    """The slopes of PReLU: one for all units, or one for each entry of the last axis."""
    if np.ndim(slope) == 0:
        return np.asarray(checks.number(function, "slope", slope), dtype=a.dtype)
    units = a.shape[-1] if a.ndim else 1
    return checks.vector(function, "slope", slope, length=units, per="unit").astype(a.dtype)


def prelu(
    a: Float[ndarray, "*shape"] | float, slope: float | Float[ndarray, "units"] = 0.25
) -> Float[ndarray, "*shape"]:
    """A leaky hinge whose slope is learned, one per unit: φ(a) = max(0, a) + s min(0, a)."""
    a = _read("prelu", a)
    return np.asarray(np.maximum(a, 0) + _slopes("prelu", slope, a) * np.minimum(a, 0)).reshape(a.shape)


def prelu_derivative(
    a: Float[ndarray, "*shape"] | float, slope: float | Float[ndarray, "units"] = 0.25
) -> Float[ndarray, "*shape"]:
    """∂φ/∂a: 1 where a > 0, else s."""
    a = _read("prelu_derivative", a)
    slopes = _slopes("prelu_derivative", slope, a)
    return np.asarray(slopes + (1 - slopes) * (a > 0).astype(a.dtype)).reshape(a.shape)


def prelu_slope_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """∂φ/∂s = min(0, a), with which PReLU learns its slope."""
    return np.asarray(np.minimum(_read("prelu_slope_derivative", a), 0))


def softplus(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """A hinge without a kink: log(1 + eᵃ) = max(0, a) + log(1 + e⁻|ᵃ|).   {eq}`eq-deep-softplus`"""
    a = _read("softplus", a)
    return np.asarray(np.maximum(a, 0) + np.log1p(_tail(a, 1.0)))


def softplus_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """The derivative of the softplus is the sigmoid."""
    return _sigmoid(_read("softplus_derivative", a))


def elu(a: Float[ndarray, "*shape"] | float, alpha: float = 1.0) -> Float[ndarray, "*shape"]:
    """a for a ≥ 0, else α(eᵃ − 1): a hinge that settles at −α.       {eq}`eq-deep-elu`"""
    a, alpha = _read("elu", a), checks.number("elu", "alpha", alpha, at_least=0)
    return np.asarray(np.maximum(a, 0) + alpha * np.expm1(np.minimum(a, 0)))


def elu_derivative(a: Float[ndarray, "*shape"] | float, alpha: float = 1.0) -> Float[ndarray, "*shape"]:
    """1 for a > 0, else αeᵃ."""
    a, alpha = _read("elu_derivative", a), checks.number("elu_derivative", "alpha", alpha, at_least=0)
    above = (a > 0).astype(a.dtype)
    return np.asarray(above + (1 - above) * alpha * np.exp(np.minimum(a, 0)))


def gelu(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """a times the chance that a standard normal number lies below it: aΦ(a).   {eq}`eq-deep-gelu`"""
    a = _read("gelu", a)
    return np.asarray(a * ndtr(a))


def gelu_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """Φ(a) + a e^(−a²/2)/√(2π): negative left of about −0.75, for GELU falls there before it rises."""
    a = _read("gelu_derivative", a)
    with np.errstate(over="ignore"):
        density = np.exp(-0.5 * a * a) / float(np.sqrt(2 * np.pi))
    return np.asarray(ndtr(a) + a * density)


def silu(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """a times its own sigmoid, also called swish: aσ(a).              {eq}`eq-deep-silu`"""
    a = _read("silu", a)
    return np.asarray(a * _sigmoid(a))


def silu_derivative(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """σ(a) + aσ(a)(1 − σ(a)): negative left of about −1.28."""
    a = _read("silu_derivative", a)
    return np.asarray(_sigmoid(a) + a * _sigmoid_derivative(a))


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
