"""The loss and gradient of t-SNE against scikit-learn, torch and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import approx_fprime
from scipy.spatial.distance import squareform
from sklearn.manifold._t_sne import _kl_divergence

from chapters_src.generative.neighbours import (
    fit_tsne,
    joint_affinities,
    map_affinities,
    neighbours_kept,
    tsne_gradient,
    tsne_loss,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(25, 6))
P = joint_affinities(X, 6.0)
Y = RNG.normal(size=(25, 2))


def test_loss_and_gradient_are_scikit_learns():
    loss, gradient = _kl_divergence(Y.ravel(), squareform(P, checks=False), 1, len(Y), 2)
    assert tsne_loss(P, Y) == pytest.approx(loss, rel=1e-10)
    np.testing.assert_allclose(tsne_gradient(P, Y).ravel(), gradient, rtol=1e-8, atol=1e-12)


def test_gradient_by_torch_and_by_differences():
    y = torch.tensor(Y, requires_grad=True)
    W = 1 / (1 + torch.cdist(y, y) ** 2)
    W = W - torch.diag(torch.diag(W))
    off = ~torch.eye(len(Y), dtype=torch.bool)
    loss = (torch.tensor(P)[off] * (torch.tensor(P)[off] / (W / W.sum())[off]).log()).sum()
    loss.backward()
    np.testing.assert_allclose(tsne_gradient(P, Y), y.grad, rtol=1e-7, atol=1e-12)
    slopes = approx_fprime(Y.ravel(), lambda flat: tsne_loss(P, flat.reshape(Y.shape)), 1e-6)
    np.testing.assert_allclose(tsne_gradient(P, Y).ravel(), slopes, atol=1e-5)


def test_the_picture_may_be_moved_turned_and_mirrored():
    turn = np.array([[0.6, -0.8], [-0.8, -0.6]])
    assert tsne_loss(P, 3 + Y @ turn) == pytest.approx(tsne_loss(P, Y), rel=1e-12)
    np.testing.assert_allclose(tsne_gradient(P, Y).sum(axis=0), 0, atol=1e-12)


def test_a_perfect_picture_has_no_loss_and_no_force():
    Q = map_affinities(Y)
    assert tsne_loss(Q, Y) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(tsne_gradient(Q, Y), 0, atol=1e-12)


def test_descent_goes_down_and_keeps_neighbours():
    fit = fit_tsne(P, 0.01 * Y, rate=1.0, steps=300, early=50)
    assert fit.losses[-1] < 0.5 * fit.losses[0]
    assert neighbours_kept(X, fit.theta, 5).mean() > 2 * neighbours_kept(X, Y, 5).mean()
    np.testing.assert_array_equal(fit.path[-1], fit.theta)
    assert len(fit.losses) == 301


def test_groups_gather_while_p_is_exaggerated():
    rng = np.random.default_rng(3)
    part = np.repeat([0, 1, 2], 20)
    Z = 8 * np.eye(3)[part] + rng.normal(size=(60, 3))
    fit = fit_tsne(joint_affinities(Z, 8), 0.01 * rng.normal(size=(60, 2)), rate=4.0, steps=100, early=100)
    middles = np.array([fit.theta[part == k].mean(axis=0) for k in range(3)])
    inside = np.linalg.norm(fit.theta - middles[part], axis=1).max()
    between = min(np.linalg.norm(middles[a] - middles[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert inside < 0.5 * between


def test_one_step_by_hand():
    fit = fit_tsne(P, Y, rate=2.0, steps=1, early=0)
    np.testing.assert_allclose(fit.theta, Y - 2.0 * tsne_gradient(P, Y), rtol=1e-12)


def test_pairs_that_are_no_distribution():
    with pytest.raises(ValueError, match="tsne_loss: P must sum to 1; got 2"):
        tsne_loss(2 * P, Y)
    with pytest.raises(ValueError, match="tsne_gradient: P must be symmetric"):
        tsne_gradient(np.tril(P), Y)
