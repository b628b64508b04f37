"""One layer on several devices: matrices cut by columns or by rows, simulated with a list of pieces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, ndarray

__all__ = ["by_columns", "by_heads", "by_rows", "split_network"]


@checked(pieces=within(1, lambda seen: seen["W"].shape[1]))
def by_columns(W: Float[ndarray, "d k"], pieces: int) -> list[Float[ndarray, "d _"]]:
    """XW = [XW₁ … XW_p]: each device computes some of the outputs, all from the whole X."""
    return np.array_split(W, pieces, axis=1)


@checked(pieces=within(1, lambda seen: seen["W"].shape[0]))
def by_rows(W: Float[ndarray, "d k"], pieces: int) -> list[Float[ndarray, "_ k"]]:
    """XW = X₁W₁ + … + X_pW_p: each device needs some of the inputs, and the sum is one all-reduce."""
    return np.array_split(W, pieces, axis=0)


@checked(pieces=within(1, lambda seen: seen["V"].shape[1]))
def split_network(
    X: Float[ndarray, "n d"],
    V: Float[ndarray, "d m"],
    W: Float[ndarray, "m k"],
    activation: Callable[[Float[ndarray, "n _"]], Float[ndarray, "n _"]],
    pieces: int,
) -> list[Float[ndarray, "n k"]]:
    """What each device adds to φ(XV)W, with V cut by columns and W by rows: nothing is sent before the sum.

    φ(XV)W = Σᵢ φ(XVᵢ)Wᵢ                                           {eq}`eq-parallel-tensor`
    """
    cut = zip(by_columns(V, pieces), by_rows(W, pieces), strict=True)
    return [activation(X @ V_i) @ W_i for V_i, W_i in cut]


@checked(heads=at_least(1), pieces=at_least(1))
def by_heads(heads: int, d: int, pieces: int) -> list[slice]:
    """The columns of Q, K and V, and the rows of the output matrix, that each device has: whole heads."""
    require(d % heads == 0, "heads", f"divide d = {d}", heads)
    require(heads % pieces == 0, "pieces", f"divide the {heads} heads", pieces)
    width = d // pieces
    return [slice(i * width, (i + 1) * width) for i in range(pieces)]
