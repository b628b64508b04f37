"""Random features, and the risk of the shortest fit against simulation with another solver."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.evaluation.generalisation import cosine_features, minimum_norm_risk


def test_features_are_a_layer_of_torch():
    rng = np.random.default_rng(0)
    X, W, b = rng.normal(size=(6, 3)), rng.normal(size=(3, 5)), rng.normal(size=5)
    layer = torch.nn.functional.linear(torch.tensor(X), torch.tensor(W.T), torch.tensor(b))
    np.testing.assert_allclose(cosine_features(X, W, b), 0.4**0.5 * torch.cos(layer).numpy(), atol=1e-12)


def test_many_waves_are_a_gaussian_kernel():
    rng = np.random.default_rng(1)
    X, p = rng.normal(size=(4, 2)), 400_000
    Z = cosine_features(X, rng.normal(size=(2, p)), rng.uniform(0, 2 * np.pi, p))
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(Z @ Z.T, np.exp(-squared / 2), atol=0.01)


@pytest.mark.parametrize("d", [2, 6, 14, 30])
def test_risk_of_the_shortest_fit(d):
    n, rng = 10, np.random.default_rng(d)
    theta = np.zeros(d)
    theta[0] = 2.0
    excess = []
    for _ in range(6000):
        X = rng.normal(size=(n, d))
        found = np.linalg.lstsq(X, X @ theta + rng.normal(size=n), rcond=None)[0]
        excess.append(np.sum((found - theta) ** 2))  # the mean over x of (xᵀ(θ̂ − θ))²
    error = np.std(excess) / np.sqrt(6000)
    assert abs(np.mean(excess) - minimum_norm_risk(n, d, 4.0, 1.0)) < 4 * error


def test_worked_numbers():
    assert minimum_norm_risk(10, 4, 1.0, 1.0) == pytest.approx(4 / 5)
    assert minimum_norm_risk(10, 20, 4.0, 1.0) == pytest.approx(4 * 0.5 + 10 / 9)
    assert [minimum_norm_risk(10, d, 1.0, 1.0) for d in (9, 10, 11)] == [np.inf] * 3
    assert minimum_norm_risk(10, 40, 1.0, 0.0) == pytest.approx(0.75)
    assert minimum_norm_risk(10, 10, 1.0, 0.0) == 0.0
