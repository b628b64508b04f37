"""Measures of samples: against loops, scikit-learn and scipy's matrix root, closed forms, invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import sqrtm
from sklearn.neighbors import NearestNeighbors

from chapters_src.generative.gan import (
    frechet_distance,
    modes_found,
    null_energy_distances,
    precision_recall,
    ring,
    ring_centres,
)
from chapters_src.generative.gan.energy import energy_distance, expected_energy_distance

seeds = st.integers(0, 2**32 - 1)


def clouds(seed, n=40, m=30, d=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), 0.7 * rng.normal(size=(m, d)) + 0.5


def share_inside(points, cloud, k):
    """By scikit-learn's neighbours and a loop; the first neighbour of a point of the cloud is itself."""
    reach = NearestNeighbors(n_neighbors=k + 1).fit(cloud).kneighbors(cloud)[0][:, k]
    inside = 0
    for x in points:
        inside += any(np.sqrt(((x - y) ** 2).sum()) <= r for y, r in zip(cloud, reach, strict=True))
    return inside / len(points)


@settings(max_examples=20)
@given(seeds, st.integers(1, 5))
def test_precision_recall_by_a_loop(seed, k):
    real, fake = clouds(seed)
    found = precision_recall(real, fake, k)
    assert found == pytest.approx((share_inside(fake, real, k), share_inside(real, fake, k)))
    assert precision_recall(fake, real, k) == pytest.approx(found[::-1])
    assert precision_recall(3 * real + 1, 3 * fake + 1, k) == pytest.approx(found)


def test_precision_recall_worked():
    """Two of the four true points are drawn, twice each: precise, and half of the variety."""
    real = np.array([[0.0], [1.0], [10.0], [11.0]])
    fake = np.array([[0.25], [0.8], [0.3], [0.88]])
    assert precision_recall(real, fake, 1) == (1.0, 0.0)
    assert precision_recall(real, fake, 3) == (1.0, 0.5)


@settings(max_examples=20)
@given(seeds)
def test_frechet_against_scipys_root(seed):
    X, Y = clouds(seed, d=3)
    A, B = np.cov(X.T), np.cov(Y.T)
    expected = ((X.mean(0) - Y.mean(0)) ** 2).sum() + np.trace(A + B - 2 * sqrtm(A @ B).real)
    assert frechet_distance(X, Y) == pytest.approx(expected, rel=1e-6)
    assert frechet_distance(X, Y) == pytest.approx(frechet_distance(Y, X), rel=1e-8)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    assert frechet_distance(X @ turn, Y @ turn) == pytest.approx(frechet_distance(X, Y), rel=1e-8)
    assert frechet_distance(X, X) == pytest.approx(0, abs=1e-10)


@given(seeds)
def test_frechet_on_a_line(seed):
    X, Y = clouds(seed, d=1)
    expected = (X.mean() - Y.mean()) ** 2 + (X.std(ddof=1) - Y.std(ddof=1)) ** 2
    assert frechet_distance(X, Y) == pytest.approx(expected, rel=1e-9)


def test_frechet_with_a_flat_cloud():
    """A covariance without an inverse: all points on an axis."""
    X = np.array([[0.0, 0.0], [2.0, 0.0]])
    assert frechet_distance(X, X + np.array([0.0, 3.0])) == pytest.approx(9.0)


def test_ring():
    X = ring(4000, np.random.default_rng(0))
    assert np.linalg.norm(X, axis=1).mean() == pytest.approx(2.0, abs=0.02)
    found = modes_found(X, ring_centres())
    assert found.modes == 8 and found.near == pytest.approx(1 - np.exp(-4.5), abs=0.006)
    assert ring(5, np.random.default_rng(0), spread=0.0)[0] == pytest.approx(
        ring_centres()[np.random.default_rng(0).integers(8, size=5)[0]]
    )
    assert ring_centres(4, 3.0) == pytest.approx(np.array([[3, 0], [0, 3], [-3, 0], [0, -3]]), abs=1e-12)


def test_modes_found_worked():
    points = np.array([[2.0, 0.0]] * 97 + [[0.0, 2.0]] * 2 + [[0.0, 0.0]])
    assert modes_found(points, ring_centres()) == (2, 0.99)
    assert modes_found(points, ring_centres(), least=0.03) == (1, 0.99)
    assert modes_found(points, ring_centres(), within=2.5).near == 1.0


def test_null_against_its_mean_and_by_hand():
    X = np.random.default_rng(0).normal(size=(300, 2))
    null = null_energy_distances(X, 40, 60, np.random.default_rng(1), 300)
    assert null.shape == (300,) and (null >= 0).all()
    assert null.mean() == pytest.approx(expected_energy_distance(X, 40, 60), rel=0.1)
    rows = np.random.default_rng(2).permutation(300)
    one = null_energy_distances(X, 40, 60, np.random.default_rng(2), 1)
    assert one[0] == pytest.approx(energy_distance(X[rows[:40]], X[rows[40:100]]), rel=1e-10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: precision_recall(np.ones((3, 2)), np.ones((4, 2)), 3),
            "precision_recall: k must be less than",
        ),
        (
            lambda: precision_recall(np.ones((3, 2)), np.ones((4, 1))),
            "precision_recall: fake must have shape",
        ),
        (
            lambda: frechet_distance(np.ones((1, 2)), np.ones((4, 2))),
            "frechet_distance: X must have two rows",
        ),
        (lambda: ring(0, np.random.default_rng(0)), "ring: n must be at least 1"),
        (
            lambda: null_energy_distances(np.ones((5, 1)), 3, 3, np.random.default_rng(0)),
            "null_energy_distances: n must leave m = 3 of the 5 rows",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
