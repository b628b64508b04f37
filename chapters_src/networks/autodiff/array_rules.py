"""Shapes, indices, sums and matrix products: the rules of numpy's functions of whole arrays.

A linear function pushes tangents through itself, so only its transpose is written down. The rules call numpy
again, so that what they compute can be differentiated once more.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import unread
from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.tracing import (
    DERIVATIVES,
    REWRITES,
    Rule,
    cast,
    plain,
    primitive,
    shape_of,
)

__all__ = ["kept", "linear", "scatter", "unbroadcast"]


@unread
def linear(function: Any, transpose: Any) -> None:
    """Give the rule of a function that is linear in its first argument: it is its own differential."""

    def push(y: Any, x: Any, *rest: Any, **options: Any) -> Callable[[Any], Any]:
        return lambda t: function(t, *rest, **options)

    DERIVATIVES[function] = Rule(function, [push], [transpose])


@unread
def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Add up g over the axes along which an array of this shape was repeated: the transpose of repeating."""
    have = shape_of(g)
    if have == shape:
        return g
    new = len(have) - len(shape)
    repeated = tuple(i for i, n in enumerate(have) if i < new or shape[i - new] != n)
    return np.reshape(np.sum(g, axis=repeated), shape)


@unread
def kept(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape after a reduction over ``axis`` that keeps the axes it adds up, with length 1."""
    axes = range(len(shape)) if axis is None else [i % len(shape) for i in np.atleast_1d(axis)]
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


# ---------------------------------------------------------------- indices and shapes


@primitive
def scatter(x: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros with x added at ``index``: the transpose of indexing. An entry that was read twice gets both."""
    result = np.zeros(shape, x.dtype)
    parts = index if isinstance(index, tuple) else (index,)
    if all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts):
        result[index] = x  # nothing can be read twice
    else:
        np.add.at(result, index, x)
    return result


def _pull_reshape(y: Any, x: Any, shape: Any, order: Any = "C") -> Any:
    own = shape_of(x)
    if order == "A":
        raise Refusal("order", "be C or F, as A depends on how x lies in memory", "A", np.reshape.__name__)
    return lambda g: np.reshape(g, own, order)


def _pull_transpose(y: Any, x: Any, axes: Any = None) -> Any:
    back = None if axes is None else tuple(np.argsort([i % len(shape_of(x)) for i in axes]))
    return lambda g: np.transpose(g, back)


def _pull_broadcast(y: Any, x: Any, shape: Any) -> Any:
    own = shape_of(x)
    return lambda g: unbroadcast(g, own)


def _pull_getitem(y: Any, x: Any, index: Any) -> Any:
    shape = shape_of(x)
    return lambda g: scatter(g, shape, index)


def _pull_cast(y: Any, x: Any, dtype: Any) -> Any:
    own = plain(x).dtype
    return lambda g: cast(g, own)


linear(np.reshape, _pull_reshape)
linear(np.transpose, _pull_transpose)
linear(np.swapaxes, lambda y, x, i, j: lambda g: np.swapaxes(g, i, j))
linear(np.broadcast_to, _pull_broadcast)
linear(operator.getitem, _pull_getitem)
linear(scatter, lambda y, x, shape, index: lambda g: g[index])
linear(cast, _pull_cast)


# ---------------------------------------------------------------- several arrays into one


@primitive
def join(axis: int, *arrays: Any) -> Any:
    """The arrays one after the other along an axis."""
    return np.concatenate(arrays, axis)


def _place(i: int, axis: int, arrays: tuple) -> tuple[slice, ...]:
    """Where argument number i stands in the joined array."""
    start = sum(shape_of(a)[axis] for a in arrays[: i - 1])
    whole = [slice(None)] * np.ndim(plain(arrays[0]))
    whole[axis] = slice(start, start + shape_of(arrays[i - 1])[axis])
    return tuple(whole)


def _push_join(i: int, y: Any, axis: int, *arrays: Any) -> Any:
    shape, place = shape_of(y), _place(i, axis, arrays)
    return lambda t: scatter(t, shape, place)


def _pull_join(i: int, y: Any, axis: int, *arrays: Any) -> Any:
    place = _place(i, axis, arrays)
    return lambda g: g[place]


class _OfEach(Rule):
    """The rule of a function of any number of arrays: what is made for number i is told i."""

    __slots__ = ()

    def push(self, i: int) -> Any:
        return functools.partial(self.pushes[0], i)

    def pull(self, i: int) -> Any:
        return functools.partial(self.pulls[0], i)


DERIVATIVES[join] = _OfEach(join, [_push_join], [_pull_join])
REWRITES[np.concatenate] = lambda arrays, axis=0: join(axis, *arrays)
REWRITES[np.stack] = lambda arrays, axis=0: join(axis, *(np.expand_dims(a, axis) for a in arrays))


# ---------------------------------------------------------------- sums and products


