"""Silhouettes and the adjusted Rand index against scikit-learn, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, silhouette_samples

from chapters_src.generative.clusters import adjusted_rand_index, silhouettes


@given(seed=st.integers(0, 10**6), K=st.integers(2, 6))
def test_both_are_scikit_learns(seed, K):
    rng = np.random.default_rng(seed)
    X, z, labels = rng.normal(size=(30, 2)), rng.integers(0, K, 30), rng.integers(0, 4, 30)
    z[:2] = [0, 1]
    np.testing.assert_allclose(silhouettes(X, z), silhouette_samples(X, z), atol=1e-12)
    assert adjusted_rand_index(z, labels) == pytest.approx(adjusted_rand_score(labels, z), abs=1e-12)


def test_silhouettes_by_hand():
    """0 and 1 against 4 and 6 on a line."""
    found = silhouettes([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(found, [1 - 1 / 5, 1 - 1 / 4, 1 - 2 / 3.5, 1 - 2 / 5.5])


def test_alone_is_zero_and_so_are_equal_points():
    np.testing.assert_allclose(silhouettes([[0.0], [1.0], [9.0]], [0, 0, 1])[2], 0.0)
    np.testing.assert_allclose(silhouettes([[1.0]] * 4, [0, 0, 1, 1]), np.zeros(4))


def test_names_do_not_matter():
    assert adjusted_rand_index([0, 0, 1, 1, 2], [7, 7, 3, 3, 5]) == 1.0
    assert adjusted_rand_index([0, 0, 0], [1, 1, 1]) == 1.0


def test_random_partitions_agree_in_nothing_on_average():
    rng = np.random.default_rng(0)
    found = [adjusted_rand_index(rng.integers(0, 4, 40), rng.integers(0, 5, 40)) for _ in range(400)]
    assert abs(np.mean(found)) < 4 * np.std(found) / 20


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"silhouettes: z must name at least two clusters; got 1"):
        silhouettes([[1.0], [2.0]], [3, 3])
