"""Correspondence analysis: the rows and columns of a table of counts as points of one map."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Correspondence", "correspondence"]


class Correspondence(NamedTuple):
    """Places of the rows and of the columns along each axis, and the inertia of each axis."""

    rows: Float[ndarray, "I k"]
    columns: Float[ndarray, "J k"]
    inertias: Float[ndarray, "k"]


def _table_of_counts(ask: Ask, counts: Any) -> Any:
    """Read a table of at least 2 by 2 without negative entries, empty rows or empty columns."""
    ask.require(min(counts.shape) >= 2, "have at least two rows and two columns", f"shape {counts.shape}")
    ask.require((counts >= 0).all(), "hold counts of 0 or more", f"{counts.min():g}")
    full = (counts.sum(axis=0) > 0).all() and (counts.sum(axis=1) > 0).all()
    ask.require(full, "have no row and no column of zeros", "an empty one")
    return counts


@checked(counts=_table_of_counts)
def correspondence(counts: Float[ndarray, "I J"]) -> Correspondence:
    """The axes of a table: a singular value decomposition of what independence does not explain.

    Z = (F − rcᵀ)/√(rcᵀ) = PΣUᵀ,  rows D_r^(−½)PΣ,  columns D_c^(−½)UΣ   {eq}`eq-components-inertia`
    """
    F = counts / counts.sum()
    r, c = F.sum(axis=1), F.sum(axis=0)
    expected = np.outer(r, c)
    P, sigma, Ut = np.linalg.svd((F - expected) / np.sqrt(expected), full_matrices=False)
    k = len(sigma) - 1  # the residuals of a row sum to 0, so one axis is empty
    turn = np.sign(P[np.abs(P).argmax(axis=0), np.arange(len(sigma))])[:k]
    rows = P[:, :k] * sigma[:k] * turn / np.sqrt(r)[:, None]
    columns = Ut.T[:, :k] * sigma[:k] * turn / np.sqrt(c)[:, None]
    return Correspondence(rows, columns, sigma[:k] ** 2)
