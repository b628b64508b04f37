"""How good is a clustering: by its own distances, and against labels that it never saw."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.generative.clusters.centres import squared_distances

__all__ = ["adjusted_rand_index", "silhouettes"]


@checked(X=squares_that_fit)
def silhouettes(X: Float[ndarray, "n d"], z: Int[ndarray, "n"]) -> Float[ndarray, "n"]:
    """How much nearer each point is to its own cluster than to the next: from −1 to 1.

    (v − u)/max(u, v)                                    {eq}`eq-clusters-silhouette`

    u is the mean distance to the others of its cluster, v the least mean distance to another cluster. A
    point that is alone gets 0.
    """
    names, own = np.unique(z, return_inverse=True)
    require(len(names) >= 2, "z", "name at least two clusters", len(names))
    member = own[:, None] == np.arange(len(names))
    sizes = member.sum(axis=0)
    sums = np.sqrt(bare(squared_distances)(X, X)) @ member
    rows = np.arange(len(X))
    u = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    v = np.where(member, np.inf, sums / sizes).min(axis=1)
    largest = np.maximum(u, v)
    fits = (sizes[own] > 1) & (largest > 0)
    return np.where(fits, (v - u) / np.where(largest > 0, largest, 1), 0.0)


@checked
def adjusted_rand_index(z: Int[ndarray, "n"], labels: Int[ndarray, "n"]) -> float:
    """Agreement of two partitions about pairs: 1 if they are the same, 0 on average for random ones.

    (agreeing pairs − expected)/(most − expected)        {eq}`eq-clusters-rand`
    """
    table = np.unique(z, return_inverse=True)[1], np.unique(labels, return_inverse=True)[1]
    counts = np.zeros((table[0].max() + 1, table[1].max() + 1))
    np.add.at(counts, table, 1)
    tables = counts, counts.sum(axis=1), counts.sum(axis=0), np.array(len(z))
    together, first, second, pairs = (float((c * (c - 1) / 2).sum()) for c in tables)
    expected = first * second / pairs if pairs else 0.0
    most = (first + second) / 2
    return 1.0 if most == expected else (together - expected) / (most - expected)
