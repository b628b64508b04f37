"""Linear algebra: equations, determinants, factors, spectra and norms, for matrices and batches of them.

Most rules say what a small change of the matrix does; how adjoints travel back follows from it. A function with
several results is one whose results are packed into one array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.rules.forms import by_differential, unbroadcast
from chapters_src.networks.autodiff.tracing import (
    CONSTANT,
    DERIVATIVES,
    REWRITES,
    Rule,
    plain,
    primitive,
    shape_of,
)

__all__: list[str] = []

la = np.linalg


def _T(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _diagonals(x: Any) -> Any:
    return np.diagonal(x, axis1=-2, axis2=-1)


def _eye(x: Any) -> Any:
    return np.eye(shape_of(x)[-2], dtype=plain(x).dtype)


# ---------------------------------------------------------------- equations and determinants

solved = primitive(la.solve)  # of matrices: a vector is a matrix of one column


def _push_matrix(y: Any, a: Any, b: Any) -> Any:
    return lambda t: -solved(a, t @ y)


def _pull_matrix(y: Any, a: Any, b: Any) -> Any:
    shape = shape_of(a)
    return lambda g: unbroadcast(-solved(_T(a), g) @ _T(y), shape)


def _push_right(y: Any, a: Any, b: Any) -> Any:
    return lambda t: solved(a, t)


def _pull_right(y: Any, a: Any, b: Any) -> Any:
    shape = shape_of(b)
    return lambda g: unbroadcast(solved(_T(a), g), shape)


DERIVATIVES[solved] = Rule(solved, [_push_matrix, _push_right], [_pull_matrix, _pull_right])


def solve(a: Any, b: Any) -> Any:
    if len(shape_of(b)) > 1:
        return solved(a, b)
    return np.squeeze(solved(a, np.reshape(b, (-1, 1))), -1)


def inverse(a: Any) -> Any:
    """The solution of a·x = 1."""
    return solved(a, np.broadcast_to(_eye(a), shape_of(a)))


@primitive
def log_size(a: Any) -> Any:
    """log |det a|, which moves by tr(a⁻¹ȧ)."""
    return la.slogdet(a)[1]


determinant = primitive(la.det)
by_differential(log_size, lambda y, a: lambda t: np.sum(_diagonals(solved(a, t)), -1))
by_differential(determinant, lambda y, a: lambda t: y * np.sum(_diagonals(solved(a, t)), -1))


def slogdet(a: Any) -> Any:
    found = la.slogdet(plain(a))
    return type(found)(found[0], log_size(a))


def matrix_power(a: Any, n: int) -> Any:
    if n < 0:
        return matrix_power(la.inv(a), -n)
    if n == 0:
        return la.matrix_power(plain(a), 0)
    half = matrix_power(a, n // 2)
    return half @ half @ a if n % 2 else half @ half


pseudo_inverse = primitive(la.pinv)


def _push_pinv(y: Any, a: Any, *options: Any, **named: Any) -> Any:
    """Where the rank does not change (Golub and Pereyra)."""

    def push(t: Any) -> Any:
        beside = (y @ _T(y)) @ (_T(t) @ (_eye(a) - a @ y))
        above = (_eye(y) - y @ a) @ _T(t) @ (_T(y) @ y)
        return beside + above - y @ t @ y

    return push


by_differential(pseudo_inverse, _push_pinv)

REWRITES[la.solve], REWRITES[la.inv], REWRITES[la.pinv] = solve, inverse, pseudo_inverse
REWRITES[la.det], REWRITES[la.slogdet] = determinant, slogdet
REWRITES[la.matrix_power] = matrix_power
CONSTANT.add(la.matrix_rank)


# ---------------------------------------------------------------- factors and spectra


def symmetric(a: Any, lower: bool) -> Any:
    """The symmetric matrix of which numpy reads one triangle."""
    if lower:
        return np.tril(a) + _T(np.tril(a, -1))
    return np.triu(a) + _T(np.triu(a, 1))


lower_factor = primitive(la.cholesky)


def _push_cholesky(y: Any, a: Any) -> Any:
    def push(t: Any) -> Any:
        middle = solved(y, _T(solved(y, t)))
        return y @ (np.tril(middle) - 0.5 * middle * _eye(y))

    return push


by_differential(lower_factor, _push_cholesky)


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    factor = lower_factor(symmetric(a, not upper))
    return _T(factor) if upper else factor


def _inverse_gaps(values: Any, what: str) -> Any:
    """1/(vⱼ − vᵢ) at [i, j], and 0 on the diagonal."""
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    same = np.broadcast_to(np.eye(shape_of(values)[-1], dtype=bool), shape_of(gaps))
    scale = np.max(np.abs(plain(values)), initial=0) * np.finfo(plain(values).dtype).eps
    if np.any(np.abs(plain(gaps))[~same] <= scale * shape_of(values)[-1]):
        rule = "be distinct, as the vectors of equal ones have no derivative: take the values alone"
        raise Refusal(what, rule, "equal ones", "numpy")
    return np.where(same, 0, 1 / np.where(same, 1, gaps))


@primitive
def eigenpairs(a: Any) -> Any:
    """The eigenvalues of a symmetric matrix, and below them its eigenvectors as columns."""
    values, vectors = la.eigh(a)
    return np.concatenate([np.expand_dims(values, -2), vectors], -2)


def _push_eigenpairs(y: Any, a: Any) -> Any:
    values, vectors = y[..., 0, :], y[..., 1:, :]
    over_gaps = _inverse_gaps(values, "eigenvalues")

    def push(t: Any) -> Any:
        turned = _T(vectors) @ t @ vectors
        rows = np.expand_dims(_diagonals(turned), -2), vectors @ (over_gaps * turned)
        return np.concatenate(rows, -2)

    return push


@primitive
def eigenvalues(a: Any) -> Any:
    """The eigenvalues of a symmetric matrix, in ascending order."""
    return la.eigvalsh(a)


def _push_eigenvalues(y: Any, a: Any) -> Any:
    vectors = la.eigh(a)[1]
    return lambda t: _diagonals(_T(vectors) @ t @ vectors)


by_differential(eigenpairs, _push_eigenpairs)
by_differential(eigenvalues, _push_eigenvalues)


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix, whose eigenvalues have to be distinct."""
    pairs = eigenpairs(symmetric(a, UPLO.upper() == "L"))
    return type(la.eigh(np.eye(1)))(pairs[..., 0, :], pairs[..., 1:, :])


