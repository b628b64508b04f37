"""Affinities against scikit-learn's, and what must hold of every row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold._t_sne import _joint_probabilities

from chapters_src.generative.neighbours import conditional_affinities, joint_affinities, perplexities


def cloud(n=40, d=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_the_joint_affinities_are_scikit_learns():
    away = squareform(pdist(cloud(), "sqeuclidean")).astype(np.float32)
    theirs = squareform(_joint_probabilities(away, 12.0, 0))
    np.testing.assert_allclose(joint_affinities(cloud(), 12.0), theirs, rtol=1e-4, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(1.5, 25.0), st.sampled_from([1e-6, 1.0, 1e6]))
def test_every_row_has_the_perplexity_that_was_asked_for(seed, perplexity, scale):
    P = conditional_affinities(scale * cloud(30, 3, seed), perplexity)
    np.testing.assert_allclose(perplexities(P), perplexity, rtol=1e-6)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    assert not np.diag(P).any()


def test_equal_probabilities_count_themselves():
    np.testing.assert_allclose(perplexities(np.full((1, 8), 1 / 8)), [8.0])
    np.testing.assert_allclose(perplexities([[0.5, 0.25, 0.25]]), [2**1.5])


def test_a_joint_distribution():
    P = joint_affinities(cloud(), 5.0)
    np.testing.assert_allclose([P.sum(), np.abs(P - P.T).max()], [1.0, 0.0], atol=1e-12)


def test_more_neighbours_than_points():
    message = r"conditional_affinities: perplexity must be below 9, the other points; got 9"
    with pytest.raises(ValueError, match=message):
        conditional_affinities(cloud(10), 9.0)


def test_points_that_are_all_the_same():
    with pytest.raises(ValueError, match="X must have fewer equal points than the perplexity"):
        conditional_affinities(np.ones((10, 2)), 4.0)
