"""Sums of products over named axes, first as loops, then as one array that is summed."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Ask, numeric_array
from chapters_src.core.shapes import ndarray

__all__ = ["Contraction", "einsum", "einsum_by_loops", "read_contraction"]


class Contraction(NamedTuple):
    """The letters of each operand and of the result, the length that each letter has, and the operands."""

    terms: list[str]
    output: str
    sizes: dict[str, int]
    operands: list[ndarray]


def read_contraction(subscripts: str, arrays: tuple[Any, ...]) -> Contraction:
    """Read "ij,jk->ik" and its operands; without an arrow the letters that occur once remain, in order."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    require(
        all(letter.isalpha() for letter in "".join(terms) + output),
        "subscripts",
        "be letters, commas and one arrow, as in 'ij,jk->ik'",
        repr(subscripts),
    )
    require(
        len(terms) == len(arrays),
        "subscripts",
        f"have one group of letters for each of {len(arrays)} operands",
        len(terms),
    )
    sizes: dict[str, int] = {}
    operands = [numeric_array(Ask(f"operand {i}"), array) for i, array in enumerate(arrays, start=1)]
    for i, (term, operand) in enumerate(zip(terms, operands, strict=True), start=1):
        require(
            len(term) == operand.ndim,
            f"operand {i}",
            f"have one axis per letter of {term!r}",
            f"shape {operand.shape}",
        )
        for letter, side in zip(term, operand.shape, strict=True):
            if sizes.setdefault(letter, side) != side:
                refuse(f"operand {i}", f"have length {sizes[letter]} along {letter!r}", side)
    if not arrow:
        output = "".join(sorted(letter for letter in sizes if inputs.count(letter) == 1))
    require(
        len(set(output)) == len(output) and set(output) <= set(sizes),
        "subscripts",
        "name each axis of the result once, and one that an operand has",
        repr(output),
    )
    return Contraction(terms, output, sizes, operands)


@checked
def einsum_by_loops(subscripts: str, *operands: ndarray) -> Any:
    """The definition: one loop per letter, and each product is added where the output's letters point.

    Z_ik = Σⱼ X_ij Y_jk  for "ij,jk->ik"              {eq}`eq-tensors-einsum`
    """
    terms, output, sizes, arrays = read_contraction(subscripts, operands)
    result = np.zeros([sizes[letter] for letter in output])
    for place in np.ndindex(*sizes.values()):
        at = dict(zip(sizes, place, strict=True))
        factors = [
            array[tuple(at[letter] for letter in term)] for term, array in zip(terms, arrays, strict=True)
        ]
        result[tuple(at[letter] for letter in output)] += math.prod(factors)
    return result[()]


@checked
def einsum(subscripts: str, *operands: ndarray) -> Any:
    """The same sums without loops: give every letter an axis, multiply, and sum the axes that must go.

    Z_ik = Σⱼ X_ij Y_jk  for "ij,jk->ik"              {eq}`eq-tensors-einsum`

    The whole table of products is made first, so memory grows with every letter.
    """
    terms, output, sizes, arrays = read_contraction(subscripts, operands)
    letters = output + "".join(letter for letter in sizes if letter not in output)
    axes = dict(zip(letters, np.ix_(*(range(sizes[letter]) for letter in letters)), strict=True))
    products: Any = math.prod(
        array[tuple(axes[letter] for letter in term)] for term, array in zip(terms, arrays, strict=True)
    )
    return products.sum(axis=tuple(range(len(output), len(letters))))
