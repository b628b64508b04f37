"""Principal components against scikit-learn, an eigensolver, a descent, and numbers by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.decomposition import PCA as Theirs

from chapters_src.generative.components import pca, reconstruction, reconstruction_error, scores, whitened

FOUR = np.array([[2.0, 1.0], [1.0, 2.0], [-2.0, -1.0], [-1.0, -2.0]])


def data(seed=0, n=40, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)


def test_four_points_by_hand():
    model = pca(FOUR)
    np.testing.assert_allclose(model.variances, [4.5, 0.5])
    np.testing.assert_allclose(model.U[:, 0], np.full(2, 0.5**0.5))
    one = pca(FOUR, 1)
    np.testing.assert_allclose(scores(one, FOUR)[0], 3 / 2**0.5)
    np.testing.assert_allclose(reconstruction(one, FOUR)[0], [1.5, 1.5])
    assert reconstruction_error(one, FOUR) == pytest.approx(0.5)
    assert one.total == pytest.approx(5.0)


@pytest.mark.parametrize("shape", [(40, 5), (6, 9), (5, 5)])
@pytest.mark.parametrize("M", [1, 3])
def test_against_scikit_learn(shape, M):
    X = data(1, *shape)
    ours, theirs = pca(X, M), Theirs(M, svd_solver="full").fit(X)
    np.testing.assert_allclose(np.abs(np.sum(ours.U.T * theirs.components_, axis=1)), 1)
    np.testing.assert_allclose(ours.variances * len(X) / (len(X) - 1), theirs.explained_variance_)
    np.testing.assert_allclose(ours.variances / ours.total, theirs.explained_variance_ratio_)
    new = data(2, *shape)
    np.testing.assert_allclose(np.abs(scores(ours, new)), np.abs(theirs.transform(new)), atol=1e-10)
    back = theirs.inverse_transform(theirs.transform(new))
    np.testing.assert_allclose(reconstruction(ours, new), back, atol=1e-10)


def test_against_an_eigensolver():
    X = data(3)
    variances, U = np.linalg.eigh(np.cov(X.T, bias=True))
    model = pca(X)
    np.testing.assert_allclose(model.variances, variances[::-1])
    np.testing.assert_allclose(np.abs(model.U.T @ U[:, ::-1]), np.eye(5), atol=1e-9)


def test_a_search_over_all_projections_finds_no_smaller_error():
    X = data(4, 30, 4)
    centred = X - X.mean(axis=0)

    def error(flat):
        Q = np.linalg.qr(flat.reshape(4, 2))[0]
        return np.mean(np.sum((centred - centred @ Q @ Q.T) ** 2, axis=1))

    found = min(minimize(error, np.random.default_rng(s).normal(size=8)).fun for s in range(4))
    assert reconstruction_error(pca(X, 2), X) == pytest.approx(found, rel=1e-5)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_kept_and_lost_sum_to_the_total(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d)) * 3 + 1
    for M in range(1, min(n, d) + 1):
        model = pca(X, M)
        lost = reconstruction_error(model, X)
        assert model.variances.sum() + lost == pytest.approx(model.total, rel=1e-9)
        assert model.total == pytest.approx(X.var(axis=0).sum(), rel=1e-9)
        np.testing.assert_allclose(model.U.T @ model.U, np.eye(M), atol=1e-10)
        assert (model.U[np.abs(model.U).argmax(axis=0), range(M)] > 0).all()


def test_whitened_data_have_covariance_one():
    X = data(5)
    Z = whitened(pca(X, 3), X)
    np.testing.assert_allclose(np.cov(Z.T, bias=True), np.eye(3), atol=1e-12)
    theirs = Theirs(3, whiten=True, svd_solver="full").fit_transform(X)
    np.testing.assert_allclose(np.abs(Z), np.abs(theirs) * np.sqrt(40 / 39))


def test_a_rotation_of_the_data_rotates_the_directions():
    X = data(6)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    ours, turned = pca(X), pca(X @ Q.T)
    np.testing.assert_allclose(turned.variances, ours.variances)
    np.testing.assert_allclose(np.abs(turned.U.T @ Q @ ours.U), np.eye(5), atol=1e-9)


def test_messages():
    X = data(7, 4, 6)
    with pytest.raises(ValueError, match=r"pca: M must be .*; got 5"):
        pca(X, 5)
    with pytest.raises(ValueError, match=r"scores: X must have shape"):
        scores(pca(X, 2), np.ones((3, 5)))
    with pytest.raises(ValueError, match="whitened: model must keep only directions along which"):
        whitened(pca(X), X)  # four points span three directions
