"""The derivatives of numpy's elementwise functions, and the functions that are constant or a step.

An elementwise function is given by its differential in each argument, s ↦ s·∂y/∂xᵢ, which serves both modes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.networks.autodiff.forms import elementwise
from chapters_src.networks.autodiff.tracing import CONSTANT, REWRITES, plain, shape_of

__all__: list[str] = []

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
elementwise(np.log2, lambda y, x: lambda s: s / (x * math.log(2)))
elementwise(np.log10, lambda y, x: lambda s: s / (x * math.log(10)))
elementwise(np.exp2, lambda y, x: lambda s: s * (y * math.log(2)))
elementwise(np.cbrt, lambda y, x: lambda s: s / (3 * y * y))
elementwise(np.tan, lambda y, x: lambda s: s * (1 + y * y))
elementwise(np.arctan, lambda y, x: lambda s: s / (1 + x * x))
elementwise(np.sinh, lambda y, x: lambda s: s * np.cosh(x))
elementwise(np.cosh, lambda y, x: lambda s: s * np.sinh(x))
elementwise(np.tanh, lambda y, x: lambda s: s * (1 - y * y))
elementwise(np.arcsin, lambda y, x: lambda s: s / np.sqrt(1 - x * x))
elementwise(np.arccos, lambda y, x: lambda s: -s / np.sqrt(1 - x * x))
elementwise(np.arcsinh, lambda y, x: lambda s: s / np.sqrt(x * x + 1))
elementwise(np.arccosh, lambda y, x: lambda s: s / np.sqrt(x * x - 1))
elementwise(np.arctanh, lambda y, x: lambda s: s / (1 - x * x))
elementwise(np.conjugate, lambda y, x: lambda s: s)  # numbers are real
for to_degrees in (np.degrees, np.rad2deg):
    elementwise(to_degrees, lambda y, x: lambda s: s * (180 / math.pi))
for to_radians in (np.radians, np.deg2rad):
    elementwise(to_radians, lambda y, x: lambda s: s * (math.pi / 180))
for size in (np.abs, np.fabs):
    elementwise(size, lambda y, x: lambda s: s * np.sign(plain(x)))
elementwise(
    np.arctan2,
    lambda y, a, b: lambda s: s * (b / np.hypot(a, b) / np.hypot(a, b)),
    lambda y, a, b: lambda s: -s * (a / np.hypot(a, b) / np.hypot(a, b)),
)
elementwise(  # slope 0 at the kink, as for every norm
    np.hypot,
    lambda y, a, b: lambda s: s * (a / np.where(np.equal(plain(y), 0), 1, y)),
    lambda y, a, b: lambda s: s * (b / np.where(np.equal(plain(y), 0), 1, y)),
)
elementwise(
    np.remainder, lambda y, a, b: lambda s: s, lambda y, a, b: lambda s: -s * np.floor(plain(a) / plain(b))
)
elementwise(
    np.fmod, lambda y, a, b: lambda s: s, lambda y, a, b: lambda s: -s * np.trunc(plain(a) / plain(b))
)
elementwise(
    np.where,
    None,
    lambda y, c, a, b: lambda s: np.where(c, s, 0),
    lambda y, c, a, b: lambda s: np.where(c, 0, s),
)
elementwise(
    np.logaddexp2,
    lambda y, a, b: lambda s: s * np.exp2(a - y),
    lambda y, a, b: lambda s: s * np.exp2(b - y),
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
elementwise(np.fmax, *_share(lambda a, b: np.greater(a, b) | np.isnan(b)))  # a number wins against NaN
elementwise(np.fmin, *_share(lambda a, b: np.less(a, b) | np.isnan(b)))


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

elementwise(np.float_power, _power_in_base, _power_in_exponent)

# Steps: their slope is 0 wherever they have one, so they are taken of plain arrays.
CONSTANT.update([np.sign, np.floor, np.ceil, np.rint, np.trunc, np.fix, np.round, np.around, np.floor_divide])
CONSTANT.update([np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal, np.signbit])
CONSTANT.update([np.logical_not, np.logical_and, np.logical_or, np.logical_xor, np.isclose, np.allclose])
CONSTANT.update([np.isfinite, np.isnan, np.isinf, np.isposinf, np.isneginf, np.array_equal, np.array_equiv])
CONSTANT.update([np.argmax, np.argmin, np.argsort, np.argpartition, np.argwhere, np.nonzero, np.flatnonzero])
CONSTANT.update([np.count_nonzero, np.searchsorted, np.digitize, np.all, np.any, np.lexsort])
CONSTANT.update([np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.empty_like, np.result_type])
CONSTANT.update([np.iscomplexobj, np.isrealobj, np.iscomplex, np.isreal, np.imag, np.angle])


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """The array between two ends; at an end the slope is one half, which both sides share."""
    low, high = a_min if min is None else min, a_max if max is None else max
    above = a if low is None else np.maximum(a, low)
    return above if high is None else np.minimum(above, high)


def sinc(x: Any) -> Any:
    """sin(πx)/(πx), by its series near 0, where the quotient and its slopes cannot be computed."""
    square, near = np.square(math.pi * x), np.abs(plain(x)) < 0.05
    away = math.pi * np.where(near, 1, x)
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
    return np.where(near, series, np.sin(away) / away)


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    value = plain(x)
    return np.where(np.isfinite(value), x, np.nan_to_num(value, True, nan, posinf, neginf))


def full_like(a: Any, fill_value: Any, dtype: Any = None, *_: Any, shape: Any = None, **__: Any) -> Any:
    filled = np.broadcast_to(fill_value, shape_of(a) if shape is None else shape)
    return filled.astype(plain(a).dtype if dtype is None else dtype)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    """Numbers at equal distances: each a mean of the two ends."""
    shape = np.broadcast_shapes(shape_of(start), shape_of(stop))
    way = np.reshape(np.linspace(0, 1, num, endpoint), (-1, *(1 for _ in shape)))
    return start * (1 - way) + stop * way


REWRITES[np.clip], REWRITES[np.sinc], REWRITES[np.linspace] = clip, sinc, linspace
REWRITES[np.nan_to_num], REWRITES[np.full_like] = nan_to_num, full_like
REWRITES[np.real] = np.positive  # numbers are real
REWRITES[np.real_if_close] = lambda a, tol=100: np.positive(a)
