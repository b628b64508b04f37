"""Spectral clustering: cut a graph of neighbours where few edges are lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, at_least, squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.generative.clusters.centres import assign, fit_k_means, spread_out_start, squared_distances

__all__ = ["fit_spectral", "graph_laplacian", "neighbour_graph", "spectral_coordinates"]


def weights_both_ways(ask: Ask, W: Any) -> Any:
    """A symmetric matrix of weights that are not negative."""
    ask.require(bool((W >= 0).all()), "hold no negative weight", f"{W.min():g}")
    ask.require(np.allclose(W, W.T), "be symmetric", f"{np.abs(W - W.T).max():g} of difference")
    return W


@checked(X=squares_that_fit, neighbours=at_least(1))
def neighbour_graph(X: Float[ndarray, "n d"], neighbours: int) -> Float[ndarray, "n n"]:
    """W: 1 where one of two points is among the nearest ``neighbours`` of the other, else 0."""
    require(neighbours < len(X), "neighbours", f"be below {len(X)}, the number of rows of X", neighbours)
    away = bare(squared_distances)(X, X)
    np.fill_diagonal(away, np.inf)
    W = np.zeros_like(away)
    np.put_along_axis(W, np.argsort(away, axis=1, kind="stable")[:, :neighbours], 1.0, axis=1)
    return np.maximum(W, W.T)


@checked(W=weights_both_ways)
def graph_laplacian(W: Float[ndarray, "n n"]) -> Float[ndarray, "n n"]:
    """L = D − W with the degrees Dᵢᵢ = Σⱼ Wᵢⱼ             {eq}`eq-clusters-laplacian`."""
    return np.diag(W.sum(axis=1)) - W


@checked(W=weights_both_ways, K=at_least(1))
def spectral_coordinates(W: Float[ndarray, "n n"], K: int) -> Float[ndarray, "n K"]:
    """The K eigenvectors of L with the least eigenvalues, for L f = λ D f: neighbours get similar numbers.

    With the degrees on the right, large clusters are measured by their edges and not by their points.
    """
    degrees = W.sum(axis=1)
    require(len(W) >= K, "K", f"be at most {len(W)}", K)
    without = int((degrees == 0).sum())
    require(without == 0, "W", "give every point an edge", f"{without} points without")
    root, level = 1 / np.sqrt(degrees), np.sqrt(degrees / degrees.sum())
    # Constants come first, also if the graph has several pieces: their eigenvalue is moved from 0 to −1.
    _, vectors = np.linalg.eigh(root[:, None] * bare(graph_laplacian)(W) * root - np.outer(level, level))
    return root[:, None] * vectors[:, :K]


@checked(K=at_least(2), starts=at_least(1))
def fit_spectral(
    W: Float[ndarray, "n n"], K: int, rng: np.random.Generator, starts: int = 10
) -> Int[ndarray, "n"]:
    """Clusters of a graph: k-means on the eigenvectors, the best of several starts."""
    Z = spectral_coordinates(W, K)
    Z = Z / np.linalg.norm(Z, axis=0)
    fits = [bare(fit_k_means)(Z, bare(spread_out_start)(Z, K, rng)) for _ in range(starts)]
    return bare(assign)(Z, min(fits, key=lambda fit: fit.losses[-1]).theta)
