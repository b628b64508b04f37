"""The norms of vectors and matrices, each by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.tracing import REWRITES, plain, shape_of

__all__: list[str] = []


def root(x: Any, power: float = 2) -> Any:
    """x^(1/power); its slope is taken as 0 at 0, the kink of a norm."""
    flat = np.equal(plain(x), 0)
    inside = np.where(flat, 1, x)
    return np.where(flat, 0, np.sqrt(inside) if power == 2 else inside ** (1 / power))


def of_vectors(x: Any, order: Any, axis: Any) -> Any:
    """The norm of vectors along an axis, which is kept."""
    if order is None or order == 2:
        return root(np.sum(x * x, axis, keepdims=True))
    if order in (np.inf, -np.inf):
        return (np.max if order > 0 else np.min)(np.abs(x), axis, keepdims=True)
    if order == 0:
        return np.sum(np.not_equal(plain(x), 0).astype(plain(x).dtype), axis, keepdims=True)
    if order == 1:
        return np.sum(np.abs(x), axis, keepdims=True)
    if isinstance(order, str):
        raise Refusal("ord", "be a number for vectors", order, "norm")
    return root(np.sum(np.abs(x) ** order, axis, keepdims=True), order)


def of_matrices(x: Any, order: Any, axes: tuple[int, int]) -> Any:
    """The norm of matrices along two axes, which are kept."""
    if order is None or order == "fro":
        return root(np.sum(x * x, axes, keepdims=True))
    if order in (1, -1, np.inf, -np.inf):
        down, across = axes if abs(order) == 1 else axes[::-1]
        sums = np.sum(np.abs(x), down, keepdims=True)
        return (np.max if order > 0 else np.min)(sums, across, keepdims=True)
    values = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), compute_uv=False)
    if order == "nuc":
        found = np.sum(values, -1)
    elif order in (2, -2):
        found = values[..., 0] if order > 0 else values[..., -1]
    else:
        raise Refusal("ord", "be one of fro, nuc, ±1, ±2, ±inf for matrices", order, "norm")
    return np.expand_dims(found, tuple(i % len(shape_of(x)) for i in axes))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    dims = len(shape_of(x))
    if axis is None and ord is None:
        found, along = of_vectors(x, None, None), tuple(range(dims))
    else:
        along = tuple(range(dims)) if axis is None else tuple(np.atleast_1d(axis).tolist())
        if len(along) not in (1, 2):
            raise Refusal("axis", "name one axis or two", axis, "norm")
        found = of_vectors(x, ord, along[0]) if len(along) == 1 else of_matrices(x, ord, along)
    return found if keepdims else np.squeeze(found, along)


REWRITES[np.linalg.norm] = norm
