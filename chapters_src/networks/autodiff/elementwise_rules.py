"""The derivatives of numpy's elementwise functions, and the functions of networks that numpy lacks.

An elementwise function is given by its differential in each argument, s ↦ s·∂y/∂xᵢ. It serves both modes: a
tangent is pushed through it, and an adjoint is pulled back through it and added up where xᵢ was repeated.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, unread
from chapters_src.networks import activations
from chapters_src.networks.autodiff.array_rules import kept, unbroadcast
from chapters_src.networks.autodiff.tracing import (
    CONSTANT,
    DERIVATIVES,
    REWRITES,
    Rule,
    plain,
    primitive,
    shape_of,
)

__all__ = ["log_softmax", "logsumexp", "relu", "sigmoid", "softmax", "softplus"]


def elementwise(function: Any, *differentials: Any, by: Any = None) -> None:
    """Give the rule of a function of broadcast arguments: ``differentials[i](y, *args)`` is s ↦ s·∂y/∂xᵢ.

    ``by`` computes the values, if there is something quicker than the function.
    """

    def pull(i: int, differential: Any) -> Any:
        def make(y: Any, *args: Any) -> Callable[[Any], Any]:
            apply, shape = differential(y, *args), shape_of(args[i])
            return apply if shape == shape_of(y) else lambda g: unbroadcast(apply(g), shape)

        return make

    pulls = [d and pull(i, d) for i, d in enumerate(differentials)]
    DERIVATIVES[function] = Rule(by or function, differentials, pulls, function.__name__)


elementwise(np.add, lambda y, a, b: lambda s: s, lambda y, a, b: lambda s: s)
elementwise(np.subtract, lambda y, a, b: lambda s: s, lambda y, a, b: lambda s: -s)
elementwise(np.multiply, lambda y, a, b: lambda s: s * b, lambda y, a, b: lambda s: s * a)
elementwise(np.divide, lambda y, a, b: lambda s: s / b, lambda y, a, b: lambda s: -s * y / b)
elementwise(np.negative, lambda y, x: lambda s: -s)
elementwise(np.positive, lambda y, x: lambda s: s)
elementwise(np.reciprocal, lambda y, x: lambda s: -s * y * y)
elementwise(np.exp, lambda y, x: lambda s: s * y)
elementwise(np.log, lambda y, x: lambda s: s / x)
elementwise(np.expm1, lambda y, x: lambda s: s * (y + 1))
elementwise(np.log1p, lambda y, x: lambda s: s / (x + 1))
elementwise(np.sqrt, lambda y, x: lambda s: s / (2 * y))
elementwise(np.square, lambda y, x: lambda s: s * (2 * x))
elementwise(np.sin, lambda y, x: lambda s: s * np.cos(x))
elementwise(np.cos, lambda y, x: lambda s: -s * np.sin(x))
elementwise(np.tan, lambda y, x: lambda s: s * (1 + y * y))
elementwise(np.arctan, lambda y, x: lambda s: s / (1 + x * x))
elementwise(np.sinh, lambda y, x: lambda s: s * np.cosh(x))
elementwise(np.cosh, lambda y, x: lambda s: s * np.sinh(x))
elementwise(np.tanh, lambda y, x: lambda s: s * (1 - y * y))
elementwise(np.abs, lambda y, x: lambda s: s * np.sign(plain(x)))
elementwise(
    np.where,
    None,
    lambda y, c, a, b: lambda s: np.where(c, s, 0),
    lambda y, c, a, b: lambda s: np.where(c, 0, s),
)
elementwise(
    np.logaddexp, lambda y, a, b: lambda s: s * np.exp(a - y), lambda y, a, b: lambda s: s * np.exp(b - y)
)


def _share(better: Callable[[Any, Any], Any]) -> list[Any]:
    """The differentials of an extremum of two: the winner takes the slope, equals share it."""

    def differential(y: Any, a: Any, b: Any) -> Callable[[Any], Any]:
        share = (better(plain(a), plain(b)) + 0.5 * np.equal(plain(a), plain(b))).astype(plain(y).dtype)
        return lambda s: s * share

    return [
        lambda y, a, b: differential(y, plain(a), plain(b)),
        lambda y, a, b: differential(y, plain(b), plain(a)),
    ]


elementwise(np.maximum, *_share(np.greater))
elementwise(np.minimum, *_share(np.less))


def _power_in_base(y: Any, a: Any, b: Any) -> Callable[[Any], Any]:
    """s ↦ s·b·aᵇ⁻¹; for b = 0 that is 0, even at a = 0 where aᵇ⁻¹ is infinite."""
    if isinstance(b, (int, float)):
        return lambda s: s * (b * a ** (b - 1)) if b else 0 * s
    return lambda s: s * (b * a ** np.where(np.equal(plain(b), 0), 1, b - 1))


def _power_in_exponent(y: Any, a: Any, b: Any) -> Callable[[Any], Any]:
    """s ↦ s·aᵇ·log a; for a = 0 that is 0, the limit for b > 0."""
    return lambda s: s * y * np.log(np.where(np.equal(plain(a), 0), 1, a))


# The operator knows a short way for squares and roots, which np.power does not.
elementwise(np.power, _power_in_base, _power_in_exponent, by=operator.pow)

# Steps: their slope is 0 wherever they have one, so they are taken of plain arrays.
CONSTANT.update(
    [np.sign, np.floor, np.ceil, np.rint, np.isfinite, np.isnan, np.logical_not, np.argmax, np.argmin]
)
CONSTANT.update([np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal])
CONSTANT.update([np.shape, np.ndim, np.size, np.zeros_like, np.ones_like])


def clip(x: Any, low: Any, high: Any) -> Any:
    above = x if low is None else np.maximum(x, low)
    return above if high is None else np.minimum(above, high)


REWRITES[np.clip] = clip


relu = primitive(bare(activations.relu))
sigmoid = primitive(bare(activations.sigmoid))
softplus = primitive(bare(activations.softplus))
elementwise(relu, lambda y, x: lambda s: s * np.greater(plain(y), 0))  # slope 0 at 0
elementwise(sigmoid, lambda y, x: lambda s: s * (y * (1 - y)))
elementwise(softplus, lambda y, x: lambda s: s * sigmoid(x))


@primitive
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log Σ exp(x) along ``axis``, without overflow: the largest entry is taken out of the sum first."""
    largest = np.max(x, axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    total = np.log(np.sum(np.exp(x - largest), axis, keepdims=True)) + largest
    return total if keepdims else np.squeeze(total, axis)


def _push_logsumexp(y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Callable[[Any], Any]:
    wide = kept(shape_of(x), axis)
    return lambda t: np.sum(t * np.exp(x - np.reshape(y, wide)), axis, keepdims=keepdims)


def _pull_logsumexp(y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Callable[[Any], Any]:
    wide = kept(shape_of(x), axis)
    return lambda g: np.reshape(g, wide) * np.exp(x - np.reshape(y, wide))


DERIVATIVES[logsumexp] = Rule(logsumexp, [_push_logsumexp], [_pull_logsumexp])


@unread
def log_softmax(x: Any, axis: int = -1) -> Any:
    """x − log Σ exp(x) along ``axis``."""
    return x - logsumexp(x, axis, keepdims=True)


@unread
def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) / Σ exp(x) along ``axis``."""
    return np.exp(log_softmax(x, axis))
