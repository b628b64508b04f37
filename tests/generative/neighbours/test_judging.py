"""Kept neighbours against scikit-learn's lists; pieces and holes of shapes that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from chapters_src.generative.neighbours import nearest_of_each, neighbours_kept, pieces_and_holes

X = np.random.default_rng(0).normal(size=(40, 3))


def test_nearest_are_scikit_learns():
    theirs = NearestNeighbors(n_neighbors=4).fit(X).kneighbors(return_distance=False)
    np.testing.assert_array_equal(nearest_of_each(X, 4), theirs)


def test_everything_and_chance():
    np.testing.assert_array_equal(neighbours_kept(X, 2 * X + 1, 5), 1.0)
    noise = np.random.default_rng(1).normal(size=(40, 2))
    assert neighbours_kept(X, noise, 5).mean() == pytest.approx(5 / 39, abs=0.06)


def test_a_ring_of_discs():
    turn = np.linspace(0, 2 * np.pi, 13)[:-1]
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    half_gap = np.sin(np.pi / 12)  # discs of this radius touch their neighbours
    assert pieces_and_holes(ring, 0.9 * half_gap) == (12, 0)
    assert pieces_and_holes(ring, 1.1 * half_gap) == (1, 1)
    assert pieces_and_holes(ring, 1.05) == (1, 0)


@pytest.mark.parametrize("radius", [0.15, 0.3, 0.45, 0.6])
def test_pieces_and_holes_on_a_fine_grid(radius):
    points = np.random.default_rng(2).uniform(0, 3, (25, 2))
    side = np.linspace(-1, 4, 1500)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1)
    covered = cKDTree(points).query(grid.reshape(-1, 2))[0].reshape(1500, 1500) <= radius
    _, pieces = ndimage.label(covered)
    _, count = ndimage.label(~covered, np.ones((3, 3)))
    assert pieces_and_holes(points, radius) == (pieces, count - 1)


def test_two_pieces():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.1, 1.0]])
    assert pieces_and_holes(np.vstack([square, square + 9]), 0.8) == (2, 0)


def test_bad_input():
    with pytest.raises(ValueError, match="pieces_and_holes: radius must be above 0"):
        pieces_and_holes(X[:, :2], 0.0)
    with pytest.raises(ValueError, match="nearest_of_each: neighbours must be below 40"):
        nearest_of_each(X, 40)
