"""Clusters as crowds: points that have company, and all that can be reached through such points."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import above, at_least, squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.generative.clusters.centres import squared_distances

__all__ = ["fit_dbscan"]


@checked(X=squares_that_fit, radius=above(0), crowd=at_least(1))
def fit_dbscan(X: Float[ndarray, "n d"], radius: float, crowd: int) -> Int[ndarray, "n"]:
    """The cluster of every point, or −1 for noise.

    A point with at least ``crowd`` points within the radius, itself included, is a *core* point. Core points
    within the radius of each other share a cluster; other points join a core point within the radius, or
    none. A border point near two clusters goes to the one that was found first.
    """
    near = bare(squared_distances)(X, X) <= radius**2
    core = near.sum(axis=1) >= crowd
    z = np.full(len(X), -1)
    cluster = 0
    for i in np.flatnonzero(core):
        if z[i] >= 0:
            continue
        front = [i]
        while front:
            k = front.pop()
            if z[k] < 0:
                z[k] = cluster
                front += list(np.flatnonzero(near[k] & (z < 0))) if core[k] else []
        cluster += 1
    return z
