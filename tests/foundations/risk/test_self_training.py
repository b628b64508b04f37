"""Labels that spread: against single linkage, on two lines of points, and where it goes wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from chapters_src import data
from chapters_src.foundations.risk import spread_labels


def finished(X, labels):
    done = np.array(labels)
    for row, label in spread_labels(X, labels):
        assert done[row] == -1
        done[row] = label
    return done


def test_along_two_rows_of_points():
    """A point far along a row gets the label of its row, though the other label is nearer to it."""
    X = np.array([[x, y] for y in (0.0, 3.0) for x in range(10)])
    labels = np.full(20, -1)
    labels[0], labels[19] = 0, 1
    assert finished(X, labels).tolist() == [0] * 10 + [1] * 10


def test_the_order_is_by_distance():
    X = np.array([[0.0], [10.0], [1.0], [2.5], [9.5]])
    order = spread_labels(X, [0, 1, -1, -1, -1])
    assert order.tolist() == [[4, 1], [2, 0], [3, 0]]


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_with_one_label_per_cluster_it_is_single_linkage(seed):
    """Two labels on either side of the longest link divide the points there."""
    X = np.random.default_rng(seed).normal(size=(25, 2))
    cut = fcluster(linkage(X, "single"), 2, "maxclust") - 1
    labels = np.full(25, -1)
    for side in (0, 1):
        labels[np.flatnonzero(cut == side)[0]] = side
    np.testing.assert_array_equal(finished(X, labels), cut)


def test_moons_and_touching_moons():
    def right(noise):
        moons = data.moons(200, noise, np.random.default_rng(1))
        labels = np.full(200, -1)
        labels[:2] = moons.y[:2]
        return np.mean(finished(moons.X, labels) == moons.y)

    assert right(0.05) == 1.0
    assert right(0.4) < 0.8


def test_nothing_to_do_and_nothing_known():
    assert spread_labels([[0.0], [1.0]], [1, 0]).shape == (0, 2)
    with pytest.raises(
        ValueError, match=r"^spread_labels: labels must name the class of one row or more; got"
    ):
        spread_labels([[0.0], [1.0]], [-1, -1])
