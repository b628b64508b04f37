"""k-means against scikit-learn, by hand, and what it guarantees."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from chapters_src.generative.clusters import (
    assign,
    fit_dbscan,
    fit_k_means,
    means_of,
    merges,
    nearest_points,
    nearest_within_clusters,
    neighbour_graph,
    silhouettes,
    spread_out_start,
    squared_distances,
    within_cluster_cost,
)


def cloud(n=60, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) * 2


def test_distances_by_loops():
    X, C = cloud(5), cloud(4, seed=1)
    expected = [[sum((a - b) ** 2 for a, b in zip(x, c, strict=True)) for c in C] for x in X]
    np.testing.assert_allclose(squared_distances(X, C), expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_same_rest_as_scikit_learn(seed):
    X = cloud(200, seed=seed)
    start = spread_out_start(X, 6, np.random.default_rng(seed))
    ours, theirs = fit_k_means(X, start), KMeans(6, init=start, n_init=1, tol=0, max_iter=1000).fit(X)
    np.testing.assert_allclose(ours.theta, theirs.cluster_centers_, rtol=1e-9)
    np.testing.assert_allclose(ours.losses[-1], theirs.inertia_, rtol=1e-9)
    np.testing.assert_array_equal(assign(X, ours.theta), theirs.labels_)


@given(seed=st.integers(0, 10**6), K=st.integers(1, 6), n=st.integers(6, 40))
def test_the_cost_never_rises_and_it_comes_to_rest(seed, K, n):
    X = cloud(n, 2, seed)
    fit = fit_k_means(X, X[:K])
    assert (np.diff(fit.losses) <= 1e-9 * fit.losses[0]).all()
    assert fit.converged and len(fit.losses) == len(fit.path) == fit.steps + 1
    np.testing.assert_allclose(means_of(X, assign(X, fit.theta), fit.theta), fit.theta, atol=1e-12)


def test_the_least_cost_by_all_partitions():
    X = cloud(7, 2, 3)
    least = np.inf
    for z in product(range(2), repeat=7):
        parts = [X[np.array(z) == k] for k in range(2)]
        least = min(least, sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts if len(part)))
    found = min(fit_k_means(X, X[[i, j]]).losses[-1] for i in range(7) for j in range(i))
    assert found == pytest.approx(least, rel=1e-12)


def test_too_few_steps_are_said():
    X = cloud(200, 2)
    fit = fit_k_means(X, X[:8], steps=1)
    assert fit.steps == 1 and not fit.converged


def test_a_centre_without_points_stays():
    fit = fit_k_means([[0.0], [1.0]], [[0.5], [99.0]])
    np.testing.assert_array_equal(fit.theta, [[0.5], [99.0]])
    assert within_cluster_cost([[0.0], [1.0]], fit.theta) == 0.5


def test_spread_out_starts_have_the_right_chances():
    """Three places on a line: the second centre by the exact law."""
    X = np.array([[0.0], [1.0], [3.0]])
    rng, drawn = np.random.default_rng(0), np.zeros((3, 3))
    for _ in range(6000):
        first, second = spread_out_start(X, 2, rng)[:, 0]
        drawn[[0, 1, 3].index(first), [0, 1, 3].index(second)] += 1
    away = (X - X.T) ** 2
    np.testing.assert_allclose(drawn / 6000, away / away.sum(axis=1, keepdims=True) / 3, atol=0.02)


def test_starts_are_different_rows():
    X = np.repeat(np.arange(4.0), 5)[:, None]
    assert len(np.unique(spread_out_start(X, 4, np.random.default_rng(0)))) == 4


def test_bad_input_is_named():
    X = np.repeat(np.arange(4.0), 5)[:, None]
    with pytest.raises(ValueError, match=r"spread_out_start: K must be at most the number of different rows"):
        spread_out_start(X, 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"fit_k_means: start must have shape"):
        fit_k_means(X, [[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"means_of: z must name centres from 0 to 1"):
        means_of(X[:2], [0, 2], X[:2])


@pytest.mark.parametrize("size", [1e154, 1e200, 1e300])
def test_values_whose_squares_overflow_are_refused(size):
    X, rng = cloud(9), np.random.default_rng(0)
    C, far = X[:3], X * size
    calls = [
        ("squared_distances: X", lambda: squared_distances(far, C)),
        ("squared_distances: C", lambda: squared_distances(X, far)),
        ("assign: X", lambda: assign(far, C)),
        ("assign: C", lambda: assign(X, far)),
        ("within_cluster_cost: X", lambda: within_cluster_cost(far, C)),
        ("within_cluster_cost: C", lambda: within_cluster_cost(X, far)),
        ("fit_k_means: X", lambda: fit_k_means(far, C)),
        ("fit_k_means: start", lambda: fit_k_means(X, far[:3])),
        ("spread_out_start: X", lambda: spread_out_start(far, 3, rng)),
        ("silhouettes: X", lambda: silhouettes(far, assign(X, C))),
        ("merges: X", lambda: merges(far)),
        ("fit_dbscan: X", lambda: fit_dbscan(far, 1.0, 2)),
        ("neighbour_graph: X", lambda: neighbour_graph(far, 2)),
        ("nearest_points: X", lambda: nearest_points(far, X[0], 2)),
        ("nearest_points: query", lambda: nearest_points(X, far[0], 2)),
        ("nearest_within_clusters: X", lambda: nearest_within_clusters(far, C, X[0], 2, 1)),
        ("nearest_within_clusters: C", lambda: nearest_within_clusters(X, far[:3], X[0], 2, 1)),
        ("nearest_within_clusters: query", lambda: nearest_within_clusters(X, C, far[0], 2, 1)),
    ]
    for what, call in calls:
        with pytest.raises(
            ValueError, match=f"^{what} must be below 1e150 in size, so that its squares stay"
        ):
            call()


@pytest.mark.parametrize("size", [1e-100, 1e149])
def test_clusters_do_not_depend_on_the_unit(size):
    X = cloud()
    fit, other = fit_k_means(X, X[:4]), fit_k_means(X * size, X[:4] * size)
    assert fit.converged and other.converged
    np.testing.assert_allclose(other.theta / size, fit.theta, rtol=1e-12)
