"""Nearest points against scikit-learn; opening all clusters is looking at everything."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from chapters_src.generative.clusters import fit_k_means, nearest_points, nearest_within_clusters


def shelves():
    return np.random.default_rng(0).normal(size=(80, 4))


def test_nearest_are_scikit_learns():
    X, q = shelves(), np.full(4, 0.3)
    theirs = NearestNeighbors(n_neighbors=6).fit(X).kneighbors([q], return_distance=False)[0]
    np.testing.assert_array_equal(nearest_points(X, q, 6), theirs)


def test_all_clusters_are_everything_and_fewer_are_less():
    X, q = shelves(), np.full(4, 0.3)
    C = fit_k_means(X, X[:7]).theta
    rows, looked = nearest_within_clusters(X, C, q, 6, 7)
    np.testing.assert_array_equal(rows, nearest_points(X, q, 6))
    assert looked == 80
    looks = [nearest_within_clusters(X, C, q, 6, probes)[1] for probes in range(1, 8)]
    assert looks == sorted(looks) and looks[0] < 80


def test_a_small_cluster_gives_what_it_has():
    X = np.array([[0.0], [0.1], [9.0], [9.1], [9.2]])
    rows, looked = nearest_within_clusters(X, [[0.0], [9.0]], [0.05], 4, 1)
    assert sorted(rows) == [0, 1] and looked == 2


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"nearest_points: many must be at most 80"):
        nearest_points(shelves(), np.zeros(4), 81)
    with pytest.raises(ValueError, match=r"nearest_within_clusters: probes must be at most 2"):
        nearest_within_clusters(shelves(), shelves()[:2], np.zeros(4), 3, 3)
