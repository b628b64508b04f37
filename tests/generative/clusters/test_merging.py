"""Trees of joins against scipy, and by the definition of each distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from chapters_src.generative.clusters import LINKAGES, adjusted_rand_index, groups_below, merges


def cloud(n=40, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


@pytest.mark.parametrize("name", LINKAGES)
@pytest.mark.parametrize("seed", range(3))
def test_the_same_tree_as_scipy(name, seed):
    X = cloud(seed=seed)
    np.testing.assert_allclose(merges(X, name), linkage(X, name), rtol=1e-10)


@pytest.mark.parametrize("name", LINKAGES)
@pytest.mark.parametrize("height", [0.0, 0.3, 0.8, 2.0, 99.0])
def test_a_cut_is_scipys(name, height):
    X = cloud()
    ours, theirs = groups_below(merges(X, name), height), fcluster(linkage(X, name), height, "distance")
    assert len(np.unique(ours)) == len(np.unique(theirs))
    assert adjusted_rand_index(ours, theirs) == 1.0
    assert list(dict.fromkeys(ours.tolist())) == list(range(len(np.unique(ours))))


def test_ward_is_the_cost_of_a_join():
    X = cloud(9)
    for i, j, gap, size in merges(X, "ward")[:1]:
        a, b = X[int(i)], X[int(j)]
        joined = np.array([a, b])
        cost = ((joined - joined.mean(axis=0)) ** 2).sum()
        assert gap == pytest.approx(np.sqrt(2 * cost)) and size == 2


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"merges: X must have at least two rows; got 1"):
        merges([[1.0]])
    with pytest.raises(ValueError, match=r"merges: linkage must be"):
        merges(cloud(), "centroid")
