"""Laplacians and spectral clusters against scipy, scikit-learn and what is known of small graphs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse.csgraph import laplacian
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import kneighbors_graph

from chapters_src import data
from chapters_src.generative.clusters import (
    adjusted_rand_index,
    fit_spectral,
    graph_laplacian,
    neighbour_graph,
    spectral_coordinates,
)


def weights(n=8, seed=0):
    W = np.random.default_rng(seed).uniform(size=(n, n))
    return np.triu(W, 1) + np.triu(W, 1).T


def test_the_laplacian_is_scipys():
    np.testing.assert_allclose(graph_laplacian(weights()), laplacian(weights()), atol=1e-12)


def test_neighbours_are_scikit_learns():
    X = np.random.default_rng(0).normal(size=(30, 3))
    theirs = kneighbors_graph(X, 4).toarray()
    np.testing.assert_array_equal(neighbour_graph(X, 4), np.maximum(theirs, theirs.T))


def test_coordinates_solve_the_generalised_problem():
    W = weights()
    D, L = np.diag(W.sum(axis=1)), graph_laplacian(W)
    values, _ = eigh(L, D)
    Z = spectral_coordinates(W, 3)
    np.testing.assert_allclose(L @ Z, D @ Z * values[:3], atol=1e-10)
    np.testing.assert_allclose(Z.T @ D @ Z, np.eye(3), atol=1e-10)


def test_pieces_of_a_graph_are_its_zeros():
    W = np.zeros((7, 7))
    for i, j in ((0, 1), (1, 2), (3, 4), (5, 6)):
        W[i, j] = W[j, i] = 1
    values = np.linalg.eigvalsh(graph_laplacian(W))
    assert np.sum(values < 1e-12) == 3
    z = fit_spectral(W, 3, np.random.default_rng(0))
    assert adjusted_rand_index(z, [0, 0, 0, 1, 1, 2, 2]) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_second_vector_tells_two_pieces_apart(seed):
    W = np.zeros((12, 12))
    W[:5, :5], W[5:, 5:] = weights(5, seed), weights(7, seed + 1)
    first, second = spectral_coordinates(W, 2).T
    np.testing.assert_allclose(first, first[0], rtol=1e-9)
    np.testing.assert_allclose(second[:5], second[0], rtol=1e-9)
    np.testing.assert_allclose(second[5:], second[5], rtol=1e-9)
    assert second[0] * second[5] < 0


def test_digits_as_scikit_learn():
    images = data.digits()
    X, labels = images.X[:500], images.labels[:500]
    W = neighbour_graph(X, 10)
    ours = fit_spectral(W, 10, np.random.default_rng(0))
    theirs = (
        SpectralClustering(10, affinity="precomputed", random_state=0, assign_labels="kmeans").fit(W).labels_
    )
    assert adjusted_rand_index(ours, theirs) > 0.85
    assert abs(adjusted_rand_index(ours, labels) - adjusted_rand_index(theirs, labels)) < 0.1


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"graph_laplacian: W must be symmetric"):
        graph_laplacian([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match=r"graph_laplacian: W must hold no negative weight"):
        graph_laplacian([[0.0, -1.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match=r"spectral_coordinates: W must give every point an edge"):
        spectral_coordinates(np.zeros((3, 3)), 2)
    with pytest.raises(ValueError, match=r"spectral_coordinates: K must be at most 8"):
        spectral_coordinates(weights(), 9)
    with pytest.raises(ValueError, match=r"neighbour_graph: neighbours must be below 3"):
        neighbour_graph([[1.0], [2.0], [3.0]], 3)
