"""Hierarchical clustering: every point begins alone, and the two nearest clusters are joined, repeatedly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, one_of, squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.generative.clusters.centres import squared_distances

__all__ = ["LINKAGES", "groups_below", "merges"]

# How far a cluster of a + b points, joined from two at distances p and q, is from a third with c points.
# ``gap`` is the distance of the two that were joined.
LINKAGES: dict[str, Callable[..., Any]] = {
    "single": lambda p, q, a, b, c, gap: np.minimum(p, q),
    "complete": lambda p, q, a, b, c, gap: np.maximum(p, q),
    "average": lambda p, q, a, b, c, gap: (a * p + b * q) / (a + b),
    "ward": lambda p, q, a, b, c, gap: np.sqrt(((a + c) * p**2 + (b + c) * q**2 - c * gap**2) / (a + b + c)),
}


@checked(X=squares_that_fit, linkage=one_of(LINKAGES))
def merges(X: Float[ndarray, "n d"], linkage: str = "average") -> Float[ndarray, "m 4"]:
    """The n − 1 joins in their order: both clusters, their distance, and how many points they have together.

    Points are clusters 0 … n − 1; join number t makes the cluster n + t, as in scipy.
    """
    require(len(X) >= 2, "X", "have at least two rows", len(X))
    distance = np.sqrt(bare(squared_distances)(X, X))
    np.fill_diagonal(distance, np.inf)
    names, sizes = np.arange(len(X)), np.ones(len(X))
    joins = []
    for new in range(len(X), 2 * len(X) - 1):
        i, j = np.unravel_index(distance.argmin(), distance.shape)
        gap = distance[i, j]
        joins.append([*sorted((names[i], names[j])), gap, sizes[i] + sizes[j]])
        joined = LINKAGES[linkage](distance[i], distance[j], sizes[i], sizes[j], sizes, gap)
        distance[i] = distance[:, i] = joined
        distance[i, i] = np.inf
        distance[j] = distance[:, j] = np.inf  # j is gone
        names[i], sizes[i] = new, sizes[i] + sizes[j]
    return np.array(joins)


@checked(height=at_least(0))
def groups_below(joins: Float[ndarray, "m 4"], height: float) -> Int[ndarray, "_"]:
    """The cluster of every point if only joins up to this distance are made; numbered as they first occur."""
    n = len(joins) + 1
    parent = np.arange(2 * n - 1)
    for t, (i, j, gap, _) in enumerate(joins):
        if gap <= height:
            parent[[int(i), int(j)]] = n + t
    roots = np.arange(n)
    while (parent[roots] != roots).any():
        roots = parent[roots]
    _, first, numbers = np.unique(roots, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[numbers]
