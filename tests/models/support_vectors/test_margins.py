"""Distances, the soft-margin objective and its subgradient."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.models.support_vectors import (
    fit_hinge_descent,
    max_margin,
    signed_distances,
    soft_margin,
    soft_margin_subgradient,
)

LABELS = np.array([1.0, 1.0, -1.0, -1.0, 1.0, -1.0])


def draw(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, 3)), rng.normal(size=3), float(rng.normal())


def test_distance_by_hand():
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    found = signed_distances(X, np.array([1.0, 1.0]) * [1, -1], np.array([3.0, 4.0]), -5.0)
    np.testing.assert_allclose(found, [4.0, 1.0])


@given(st.integers(0, 2**32 - 1))
def test_the_distance_is_to_the_nearest_point_of_the_boundary(seed):
    X, w, b = draw(seed)
    lengths = np.abs(signed_distances(X, LABELS, w, b))
    foot = X - ((X @ w + b) / (w @ w))[:, None] * w
    np.testing.assert_allclose(foot @ w + b, 0, atol=1e-9 * (1 + abs(b)))
    np.testing.assert_allclose(lengths, np.linalg.norm(X - foot, axis=1), rtol=1e-6, atol=1e-9)
    # doubling w and b moves neither the boundary nor a distance
    np.testing.assert_allclose(np.abs(signed_distances(X, LABELS, 2 * w, 2 * b)), lengths, rtol=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_objective_and_subgradient_against_torch(seed, C):
    X, w, b = draw(seed)
    w_t, b_t = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (w, b))
    slack = torch.relu(1 - torch.tensor(LABELS) * (torch.tensor(X) @ w_t + b_t))
    loss = 0.5 * (w_t**2).sum() + C * slack.sum()
    loss.backward()
    assert soft_margin(X, LABELS, w, b, C) == pytest.approx(loss.item(), rel=1e-12)
    by_w, by_b = soft_margin_subgradient(X, LABELS, w, b, C)
    np.testing.assert_allclose(by_w, w_t.grad.numpy(), rtol=1e-10, atol=1e-12)
    assert by_b == pytest.approx(b_t.grad.item(), abs=1e-12)


def test_on_its_margin_a_point_does_not_pull():
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    by_w, by_b = soft_margin_subgradient(X, y, np.array([1.0]), 0.0, 5.0)
    assert by_w.tolist() == [1.0] and by_b == 0


def test_descent_comes_near_the_minimum_and_never_below_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X @ [1.0, 2.0] + rng.normal(size=60) > 0, 1.0, -1.0)
    best = max_margin(X, y, 1.0)
    least = soft_margin(X, y, best.w, best.b, 1.0)
    fit = fit_hinge_descent(X, y, 1.0, steps=3000)
    assert fit.losses.min() == soft_margin(X, y, fit.theta[1:], fit.theta[0], 1.0)
    assert least - 1e-9 <= fit.losses.min() <= least * 1.001
    assert len(fit.losses) == 3001 and fit.losses[0] == 60
    first = X.T @ y / 61, y.sum() / 61  # at 0 every point pulls, and the first step has length 1/(1 + nC)
    assert fit.losses[1] == pytest.approx(soft_margin(X, y, *first, 1.0), rel=1e-12)


def test_labels_and_weights_that_make_no_sense():
    X, w, b = draw(0)
    with pytest.raises(ValueError, match=re.escape("signed_distances: y must hold −1 and 1 alone; got 0")):
        signed_distances(X, (LABELS + 1) / 2, w, b)
    with pytest.raises(
        ValueError, match=re.escape("soft_margin: y must hold both −1 and 1; got 1 throughout")
    ):
        soft_margin(X, np.ones(6), w, b, 1.0)
    with pytest.raises(
        ValueError,
        match=re.escape(
            "signed_distances: w must have an entry other than 0, or there is no boundary; got zeros"
        ),
    ):
        signed_distances(X, LABELS, 0 * w, b)
    with pytest.raises(ValueError, match=re.escape("soft_margin: C must be above 0; got 0")):
        soft_margin(X, LABELS, w, b, 0.0)
