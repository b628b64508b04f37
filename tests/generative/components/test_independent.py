"""Unmixing against scikit-learn, known sources, and what cannot be known."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA

from chapters_src.generative.components import fit_ica, pca, plucked_tune, siren, unmixed
from chapters_src.generative.components.independent import nearest_rotation

A = np.array([[1.0, 0.6], [0.5, 1.0]])


def sources(seed=0, n=4000):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-1, 1, n), rng.laplace(size=n), rng.choice([-1.0, 1.0], n)])


def agreement(S, found):
    """|correlation| of each source with the best of the found ones."""
    d = S.shape[1]
    return np.abs(np.corrcoef(S.T, found.T)[:d, d:]).max(axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_three_sources_are_found(seed):
    S = sources(seed)
    X = S @ np.random.default_rng(seed).normal(size=(3, 3)) + 5
    model = fit_ica(X, np.random.default_rng(seed + 10))
    assert model.converged
    assert (agreement(S, unmixed(model, X)) > 0.99).all()


@pytest.mark.parametrize("M", [None, 2])
def test_against_scikit_learn(M):
    X = sources(5) @ np.random.default_rng(1).normal(size=(3, 3))
    ours = unmixed(fit_ica(X, np.random.default_rng(0), M), X)
    theirs = FastICA(M, whiten="unit-variance", tol=1e-10, random_state=0).fit_transform(X)
    found = np.abs(np.corrcoef(ours.T, theirs.T)[: ours.shape[1], ours.shape[1] :])
    np.testing.assert_allclose(np.sort(found.max(axis=0)), 1, atol=1e-6)
    np.testing.assert_allclose(ours.std(axis=0), theirs.std(axis=0))


def test_found_sources_are_white():
    X = sources(6) @ np.random.default_rng(2).normal(size=(3, 3))
    found = unmixed(fit_ica(X, np.random.default_rng(0)), X)
    np.testing.assert_allclose(np.cov(found.T, bias=True), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-12)


def test_the_mixing_does_not_matter():
    S = sources(7)
    found = [unmixed(fit_ica(S @ B, np.random.default_rng(0)), S @ B) for B in (np.eye(3), A3)]
    np.testing.assert_allclose(agreement(*found), 1, atol=1e-6)


A3 = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0], [1.0, -1.0, 1.0]])


def test_gaussian_sources_are_not_found():
    rng = np.random.default_rng(0)
    worst = []
    for _ in range(10):
        S = rng.normal(size=(1000, 2))
        worst.append(agreement(S, unmixed(fit_ica(S @ A.T, rng, steps=50), S @ A.T)).min())
    assert np.mean(worst) < 0.95


def test_two_sounds_come_apart():
    S = np.column_stack([plucked_tune(), siren()])
    X = S @ A.T
    assert (agreement(S, unmixed(fit_ica(X, np.random.default_rng(0)), X)) > 0.99).all()
    assert (agreement(S, X) < 0.95).all()
    assert (agreement(S, X @ pca(X).U) < 0.95).all()  # perpendicular directions do not do it


def test_nearest_rotation():
    W = np.random.default_rng(0).normal(size=(3, 3))
    R = nearest_rotation(W)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    for seed in range(50):
        Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
        assert np.linalg.norm(W - R) <= np.linalg.norm(W - Q) + 1e-12


def test_messages():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"fit_ica: M must be .*; got 4"):
        fit_ica(sources(0, 30), rng, M=4)
    with pytest.raises(ValueError, match="must keep only directions along which the data vary"):
        fit_ica(np.ones((20, 2)) * np.arange(20.0)[:, None], rng)
    with pytest.raises(ValueError, match="fit_ica: tolerance must be"):
        fit_ica(sources(0, 30), rng, tolerance=0.0)
    stopped = fit_ica(sources(0, 300), rng, steps=1, tolerance=1e-15)
    assert not stopped.converged
    assert stopped.steps == 1
