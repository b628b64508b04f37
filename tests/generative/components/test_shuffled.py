"""Shuffled columns: what they keep, what they destroy, and how many components are found."""

import numpy as np
import pytest

from chapters_src.generative.components import beyond_chance, pca, shuffled_variances


def factors(K, seed=0, n=300, d=20):
    rng = np.random.default_rng(seed)
    loadings = np.linalg.qr(rng.normal(size=(d, d)))[0][:, :K] * np.sqrt(3.0)
    return rng.normal(size=(n, K)) @ loadings.T + rng.normal(size=(n, d))


@pytest.mark.parametrize("K", [0, 1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_number_of_factors_is_found(K, seed):
    X = factors(K, seed)
    chance = shuffled_variances(X, np.random.default_rng(9), repeats=30)
    assert beyond_chance(pca(X).variances, chance, share=1.0) == K


def test_a_shuffle_keeps_the_total_variance():
    X = factors(2)
    chance = shuffled_variances(X, np.random.default_rng(0), repeats=4)
    assert chance.shape == (4, 20)
    np.testing.assert_allclose(chance.sum(axis=1), X.var(axis=0).sum())


def test_counting_stops_at_the_first_that_is_not_above():
    chance = np.array([[2.0, 1.0, 0.5]])
    assert beyond_chance(np.array([3.0, 0.9, 0.7]), chance) == 1
    assert beyond_chance(np.array([3.0, 1.1, 0.4]), chance) == 2
    assert beyond_chance(np.array([1.0, 1.1, 0.7]), chance) == 0


def test_messages():
    with pytest.raises(ValueError, match="shuffled_variances: repeats must be"):
        shuffled_variances(np.eye(3), np.random.default_rng(0), repeats=0)
    with pytest.raises(ValueError, match="beyond_chance: chance must have shape"):
        beyond_chance(np.ones(3), np.ones((2, 4)))
