"""BIC against scikit-learn, and soft assignments against mixtures and k-means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from chapters_src.generative.clusters import assign
from chapters_src.generative.mixtures import (
    Mixture,
    bic,
    fit_mixture,
    free_parameters,
    mixture,
    responsibilities,
    soft_assignment,
)

seeds = st.integers(0, 2**32 - 1)


def cloud(seed, n=40, d=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * rng.integers(2, size=(n, 1)), rng


@pytest.mark.parametrize(("K", "d", "count"), [(1, 1, 2), (2, 1, 5), (3, 2, 17), (1, 4, 14)])
def test_free_parameters_counted_by_hand(K, d, count):
    assert free_parameters(K, d) == count


@pytest.mark.parametrize("K", [1, 2, 3])
def test_bic_is_scikit_learns(K):
    X, _ = cloud(1)
    theirs = GaussianMixture(K, random_state=0).fit(X)
    same = Mixture(theirs.weights_, theirs.means_, theirs.covariances_)
    assert bic(same, X) == pytest.approx(theirs.bic(X), rel=1e-6)


def test_bic_prefers_two_groups_where_there_are_two():
    X, rng = cloud(2, n=200)
    values = [bic(fit_mixture(X, K, rng, starts=4).theta, X) for K in (1, 2, 3)]
    assert np.argmin(values) == 1


@given(seeds, st.floats(0.05, 5.0))
def test_soft_assignments_are_the_responsibilities_of_round_gaussians(seed, variance):
    X, rng = cloud(seed, n=12)
    C = rng.normal(size=(3, 2))
    model = mixture(np.full(3, 1 / 3), C, np.tile(variance * np.eye(2), (3, 1, 1)))
    np.testing.assert_allclose(soft_assignment(X, C, variance), responsibilities(model, X), atol=1e-9)


def test_narrow_components_assign_as_k_means_does():
    X, rng = cloud(5)
    C = rng.normal(size=(4, 2))
    np.testing.assert_allclose(soft_assignment(X, C, 1e-9), np.eye(4)[assign(X, C)], atol=1e-12)


def test_messages():
    X, _ = cloud(0)
    with pytest.raises(ValueError, match=r"^soft_assignment: variance must be above 0; got 0"):
        soft_assignment(X, X[:2], 0.0)
    with pytest.raises(ValueError, match=r"^soft_assignment: C must be below 1e150 in size"):
        soft_assignment(X, 1e200 * X[:2], 1.0)
    with pytest.raises(ValueError, match=r"^free_parameters: K must be at least 1; got 0"):
        free_parameters(0, 2)
