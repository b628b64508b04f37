"""DBSCAN against scikit-learn, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN

from chapters_src.generative.clusters import adjusted_rand_index, fit_dbscan


@given(seed=st.integers(0, 10**6), radius=st.floats(0.1, 2.0), crowd=st.integers(1, 8))
def test_core_points_and_noise_are_scikit_learns(seed, radius, crowd):
    X = np.random.default_rng(seed).normal(size=(50, 2))
    ours, theirs = fit_dbscan(X, radius, crowd), DBSCAN(eps=radius, min_samples=crowd).fit(X)
    np.testing.assert_array_equal(ours < 0, theirs.labels_ < 0)
    core = theirs.core_sample_indices_
    if len(core):
        assert adjusted_rand_index(ours[core], theirs.labels_[core]) == 1.0


def test_a_chain_by_hand():
    """0, 1, 2 in steps of one; 5 alone. With three in the crowd only the middle is core."""
    X = np.array([[0.0], [1.0], [2.0], [5.0]])
    np.testing.assert_array_equal(fit_dbscan(X, 1.0, 3), [0, 0, 0, -1])
    np.testing.assert_array_equal(fit_dbscan(X, 1.0, 1), [0, 0, 0, 1])
    np.testing.assert_array_equal(fit_dbscan(X, 0.5, 2), [-1, -1, -1, -1])


def test_a_border_point_does_not_pass_a_cluster_on():
    """The point 2 is within reach of 1 and of 3 and has only two neighbours: the crowds stay two."""
    X = np.array([[0.0], [0.5], [1.0], [2.0], [3.0], [3.5], [4.0]])
    np.testing.assert_array_equal(fit_dbscan(X, 1.0, 4), [0, 0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(fit_dbscan(X, 1.0, 3), [0] * 7)  # with three it is core, and joins them


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"fit_dbscan: radius must be above 0"):
        fit_dbscan([[1.0], [2.0]], 0.0, 2)
