"""Factors and spectra of matrices: Cholesky, eigenvalues of symmetric matrices, singular values.

A rule says what a small change of the matrix does; how adjoints travel back follows from it. A function with
several results is one whose results are packed into one array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.forms import by_differential
from chapters_src.networks.autodiff.rules.linalg import diagonals, identity, solved, transpose
from chapters_src.networks.autodiff.tracing import REWRITES, plain, primitive, shape_of

__all__: list[str] = []

la = np.linalg


def symmetric(a: Any, triangle: str) -> Any:
    """The symmetric matrix of which numpy reads one triangle, the lower or the upper."""
    if triangle.upper() not in ("L", "U"):
        raise Refusal("UPLO", "be L or U", triangle, "eigh")
    if triangle.upper() == "L":
        return np.tril(a) + transpose(np.tril(a, -1))
    return np.triu(a) + transpose(np.triu(a, 1))


lower_factor = primitive(la.cholesky)


def _push_cholesky(y: Any, a: Any) -> Any:
    def push(t: Any) -> Any:
        middle = solved(y, transpose(solved(y, t)))
        return y @ (np.tril(middle) - 0.5 * middle * identity(y))

    return push


by_differential(lower_factor, _push_cholesky)


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    factor = lower_factor(symmetric(a, "U" if upper else "L"))
    return transpose(factor) if upper else factor


def _inverse_gaps(values: Any, what: str, function: str) -> Any:
    """1/(vⱼ − vᵢ) at [i, j], and 0 on the diagonal."""
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    same = np.broadcast_to(np.eye(shape_of(values)[-1], dtype=bool), shape_of(gaps))
    scale = np.max(np.abs(plain(values)), initial=0) * np.finfo(plain(values).dtype).eps
    if np.any(np.abs(plain(gaps))[~same] <= scale * shape_of(values)[-1]):
        rule = "be distinct, as the vectors of equal ones have no derivative: take the values alone"
        raise Refusal(what, rule, "equal ones", function)
    return np.where(same, 0, 1 / np.where(same, 1, gaps))


@primitive
def eigenpairs(a: Any) -> Any:
    """The eigenvalues of a symmetric matrix, and below them its eigenvectors as columns."""
    values, vectors = la.eigh(a)
    return np.concatenate([np.expand_dims(values, -2), vectors], -2)


def _push_eigenpairs(y: Any, a: Any) -> Any:
    values, vectors = y[..., 0, :], y[..., 1:, :]
    over_gaps = _inverse_gaps(values, "eigenvalues", "eigh")

    def push(t: Any) -> Any:
        turned = transpose(vectors) @ t @ vectors
        rows = np.expand_dims(diagonals(turned), -2), vectors @ (over_gaps * turned)
        return np.concatenate(rows, -2)

    return push


@primitive
def eigenvalues(a: Any) -> Any:
    """The eigenvalues of a symmetric matrix, in ascending order."""
    return la.eigvalsh(a)


def _push_eigenvalues(y: Any, a: Any) -> Any:
    vectors = la.eigh(a)[1]
    return lambda t: diagonals(transpose(vectors) @ t @ vectors)


by_differential(eigenpairs, _push_eigenpairs)
by_differential(eigenvalues, _push_eigenvalues)


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix, whose eigenvalues have to be distinct."""
    pairs = eigenpairs(symmetric(a, UPLO))
    return type(la.eigh(np.eye(1)))(pairs[..., 0, :], pairs[..., 1:, :])


@primitive
def singular_triples(a: Any) -> Any:
    """Left singular vectors, singular values, right singular vectors: one below the other, in columns."""
    left, values, right = la.svd(a, full_matrices=False)
    return np.concatenate([left, np.expand_dims(values, -2), transpose(right)], -2)


def _parts(y: Any, rows: int) -> tuple[Any, Any, Any]:
    return y[..., :rows, :], y[..., rows : rows + 1, :], y[..., rows + 1 :, :]


def _push_singular(y: Any, a: Any) -> Any:
    left, values, right = _parts(y, shape_of(a)[-2])
    over_gaps = _inverse_gaps(np.squeeze(values, -2) ** 2, "singular values", "svd")

    def push(t: Any) -> Any:
        turned = transpose(left) @ t @ right
        tall, wide = turned * values, transpose(values) * turned
        outside_left = (t @ right - left @ turned) / values
        outside_right = (transpose(t) @ left - right @ transpose(turned)) / values
        return np.concatenate(
            [
                left @ (over_gaps * (tall + transpose(tall))) + outside_left,
                np.expand_dims(diagonals(turned), -2),
                right @ (over_gaps * (wide + transpose(wide))) + outside_right,
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
    return lambda t: diagonals(transpose(left) @ t @ transpose(right))


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
    return type(la.svd(np.eye(1)))(left, np.squeeze(values, -2), transpose(right))


REWRITES[la.svdvals] = singular_values
REWRITES[la.cholesky], REWRITES[la.eigh], REWRITES[la.svd] = cholesky, eigh, svd
REWRITES[la.eigvalsh] = lambda a, UPLO="L": eigenvalues(symmetric(a, UPLO))
