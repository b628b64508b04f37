"""How much of a neighbourhood a picture keeps, and the pieces and holes of a union of discs."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.generative.clusters import squared_distances

__all__ = ["nearest_of_each", "neighbours_kept", "pieces_and_holes"]


@checked(neighbours=at_least(1))
def nearest_of_each(X: Float[ndarray, "n d"], neighbours: int) -> Int[ndarray, "n k"]:
    """The rows of the nearest other points of every point, the nearest first."""
    require(neighbours < len(X), "neighbours", f"be below {len(X)}, the number of rows of X", neighbours)
    away = bare(squared_distances)(X, X)
    np.fill_diagonal(away, np.inf)
    return np.argsort(away, axis=1, kind="stable")[:, :neighbours]


@checked(neighbours=at_least(1))
def neighbours_kept(
    X: Float[ndarray, "n d"], Y: Float[ndarray, "n k"], neighbours: int
) -> Float[ndarray, "n"]:
    """For every point the share of its nearest neighbours in X that are among its nearest in Y."""
    true, shown = (bare(nearest_of_each)(Z, neighbours) for Z in (X, Y))
    return (true[:, :, None] == shown[:, None, :]).any(axis=2).mean(axis=1)


@checked(radius=above(0))
def pieces_and_holes(X: Float[ndarray, "n 2"], radius: float) -> tuple[int, int]:
    """Of the union of discs around the points: its connected pieces, and the holes inside.

    Counted on edges of discs that meet and triangles of three that meet in a point, which have the same
    pieces and holes (the nerve theorem); those of Delaunay's triangulation are enough.
    """
    require(len(X) >= 4, "X", "have at least four rows", len(X))
    triangles = Delaunay(X).simplices
    a, b, c = (X[triangles[:, k]] for k in (0, 1, 2))
    sides = [np.linalg.norm(u - v, axis=1) for u, v in ((b, c), (c, a), (a, b))]
    u, v = b - a, c - a
    around = np.prod(sides, axis=0) / (2 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]))
    meets: dict[tuple[int, ...], float] = {}
    for corners, whole, length in zip(triangles, around, np.transpose(sides), strict=True):
        for k in (0, 1, 2):
            pair = tuple(sorted(int(corner) for corner in np.delete(corners, k)))
            # Two discs meet at half their distance, unless a third disc covers that place already.
            blunt = length[k] ** 2 > length[k - 1] ** 2 + length[k - 2] ** 2
            meets[pair] = max(meets.get(pair, 0.0), whole if blunt else length[k] / 2)
    edges = np.array([pair for pair, first in meets.items() if first <= radius], dtype=int).reshape(-1, 2)
    joined = coo_array((np.ones(len(edges)), edges.T), shape=(len(X), len(X)))
    pieces, _ = connected_components(joined, directed=False)
    return int(pieces), int(pieces - (len(X) - len(edges) + (around <= radius).sum()))
