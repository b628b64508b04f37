"""Linear algebra: equations, inverses, determinants and norms, of matrices and batches of them."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.forms import by_differential, unbroadcast
from chapters_src.networks.autodiff.tracing import (
    CONSTANT,
    DERIVATIVES,
    REWRITES,
    Rule,
    plain,
    primitive,
    shape_of,
)

__all__ = ["diagonals", "identity", "solved", "transpose"]

la = np.linalg


def transpose(x: Any) -> Any:
    """The matrices of a batch, transposed."""
    return np.swapaxes(x, -1, -2)


def diagonals(x: Any) -> Any:
    """The diagonals of the matrices of a batch."""
    return np.diagonal(x, axis1=-2, axis2=-1)


def identity(x: Any) -> Any:
    """The identity with as many rows as x, in its precision."""
    return np.eye(shape_of(x)[-2], dtype=plain(x).dtype)


# ---------------------------------------------------------------- equations and determinants

solved = primitive(la.solve)  # of matrices: a vector is a matrix of one column


def _push_matrix(y: Any, a: Any, b: Any) -> Any:
    return lambda t: -solved(a, t @ y)


def _pull_matrix(y: Any, a: Any, b: Any) -> Any:
    shape = shape_of(a)
    return lambda g: unbroadcast(-solved(transpose(a), g) @ transpose(y), shape)


def _push_right(y: Any, a: Any, b: Any) -> Any:
    return lambda t: solved(a, t)


def _pull_right(y: Any, a: Any, b: Any) -> Any:
    shape = shape_of(b)
    return lambda g: unbroadcast(solved(transpose(a), g), shape)


DERIVATIVES[solved] = Rule(solved, [_push_matrix, _push_right], [_pull_matrix, _pull_right])


def solve(a: Any, b: Any) -> Any:
    if len(shape_of(b)) > 1:
        return solved(a, b)
    return np.squeeze(solved(a, np.reshape(b, (-1, 1))), -1)


def inverse(a: Any) -> Any:
    """The solution of a·x = 1."""
    return solved(a, np.broadcast_to(identity(a), shape_of(a)))


@primitive
def log_size(a: Any) -> Any:
    """log |det a|, which moves by tr(a⁻¹ȧ)."""
    return la.slogdet(a)[1]


determinant = primitive(la.det)
by_differential(log_size, lambda y, a: lambda t: np.sum(diagonals(solved(a, t)), -1))
by_differential(determinant, lambda y, a: lambda t: y * np.sum(diagonals(solved(a, t)), -1))


def slogdet(a: Any) -> Any:
    found = la.slogdet(plain(a))
    return type(found)(found[0], log_size(a))


def matrix_power(a: Any, n: int) -> Any:
    n = operator.index(n)
    if n < 0:
        return matrix_power(la.inv(a), -n)
    if n == 0:
        return la.matrix_power(plain(a), 0)
    half = matrix_power(a, n // 2)
    return half @ half @ a if n % 2 else half @ half


pseudo_inverse = primitive(la.pinv)


def _push_pinv(y: Any, a: Any, *options: Any, **named: Any) -> Any:
    """Ṗ = PPᵀȦᵀ(1 − AP) + (1 − PA)ȦᵀPᵀP − PȦP, where the rank does not change."""

    def push(t: Any) -> Any:
        beside = (y @ transpose(y)) @ (transpose(t) @ (identity(a) - a @ y))
        above = (identity(y) - y @ a) @ transpose(t) @ (transpose(y) @ y)
        return beside + above - y @ t @ y

    return push


by_differential(pseudo_inverse, _push_pinv)

REWRITES[la.solve], REWRITES[la.inv], REWRITES[la.pinv] = solve, inverse, pseudo_inverse
REWRITES[la.det], REWRITES[la.slogdet] = determinant, slogdet
REWRITES[la.matrix_power] = matrix_power
REWRITES[la.multi_dot] = lambda arrays: functools.reduce(np.matmul, arrays)
CONSTANT.add(la.matrix_rank)


# ---------------------------------------------------------------- norms


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


def of_matrices(x: Any, order: Any, axes: tuple[int, ...]) -> Any:
    """The norm of matrices along two axes, which are kept."""
    if order is None or order == "fro":
        return root(np.sum(x * x, axes, keepdims=True))
    if order in (1, -1, np.inf, -np.inf):
        down, across = axes if abs(order) == 1 else axes[::-1]
        sums = np.sum(np.abs(x), down, keepdims=True)
        return (np.max if order > 0 else np.min)(sums, across, keepdims=True)
    values = la.svd(np.moveaxis(x, axes, (-2, -1)), compute_uv=False)
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


REWRITES[la.norm] = norm
REWRITES[la.matrix_norm] = lambda x, /, *, keepdims=False, ord="fro": norm(x, ord, (-2, -1), keepdims)


# ---------------------------------------------------------------- what has a second name in np.linalg

REWRITES[la.matmul], REWRITES[la.tensordot], REWRITES[la.outer] = np.matmul, np.tensordot, np.outer
REWRITES[la.matrix_transpose] = REWRITES[np.matrix_transpose] = transpose
REWRITES[la.diagonal] = lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1)
REWRITES[la.trace] = lambda x, /, *, offset=0, dtype=None: np.trace(x, offset, -2, -1, dtype)
REWRITES[la.cross] = lambda x1, x2, /, *, axis=-1: np.cross(x1, x2, axis=axis)
REWRITES[np.vecdot] = lambda a, b: np.sum(a * b, -1)