@primitive
def singular_triples(a: Any) -> Any:
    """Left singular vectors, singular values, right singular vectors: one below the other, in columns."""
    left, values, right = la.svd(a, full_matrices=False)
    return np.concatenate([left, np.expand_dims(values, -2), _T(right)], -2)


def _parts(y: Any, rows: int) -> tuple[Any, Any, Any]:
    return y[..., :rows, :], y[..., rows : rows + 1, :], y[..., rows + 1 :, :]


def _push_singular(y: Any, a: Any) -> Any:
    left, values, right = _parts(y, shape_of(a)[-2])
    over_gaps = _inverse_gaps(np.squeeze(values, -2) ** 2, "squared singular values")

    def push(t: Any) -> Any:
        turned = _T(left) @ t @ right
        tall, wide = turned * values, _T(values) * turned
        outside_left = (t @ right - left @ turned) / values
        outside_right = (_T(t) @ left - right @ _T(turned)) / values
        return np.concatenate(
            [
                left @ (over_gaps * (tall + _T(tall))) + outside_left,
                np.expand_dims(_diagonals(turned), -2),
                right @ (over_gaps * (wide + _T(wide))) + outside_right,
            ],
            -2,
        )

    return push


@primitive
def singular_values(a: Any) -> Any:
    """The singular values in descending order."""
    return la.svd(a, compute_uv=False)


def _push_singular_values(y: Any, a: Any) -> Any:
    left, _, right = la.svd(a, full_matrices=False)
    return lambda t: _diagonals(_T(left) @ t @ _T(right))


by_differential(singular_triples, _push_singular)
by_differential(singular_values, _push_singular_values)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The singular value decomposition, whose values have to be distinct and not 0."""
    if hermitian:
        raise Refusal("hermitian", "be False: np.linalg.eigh is for such matrices", True, "svd")
    if not compute_uv:
        return singular_values(a)
    rows, columns = shape_of(a)[-2:]
    if full_matrices and rows != columns:
        raise Refusal("full_matrices", "be False, as the rest of the vectors is arbitrary", True, "svd")
    left, values, right = _parts(singular_triples(a), rows)
    return type(la.svd(np.eye(1)))(left, np.squeeze(values, -2), _T(right))


REWRITES[la.cholesky], REWRITES[la.eigh], REWRITES[la.svd] = cholesky, eigh, svd
REWRITES[la.eigvalsh] = lambda a, UPLO="L": eigenvalues(symmetric(a, UPLO.upper() == "L"))
