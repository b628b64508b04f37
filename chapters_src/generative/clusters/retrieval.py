"""Find what is most similar to a query, by looking at all points or only into the nearest clusters."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.generative.clusters.centres import assign, squared_distances

__all__ = ["nearest_points", "nearest_within_clusters"]


@checked(X=squares_that_fit, query=squares_that_fit, many=at_least(1))
def nearest_points(X: Float[ndarray, "n d"], query: Float[ndarray, "d"], many: int) -> Int[ndarray, "many"]:
    """The rows of X nearest to the query, nearest first."""
    require(many <= len(X), "many", f"be at most {len(X)}, the number of rows of X", many)
    return np.argsort(bare(squared_distances)(X, query[None])[:, 0], kind="stable")[:many]


@checked(X=squares_that_fit, C=squares_that_fit, query=squares_that_fit, many=at_least(1), probes=at_least(1))
def nearest_within_clusters(
    X: Float[ndarray, "n d"],
    C: Float[ndarray, "K d"],
    query: Float[ndarray, "d"],
    many: int,
    probes: int,
) -> tuple[Int[ndarray, "_"], int]:
    """The nearest rows of the ``probes`` clusters nearest to the query, and how many were looked at.

    Fewer than ``many`` rows come back if those clusters hold no more.
    """
    require(probes <= len(C), "probes", f"be at most {len(C)}, the number of centres", probes)
    opened = bare(nearest_points)(C, query, probes)
    rows = np.flatnonzero(np.isin(bare(assign)(X, C), opened))
    away = bare(squared_distances)(X[rows], query[None])[:, 0]
    return rows[np.argsort(away, kind="stable")[:many]], len(rows)
