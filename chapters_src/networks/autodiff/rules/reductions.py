"""Sums, means, products, extrema and running sums along axes, with numpy's arguments in numpy's order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.forms import kept, linear
from chapters_src.networks.autodiff.tracing import DERIVATIVES, REWRITES, Rule, plain, primitive, shape_of

__all__: list[str] = []


def ready(a: Any, dtype: Any, out: Any, where: Any = True, neutral: Any = 0) -> Any:
    """The array in the precision to compute with, and ``neutral`` where it is to be left out."""
    if out is not None:
        raise Refusal("out", "be left out, as a derivative needs a new array", "one", "numpy")
    a = a if dtype is None else a.astype(dtype)
    return a if where is True else np.where(where, a, neutral)


# ---------------------------------------------------------------- sums

total = primitive(np.sum)


def _push_sum(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    return lambda t: total(t, axis, keepdims=keepdims)


def _pull_sum(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    shape = shape_of(x)
    wide = kept(shape, axis)
    return lambda g: np.broadcast_to(np.reshape(g, wide), shape)


DERIVATIVES[total] = Rule(total, [_push_sum], [_pull_sum])


def sum_(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = 0,
    where: Any = True,
) -> Any:
    added = total(ready(a, dtype, out, where), axis, keepdims=keepdims)
    return added if isinstance(initial, int) and initial == 0 else added + initial


def counted(a: Any, axis: Any, where: Any) -> Any:
    """How many entries a mean is taken of, with the axes kept; one number if none is left out."""
    shape = shape_of(a)
    if where is True:
        return math.prod(shape) / max(math.prod(kept(shape, axis)), 1)
    return np.sum(np.broadcast_to(where, shape), axis, plain(a).dtype, keepdims=True)


def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    average = np.sum(a, axis, dtype, out, True, where=where) / counted(a, axis, where)
    return average if keepdims else np.squeeze(average, _axes(shape_of(a), axis))


def variance(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Any:
    a = ready(a, dtype, out)
    centre = np.mean(a, axis, keepdims=True, where=where) if mean is None else mean
    added = np.sum(np.square(a - centre), axis, keepdims=True, where=where)
    if ddof and correction is not None:
        raise Refusal("correction", "be given or ddof, not both", correction, np.var.__name__)
    spread = added / (counted(a, axis, where) - (ddof if correction is None else correction))
    return spread if keepdims else np.squeeze(spread, _axes(shape_of(a), axis))


def deviation(a: Any, axis: Any = None, *args: Any, **options: Any) -> Any:
    """The square root of the variance; its slope is taken as 0 at the kink, where all values are equal."""
    squared = np.var(a, axis, *args, **options)
    flat = np.equal(plain(squared), 0)
    return np.where(flat, 0, np.sqrt(np.where(flat, 1, squared)))


def _axes(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The axes of a reduction, counted from the front."""
    if axis is None:
        return tuple(range(len(shape)))
    found = tuple(np.arange(len(shape))[np.atleast_1d(axis)].tolist())
    if len(set(found)) < len(found):
        raise Refusal("axis", "name every axis once", axis, "numpy")
    return found


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    if returned:
        raise Refusal("returned", "be False", True, np.average.__name__)
    if weights is None:
        return np.mean(a, axis, keepdims=keepdims)
    if shape_of(weights) != shape_of(a):
        along = [-1 if i in _axes(shape_of(a), axis) else 1 for i in range(len(shape_of(a)))]
        weights = np.broadcast_to(np.reshape(weights, along), shape_of(a))
    added = np.sum(weights, axis, keepdims=keepdims)
    if not np.all(added):
        raise Refusal("weights", "not sum to 0", "such", np.average.__name__)
    return np.sum(a * weights, axis, keepdims=keepdims) / added


REWRITES[np.sum], REWRITES[np.mean], REWRITES[np.average] = sum_, mean, average
REWRITES[np.var], REWRITES[np.std] = variance, deviation