def _push_sum(y: Any, x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = 0) -> Any:
    return lambda t: np.sum(t, axis, keepdims=keepdims)  # what is added at the start does not move


def _pull_sum(y: Any, x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = 0) -> Any:
    shape = shape_of(x)
    wide = kept(shape, axis)
    return lambda g: np.broadcast_to(np.reshape(g, wide), shape)


def _winners(y: Any, x: Any, axis: Any) -> Any:
    """One over the number of entries that attain an extremum, at those entries; 0 elsewhere."""
    won = np.equal(plain(x), np.reshape(plain(y), kept(shape_of(x), axis)))
    return (won / np.sum(won, axis, keepdims=True)).astype(plain(x).dtype)


def _push_extremum(y: Any, x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    share = _winners(y, x, axis)
    return lambda t: np.sum(t * share, axis, keepdims=keepdims)


def _pull_extremum(y: Any, x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    share, wide = _winners(y, x, axis), kept(shape_of(x), axis)
    return lambda g: np.reshape(g, wide) * share


def _pull_left(y: Any, a: Any, b: Any) -> Any:
    shape, vector = shape_of(a), np.ndim(plain(b)) == 1
    if vector:  # (…, n, k) @ (k,) -> (…, n), or (k,) @ (k,) -> ()
        return lambda g: np.expand_dims(g, -1) * b
    if len(shape) == 1:  # (k,) @ (…, k, m) -> (…, m)
        return lambda g: unbroadcast(np.reshape(b @ np.expand_dims(g, -1), shape_of(b)[:-1]), shape)
    return lambda g: unbroadcast(g @ np.swapaxes(b, -1, -2), shape)


def _pull_right(y: Any, a: Any, b: Any) -> Any:
    shape, vector = shape_of(b), np.ndim(plain(b)) == 1
    if np.ndim(plain(a)) == 1:  # (k,) @ (k,) -> (), or (k,) @ (…, k, m) -> (…, m)
        return lambda g: g * a if vector else np.expand_dims(a, -1) * np.expand_dims(g, -2)
    rows = (-1, shape_of(a)[-1])
    if vector:  # (…, n, k) @ (k,) -> (…, n)
        return lambda g: np.reshape(g, -1) @ np.reshape(a, rows)
    if len(shape) == 2:  # one matrix for the whole batch: one product for the whole batch
        return lambda g: np.swapaxes(np.reshape(a, rows), 0, 1) @ np.reshape(g, (-1, shape[-1]))
    return lambda g: unbroadcast(np.swapaxes(a, -1, -2) @ g, shape)


DERIVATIVES[np.sum] = Rule(np.sum, [_push_sum], [_pull_sum])
for extremum in {np.max, np.min, np.amax, np.amin}:
    DERIVATIVES[extremum] = Rule(extremum, [_push_extremum], [_pull_extremum])
DERIVATIVES[np.matmul] = Rule(
    np.matmul, [lambda y, a, b: lambda t: t @ b, lambda y, a, b: lambda t: a @ t], [_pull_left, _pull_right]
)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    total = np.sum(x, axis, keepdims=keepdims)
    return total * (np.size(plain(total)) / np.size(plain(x)))


def variance(x: Any, axis: Any = None, keepdims: bool = False, ddof: float = 0) -> Any:
    squares = np.square(x - np.mean(x, axis, keepdims=True))
    total = np.sum(squares, axis, keepdims=keepdims)
    return total / (np.size(plain(x)) / np.size(plain(total)) - ddof)


def dot(a: Any, b: Any) -> Any:
    """A product with a number, or of matrices; with more axes np.dot would pair all those of a and b."""
    axes = np.ndim(plain(a)), np.ndim(plain(b))
    if max(axes) > 2:
        rule = "have at most two axes: np.matmul takes batches"
        raise Refusal("arguments", rule, f"{axes} axes", np.dot.__name__)
    return a * b if 0 in axes else np.matmul(a, b)


def deviation(x: Any, axis: Any = None, **options: Any) -> Any:
    """The square root of the variance; its slope is taken as 0 at the kink, where all values are equal."""
    squared = np.var(x, axis, **options)
    flat = np.equal(plain(squared), 0)
    return np.where(flat, 0, np.sqrt(np.where(flat, 1, squared)))


def in_shape_of(function: Any) -> Callable[..., Any]:
    """A function that only gives an array another shape, as the reshaping that it is."""
    return lambda x, *args, **options: np.reshape(x, function(plain(x), *args, **options).shape)


REWRITES[np.mean], REWRITES[np.var], REWRITES[np.std] = mean, variance, deviation
REWRITES[np.expand_dims], REWRITES[np.squeeze] = in_shape_of(np.expand_dims), in_shape_of(np.squeeze)
REWRITES[np.ravel] = lambda x: np.reshape(x, -1)
REWRITES[np.dot] = dot
REWRITES[np.outer] = lambda a, b: np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))
