"""`einsum` by matrix products of two operands at a time, and moments of a stream block by block."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.tensors.contraction import read_contraction
from chapters_src.foundations.tensors.streams import RunningMoments

__all__ = ["einsum_by_matmul", "running_moments_by_blocks"]

BLOCK = 1 << 15  # numbers at a time: a quarter of a megabyte stays in the cache between the two passes
LOOK_AHEAD = 5  # up to so many operands every order is tried; the number of orders grows like k!²


@checked
def einsum_by_matmul(subscripts: str, *operands: ndarray) -> Any:
    """`einsum` as a sequence of batched matrix products, in the order that takes the fewest multiplications.

    Z_n = X_n Y_n  for "nkl,nlm->nkm"                 {eq}`eq-tensors-batched`
    """
    terms, output, sizes, arrays = read_contraction(subscripts, operands)
    pieces = [
        _alone(term, array, set(output).union(*terms[:i], *terms[i + 1 :]))
        for i, (term, array) in enumerate(zip(terms, arrays, strict=True))
    ]
    while len(pieces) > 1:
        _, i, j = _cheapest([term for term, _ in pieces], output, sizes)
        right, left = pieces.pop(j), pieces.pop(i)
        kept = set(output).union(*(term for term, _ in pieces))
        pieces.append(_pair(*left, *right, kept, sizes))
    term, array = pieces[0]
    result = array.transpose([term.index(letter) for letter in output])
    return result.copy()[()] if len(terms) == 1 else result[()]  # no view of the caller's array


def _alone(term: str, array: ndarray, kept: set[str]) -> tuple[str, ndarray]:
    """An operand with its diagonals taken and the letters summed that nothing else needs."""
    letters = "".join(dict.fromkeys(term))
    if letters != term:
        sides = dict(zip(term, array.shape, strict=True))
        axes = dict(zip(letters, np.ix_(*(range(sides[letter]) for letter in letters)), strict=True))
        array = array[tuple(axes[letter] for letter in term)]
    gone = tuple(i for i, letter in enumerate(letters) if letter not in kept)
    return "".join(letter for letter in letters if letter in kept), array.sum(axis=gone) if gone else array


def _cheapest(terms: list[str], output: str, sizes: dict[str, int]) -> tuple[int, int, int]:
    """The pair to multiply first, behind the number of multiplications that follow from it."""
    options = []
    for i, j in combinations(range(len(terms)), 2):
        others = [term for k, term in enumerate(terms) if k not in (i, j)]
        letters = set(terms[i] + terms[j])
        cost = prod(sizes[letter] for letter in letters)
        if others and len(terms) <= LOOK_AHEAD:
            left = "".join(letters & set(output).union(*others))
            cost += _cheapest([*others, left], output, sizes)[0]
        options.append((cost, i, j))
    return min(options)


def _pair(
    one: str, left: ndarray, two: str, right: ndarray, kept: set[str], sizes: dict[str, int]
) -> tuple[str, ndarray]:
    """Two operands as one batched matrix product: what both have and who needs it decide what a letter is."""
    batch = [letter for letter in one if letter in two and letter in kept]
    summed = [letter for letter in one if letter in two and letter not in kept]
    rows = [letter for letter in one if letter not in two]
    columns = [letter for letter in two if letter not in one]

    def stacked(term: str, array: ndarray, *groups: list[str]) -> ndarray:
        order = [term.index(letter) for group in groups for letter in group]
        sides = [prod(sizes[letter] for letter in group) for group in groups if group or group is not batch]
        return array.transpose(order).reshape(sides)

    product = stacked(one, left, batch, rows, summed) @ stacked(two, right, batch, summed, columns)
    letters = [*batch, *rows, *columns]
    return "".join(letters), product.reshape([sizes[letter] for letter in letters])


@checked
def running_moments_by_blocks(X: Float[ndarray, "n *d"]) -> RunningMoments:
    """`running_moments` with a block of rows at a time, each block's moments merged into those before.

    {eq}`eq-tensors-merge`
    """
    rows = max(1, BLOCK // max(1, X[0].size))
    moments = RunningMoments(0, np.zeros(X.shape[1:]), np.zeros(X.shape[1:]))
    for start in range(0, len(X), rows):
        block = X[start : start + rows]
        mean = block.mean(axis=0)
        off = block - mean
        squares = np.dot(off, off) if off.ndim == 1 else np.einsum("ij,ij->j", off, off)
        moments = moments.merge(RunningMoments(len(block), mean, squares))
    return moments
