"""Entries that are moved, repeated, left out and joined: the rules of indices, shapes and order.

What only moves entries is told by their numbers: the function is called with the array's entries numbered
1, 2, 3, …, and what comes back says which entry went where. A 0 is a place that no entry went to.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import unread
from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.forms import OfEach, linear, unbroadcast
from chapters_src.networks.autodiff.tracing import (
    DERIVATIVES,
    REWRITES,
    Tensor,
    cast,
    plain,
    primitive,
    shape_of,
)

__all__ = ["join", "scatter"]


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


def _pull_getitem(y: Any, x: Any, index: Any) -> Any:
    shape = shape_of(x)
    return lambda g: scatter(g, shape, index)


def _pull_reshape(y: Any, x: Any, shape: Any, order: str) -> Any:
    own = shape_of(x)
    return lambda g: reshaped(g, own, order)


def _pull_transpose(y: Any, x: Any, axes: Any = None) -> Any:
    back = None if axes is None else tuple(np.argsort([i % len(shape_of(x)) for i in axes]))
    return lambda g: np.transpose(g, back)


def _pull_broadcast(y: Any, x: Any, shape: Any) -> Any:
    own = shape_of(x)
    return lambda g: unbroadcast(g, own)


def _pull_cast(y: Any, x: Any, dtype: Any) -> Any:
    own = plain(x).dtype
    return lambda g: cast(g, own)


reshaped, permuted = primitive(np.reshape), primitive(np.transpose)
swapped, broadcast = primitive(np.swapaxes), primitive(np.broadcast_to)
linear(operator.getitem, _pull_getitem)
linear(scatter, lambda y, x, shape, index: lambda g: g[index])
linear(reshaped, _pull_reshape)
linear(permuted, _pull_transpose)
linear(swapped, lambda y, x, i, j: lambda g: swapped(g, i, j))
linear(broadcast, _pull_broadcast)
linear(cast, _pull_cast)


def reshape(a: Any, /, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    if order not in ("C", "F"):
        rule = "be C or F, as others depend on how x lies in memory"
        raise Refusal("order", rule, order, np.reshape.__name__)
    return reshaped(a, newshape if shape is None else shape, order)


REWRITES[np.reshape] = reshape
REWRITES[np.ravel] = lambda a, order="C": np.reshape(a, -1, order)
REWRITES[np.transpose] = lambda a, axes=None: permuted(a, axes)
REWRITES[np.swapaxes] = lambda a, axis1, axis2: swapped(a, axis1, axis2)
REWRITES[np.broadcast_to] = lambda array, shape, subok=False: broadcast(array, shape)
REWRITES[np.copy] = lambda a, order="K", subok=False: np.positive(a)


@unread
def in_shape_of(function: Any) -> Callable[..., Any]:
    """A function that only gives an array another shape, as the reshaping that it is."""
    return lambda a, *args, **options: reshaped(a, function(plain(a), *args, **options).shape, "C")


REWRITES |= {function: in_shape_of(function) for function in (np.expand_dims, np.squeeze)}


def of_several(function: Any) -> Callable[..., Any]:
    """`np.atleast_1d` and its kin, which take several arrays."""

    def rewritten(*arrays: Any) -> Any:
        found = tuple(map(in_shape_of(function), arrays))
        return found[0] if len(found) == 1 else found

    return rewritten


REWRITES |= {function: of_several(function) for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d)}


# ---------------------------------------------------------------- entries that are moved


def number(shape: tuple[int, ...]) -> Any:
    """The array of this shape with entries 1, 2, 3, …"""
    return np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape)


def numbered(x: Any, places: Any) -> Any:
    """The entries of x by their numbers, and 0 where the number is 0."""
    places = np.asarray(places)
    picked = np.reshape(x, -1)[places - 1]
    return picked if places.all() else np.where(places > 0, picked, 0)


def moved(function: Any, position: int = 0) -> Callable[..., Any]:
    """A function that only moves the entries of its argument number ``position``, told by their numbers."""

    def rewritten(*args: Any, **options: Any) -> Any:
        given = dict(enumerate(args)) | options
        key = position if position < len(args) else list(inspect.signature(function).parameters)[position]
        x = given.get(key)
        if not isinstance(x, Tensor):
            rule = "be in the place of the array whose entries are moved, and nowhere else"
            raise Refusal("a tensor", rule, "another argument", function.__name__)
        given[key] = number(x.shape)
        places = function(*(given[i] for i in range(len(args))), **{name: given[name] for name in options})
        if isinstance(places, (list, tuple)):
            return type(places)(numbered(x, one) for one in places)
        return numbered(x, places)

    return rewritten


MOVES = [np.roll, np.flip, np.fliplr, np.flipud, np.rot90, np.moveaxis, np.rollaxis, np.repeat, np.tile]
MOVES += [
    np.diag,
    np.diagflat,
    np.diagonal,
    np.tril,
    np.triu,
    np.resize,
    np.delete,
    np.take,
    np.take_along_axis,
]
MOVES += [np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.fft.fftshift, np.fft.ifftshift]
MOVES += [np.lib.stride_tricks.sliding_window_view]
REWRITES |= {function: moved(function) for function in MOVES}
REWRITES |= {function: moved(function, 1) for function in (np.compress, np.extract)}


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """The entries in their order; those that are equal keep the order they have."""
    ranks = np.argsort(plain(a), axis, "stable", order)
    return numbered(a, np.take_along_axis(number(shape_of(a)), ranks, axis))


PADDING = ("constant", "edge", "reflect", "symmetric", "wrap")


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    if mode not in PADDING or options.get("reflect_type", "even") != "even":
        rule = f"be one of {', '.join(PADDING)}, which move entries or add constants"
        raise Refusal("mode", rule, mode if isinstance(mode, str) else "another", np.pad.__name__)
    constants = np.pad(np.zeros(shape_of(array), plain(array).dtype), pad_width, mode, **options)
    return numbered(array, np.pad(number(shape_of(array)), pad_width, mode)) + constants


REWRITES[np.sort], REWRITES[np.pad] = sort, pad


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


DERIVATIVES[join] = OfEach(join, [_push_join], [_pull_join])


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    return join(axis, *arrays) if axis is not None else join(0, *map(np.ravel, arrays))


def hstack(tup: Any) -> Any:
    arrays = [np.atleast_1d(a) for a in tup]
    return join(0 if len(shape_of(arrays[0])) == 1 else 1, *arrays)


def column(a: Any) -> Any:
    return np.reshape(a, (-1, 1)) if len(shape_of(a)) < 2 else a


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    return np.concatenate((arr, values), axis)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple:
    shape = np.broadcast_shapes(*map(shape_of, args))
    return tuple(np.broadcast_to(a, shape) for a in args)


REWRITES[np.concatenate], REWRITES[np.hstack], REWRITES[np.append] = concatenate, hstack, append
REWRITES[np.stack] = lambda arrays, axis=0: join(axis, *(np.expand_dims(a, axis) for a in arrays))
REWRITES[np.vstack] = lambda tup: join(0, *map(np.atleast_2d, tup))
REWRITES[np.dstack] = lambda tup: join(2, *map(np.atleast_3d, tup))
REWRITES[np.column_stack] = lambda tup: join(1, *map(column, tup))
REWRITES[np.broadcast_arrays] = broadcast_arrays
