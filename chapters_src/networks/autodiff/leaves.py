"""The arrays at which a function is differentiated: read, taken out of lists and dictionaries, put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import unread
from chapters_src.core.readers import Ask, numeric_array
from chapters_src.networks.autodiff.tracing import Tensor, of_this_call, plain, shape_of

__all__ = ["leaf", "leaves_of", "like", "unit_arrays"]


@unread
def leaf(name: str, value: Any) -> Any:
    """Read a value to differentiate at: floats and tensors as they are, integers as float64."""
    if isinstance(value, Tensor):
        return of_this_call(value)
    floats = type(value) is np.ndarray or isinstance(value, np.floating)
    if floats and value.dtype.kind == "f" and value.size:
        with np.errstate(over="ignore"):
            if np.isfinite(value.sum()):  # then every entry is, and nothing was copied to find out
                return value
    checked = numeric_array(Ask(name), value)
    return value if floats and value.dtype.kind == "f" else checked[()]


@unread
def like(derivative: Any, value: Any) -> Any:
    """A derivative in the precision of the value it belongs to, in memory of its own; zeros for None."""
    dtype = plain(value).dtype
    if derivative is None:
        return np.zeros(shape_of(value), dtype)[()]
    if isinstance(derivative, Tensor):
        return derivative if derivative.dtype == dtype else derivative.astype(dtype)
    return np.array(derivative, dtype)[()]


@unread
def leaves_of(tree: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """The arrays in lists, tuples and dictionaries, and the function that puts others in their places.

    >>> leaves, rebuild = leaves_of({"W": 1, "b": [2, 3]})
    >>> leaves, rebuild([10, 20, 30])
    ([1, 2, 3], {'W': 10, 'b': [20, 30]})
    """
    if not isinstance(tree, (list, tuple, dict)):
        return [tree], lambda leaves: leaves[0]
    children = [leaves_of(child) for child in (tree.values() if isinstance(tree, dict) else tree)]

    def rebuild(leaves: Sequence[Any]) -> Any:
        rest = iter(leaves)
        parts = [make([next(rest) for _ in own]) for own, make in children]
        if isinstance(tree, dict):
            return dict(zip(tree, parts, strict=True))
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)

    return [leaf for own, _ in children for leaf in own], rebuild


@unread
def unit_arrays(value: Any) -> Iterator[Any]:
    """The arrays of the shape of ``value`` that are 1 at one entry and 0 elsewhere."""
    for i in range(np.size(plain(value))):
        unit = np.zeros(np.size(plain(value)), plain(value).dtype)
        unit[i] = 1
        yield unit.reshape(shape_of(value))
