"""Power means between mean and largest, and gradients against torch and a difference quotient."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.convolution import pool
from chapters_src.networks.vision import pool_gradient, power_pool

rng = np.random.default_rng(0)
X = rng.uniform(size=(2, 3, 7, 6))


def test_power_one_is_the_mean_and_a_large_one_the_largest():
    np.testing.assert_allclose(power_pool(X, 2, 1.0), pool(X, 2, kind="mean"))
    np.testing.assert_allclose(power_pool(X, 2, 2000.0), pool(X, 2), rtol=1e-3)


@pytest.mark.parametrize("p", [0.5, 2.0, 7.0])
def test_against_torch(p):
    theirs = torch.nn.functional.lp_pool2d(torch.tensor(X), p, 2) / 4 ** (1 / p)  # a sum there, a mean here
    np.testing.assert_allclose(power_pool(X, 2, p), theirs.numpy(), rtol=1e-10)


def test_nothing_overflows_and_zeros_stay():
    np.testing.assert_allclose(power_pool(1e200 * X, 2, 9.0), 1e200 * power_pool(X, 2, 9.0))
    np.testing.assert_array_equal(power_pool(np.zeros((1, 1, 4, 4)), 2, 3.0), 0)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.2, 30), st.floats(1.05, 3), st.integers(0, 10**6))
def test_a_larger_power_gives_more_and_never_more_than_the_largest(p, factor, seed):
    x = np.random.default_rng(seed).uniform(size=(1, 1, 4, 4))
    low, high = power_pool(x, 2, p), power_pool(x, 2, p * factor)
    assert (low <= high + 1e-12).all() and (high <= pool(x, 2) + 1e-12).all()
    assert (high >= 4 ** (-1 / (p * factor)) * pool(x, 2) - 1e-12).all()


def test_worked():
    window = np.array([[[[3.0, 4.0]]]]).repeat(2, axis=2)
    np.testing.assert_allclose(power_pool(window, 2, 2.0), 12.5**0.5)


@pytest.mark.parametrize(("kind", "layer"), [("max", torch.nn.MaxPool2d(2)), ("mean", torch.nn.AvgPool2d(2))])
def test_gradients_against_torch_and_a_difference(kind, layer):
    x = torch.tensor(X, requires_grad=True)
    pooled = layer(x)
    G = rng.normal(size=pooled.shape)
    pooled.backward(torch.tensor(G))
    ours = pool_gradient(X, G, 2, kind)
    np.testing.assert_allclose(ours, x.grad.numpy(), atol=1e-12)
    u, e = rng.normal(size=X.shape), 1e-6
    slope = [np.sum(G * pool(X + s * u, 2, kind=kind)) for s in (e, -e)]
    np.testing.assert_allclose((slope[0] - slope[1]) / (2 * e), np.sum(ours * u), rtol=1e-6)


def test_nothing_is_lost_on_the_way_back():
    G = rng.normal(size=(2, 3, 3, 3))
    for kind in ("max", "mean"):
        np.testing.assert_allclose(pool_gradient(X, G, 2, kind).sum(), G.sum())
    ties = np.ones((1, 1, 2, 2))
    np.testing.assert_array_equal(pool_gradient(ties, np.ones((1, 1, 1, 1)), 2), [[[[1, 0], [0, 0]]]])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="power_pool: X must be at least 0"):
        power_pool(-X, 2, 2.0)
    with pytest.raises(ValueError, match=r"pool_gradient: G must have shape \(2, 3, 3, 3\); got"):
        pool_gradient(X, np.zeros((2, 3, 2, 3)), 2)
