"""k-means: every point goes to its nearest centre, every centre to the mean of its points, and again."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import at_least, squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = [
    "assign",
    "fit_k_means",
    "means_of",
    "spread_out_start",
    "squared_distances",
    "within_cluster_cost",
]


@checked(X=squares_that_fit, C=squares_that_fit)
def squared_distances(X: Float[ndarray, "n d"], C: Float[ndarray, "K d"]) -> Float[ndarray, "n K"]:
    """‖xᵢ − cₖ‖² of every point and every centre."""
    return cdist(X, C, "sqeuclidean")


@checked(X=squares_that_fit, C=squares_that_fit)
def assign(X: Float[ndarray, "n d"], C: Float[ndarray, "K d"]) -> Int[ndarray, "n"]:
    """The number of the nearest centre of every point: zᵢ = argminₖ ‖xᵢ − cₖ‖²   {eq}`eq-clusters-assign`."""
    return bare(squared_distances)(X, C).argmin(axis=1)


@checked
def means_of(
    X: Float[ndarray, "n d"], z: Int[ndarray, "n"], C: Float[ndarray, "K d"]
) -> Float[ndarray, "K d"]:
    """The mean of every cluster, {eq}`eq-clusters-mean`; a centre without points stays where it is."""
    require(z.min() >= 0 and z.max() < len(C), "z", f"name centres from 0 to {len(C) - 1}", z.max())
    return np.array([X[z == k].mean(axis=0) if (z == k).any() else c for k, c in enumerate(C)])


@checked(X=squares_that_fit, C=squares_that_fit)
def within_cluster_cost(X: Float[ndarray, "n d"], C: Float[ndarray, "K d"]) -> float:
    """The sum over all points of the squared distance to the nearest centre.

    Σᵢ minₖ ‖xᵢ − cₖ‖²                                   {eq}`eq-clusters-cost`
    """
    return float(bare(squared_distances)(X, C).min(axis=1).sum())


@checked(X=squares_that_fit, start=squares_that_fit, steps=at_least(1))
def fit_k_means(X: Float[ndarray, "n d"], start: Float[ndarray, "K d"], steps: int = 300) -> Fit:
    """Lloyd's algorithm from given centres, until no point changes its cluster.

    z ← nearest centre, c ← mean of its points             {eq}`eq-clusters-cost`

    Neither step raises the cost, and there are finitely many assignments, so it comes to rest.
    """
    C, path = start, [start]
    z = bare(assign)(X, C)
    for _ in range(steps):
        C = bare(means_of)(X, z, C)
        path.append(C)
        before, z = z, bare(assign)(X, C)
        if (z == before).all():
            break
    costs = np.array([bare(within_cluster_cost)(X, one) for one in path])
    return Fit(C, costs, bool((z == before).all()), len(path) - 1, np.array(path))


@checked(X=squares_that_fit, K=at_least(1))
def spread_out_start(X: Float[ndarray, "n d"], K: int, rng: np.random.Generator) -> Float[ndarray, "K d"]:
    """k-means++: K data points, each drawn in proportion to its squared distance from those before.

    P(xᵢ) ∝ minₖ ‖xᵢ − cₖ‖²                               {eq}`eq-clusters-plus-plus`
    """
    require(len(np.unique(X, axis=0)) >= K, "K", "be at most the number of different rows of X", K)
    chosen = [int(rng.integers(len(X)))]
    while len(chosen) < K:
        away = bare(squared_distances)(X, X[chosen]).min(axis=1)
        chosen.append(int(rng.choice(len(X), p=away / away.sum())))
    return X[chosen]