# ---------------------------------------------------------------- extrema


def _winners(y: Any, x: Any, axis: Any) -> Any:
    """One over the number of entries that attain an extremum, at those entries; 0 elsewhere."""
    won = np.equal(plain(x), np.reshape(plain(y), kept(shape_of(x), axis)))
    return (won / np.sum(won, axis, keepdims=True)).astype(plain(x).dtype)


def _push_extremum(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    share = _winners(y, x, axis)
    return lambda t: np.sum(t * share, axis, keepdims=keepdims)


def _pull_extremum(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    share, wide = _winners(y, x, axis), kept(shape_of(x), axis)
    return lambda g: np.reshape(g, wide) * share


def extremum(function: Any, of_two: Any, neutral: float) -> Callable[..., Any]:
    """The largest or the smallest entry; those that attain it share the slope, also with ``initial``."""
    core = primitive(function)
    DERIVATIVES[core] = Rule(core, [_push_extremum], [_pull_extremum])

    def rewritten(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if where is not True and initial is None:
            raise Refusal("initial", "be given with where", None, function.__name__)
        best = core(ready(a, None, out, where, neutral), axis, keepdims=keepdims)
        return best if initial is None else of_two(best, initial)

    return rewritten


REWRITES[np.max] = REWRITES[np.amax] = extremum(np.max, np.maximum, -np.inf)
REWRITES[np.min] = REWRITES[np.amin] = extremum(np.min, np.minimum, np.inf)
REWRITES[np.ptp] = lambda a, axis=None, out=None, keepdims=False: (
    np.max(a, axis, out, keepdims) - np.min(a, axis, out, keepdims)
)


# ---------------------------------------------------------------- products and running sums


def product(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = 1,
    where: Any = True,
) -> Any:
    """The product, one half of the factors by the other, again and again: nothing is divided by a zero."""
    x = ready(a, dtype, out, where, 1)
    shape, along = shape_of(x), _axes(shape_of(x), axis)
    rest = tuple(i for i in range(len(shape)) if i not in along)
    left = math.prod(shape[i] for i in along)
    x = np.reshape(np.transpose(x, (*rest, *along)), (*(shape[i] for i in rest), left))
    if left == 0:
        return np.prod(plain(a), axis, keepdims=keepdims) * initial
    while left > 1:
        half = left // 2
        pairs = x[..., :half] * x[..., half : 2 * half]
        x = np.concatenate([pairs, x[..., 2 * half :]], -1) if left % 2 else pairs
        left -= half
    found = np.reshape(x, kept(shape, axis) if keepdims else [shape[i] for i in rest])
    return found if isinstance(initial, int) and initial == 1 else found * initial


running = primitive(np.cumsum)
linear(running, lambda y, x, axis: lambda g: np.flip(running(np.flip(g, axis), axis), axis))


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    x = ready(a, dtype, out)
    return running(np.ravel(x), 0) if axis is None else running(x, axis)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Running products: after the steps 1, 2, 4, … each entry has met all that stand before it."""
    x = ready(a, dtype, out)
    x = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    step = 1
    while step < len(x):
        x, step = np.concatenate([x[:step], x[step:] * x[:-step]]), 2 * step
    return x if axis is None else np.moveaxis(x, 0, axis)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    ends = []
    for end in (prepend, a, append):
        if end is None:
            continue
        short = list(shape_of(a))
        short[axis] = 1
        ends.append(np.broadcast_to(end, short) if len(shape_of(end)) == 0 else end)
    x = np.moveaxis(np.concatenate(ends, axis), axis, 0)
    if n < 0:
        raise Refusal("n", "be at least 0", n, np.diff.__name__)
    for _ in range(n):
        x = x[1:] - x[:-1]
    return np.moveaxis(x, 0, axis)


REWRITES[np.prod], REWRITES[np.cumsum], REWRITES[np.cumprod] = product, cumsum, cumprod
REWRITES[np.diff] = diff
