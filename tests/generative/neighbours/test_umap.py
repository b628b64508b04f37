"""UMAP's graph, curve and forces against loops, published numbers, torch and finite differences."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

from chapters_src.generative.neighbours import (
    directed_memberships,
    fit_umap,
    fuzzy_graph,
    membership_curve,
    neighbours_kept,
    umap_loss,
)
from chapters_src.generative.neighbours.umap import _pulls

X = np.random.default_rng(0).normal(size=(30, 4))
CURVE = membership_curve(0.1)


def test_the_curve_has_the_published_parameters():
    np.testing.assert_allclose(CURVE, (1.576943, 0.895061), atol=2e-6)


def test_memberships_point_by_point():
    W = directed_memberships(X, 8)
    for i, x in enumerate(X):
        away = np.linalg.norm(X - x, axis=1)
        near = np.argsort(away)[1:9]
        beyond = away[near] - away[near[0]]
        sigma = brentq(lambda s, b=beyond: np.exp(-b / s).sum() - 3.0, 1e-3, 1e3, xtol=1e-12)
        np.testing.assert_allclose(W[i, near], np.exp(-beyond / sigma), rtol=1e-8)
        assert np.count_nonzero(W[i]) <= 8


def test_ties_with_the_nearest_count_fully():
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [9.0, 9.0]])
    np.testing.assert_allclose(directed_memberships(corner, 3)[0], [0, 1, 1, 0, 0], atol=1e-12)


def test_the_union_is_the_chance_that_either_counts_the_other():
    W, U = directed_memberships(X, 8), fuzzy_graph(X, 8)
    np.testing.assert_allclose(1 - U, (1 - W) * (1 - W.T), atol=1e-12)
    np.testing.assert_allclose(U.max(axis=1), 1.0)


def test_the_loss_by_a_loop():
    W, Y = fuzzy_graph(X, 8), X[:, :2]
    total = 0.0
    for i, j in combinations(range(len(Y)), 2):
        v = 1 / (1 + CURVE.a * ((Y[i] - Y[j]) ** 2).sum() ** CURVE.b)
        total -= W[i, j] * np.log(v) + (1 - W[i, j]) * np.log(1 - v)
    assert umap_loss(W, Y, CURVE) == pytest.approx(total, rel=1e-10)


def test_the_forces_are_slopes():
    s = torch.tensor([0.3, 1.0, 4.0], dtype=torch.float64, requires_grad=True)
    v = 1 / (1 + CURVE.a * s**CURVE.b)
    pull = torch.autograd.grad(-v.log().sum(), s, retain_graph=True)[0]
    push = torch.autograd.grad(-(1 - v).log().sum(), s)[0]
    ours = _pulls(s.detach().numpy(), CURVE)
    np.testing.assert_allclose(ours[0], pull, rtol=1e-10)
    np.testing.assert_allclose(ours[1], push, rtol=4e-3)  # kept finite at 0 by adding 0.001
    ends = [-np.log(1 / (1 + CURVE.a * (4 + h) ** CURVE.b)) for h in (-1e-6, 1e-6)]
    assert ours[0][2] == pytest.approx((ends[1] - ends[0]) / 2e-6, rel=1e-6)


def test_a_picture_keeps_neighbours_and_does_not_change_its_start():
    start = 0.1 * X[:, :2]
    before = start.copy()
    fit = fit_umap(fuzzy_graph(X, 8), start, CURVE, np.random.default_rng(0), epochs=100)
    np.testing.assert_array_equal(start, before)
    noise = np.random.default_rng(1).normal(size=(30, 2))
    assert neighbours_kept(X, fit.theta, 5).mean() > 2 * neighbours_kept(X, noise, 5).mean()
    again = fit_umap(fuzzy_graph(X, 8), start, CURVE, np.random.default_rng(0), epochs=100)
    np.testing.assert_array_equal(fit.theta, again.theta)


def test_two_pieces_are_pushed_apart():
    W = np.zeros((6, 6))
    W[:3, :3] = W[3:, 3:] = 1 - np.eye(3)
    start = np.random.default_rng(0).normal(size=(6, 2))
    Y = fit_umap(W, start, CURVE, np.random.default_rng(1), epochs=100).theta
    inside = max(np.linalg.norm(Y[i] - Y[j]) for i, j in combinations(range(3), 2))
    across = min(np.linalg.norm(Y[i] - Y[j]) for i in range(3) for j in range(3, 6))
    assert across > inside


def test_what_is_no_graph():
    with pytest.raises(ValueError, match="umap_loss: W must hold numbers from 0 to 1"):
        umap_loss(2 * fuzzy_graph(X, 8), X[:, :2], CURVE)
    with pytest.raises(ValueError, match="fuzzy_graph: neighbours must be below 30"):
        fuzzy_graph(X, 30)
