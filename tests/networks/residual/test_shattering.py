"""Slopes against torch's autograd and a difference quotient; correlations against numpy's."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.networks.residual import autocorrelation, slopes_by_depth


def by_torch(x, depth, keep, seed, width):
    """The same network from the same draws, differentiated by torch."""
    rng = np.random.default_rng(seed)
    v = torch.tensor(rng.normal(size=width) / np.sqrt(width))
    w, b = torch.tensor(rng.normal(size=(2, width)))
    x = torch.tensor(x, requires_grad=True)
    h = x[:, None] * w + b
    for _ in range(depth):
        W = torch.tensor(rng.normal(0, np.sqrt(2 / width), size=(width, width)))
        h = keep * h + np.sqrt(1 - keep**2) * torch.relu(h) @ W
    y = h @ v
    return y.detach().numpy(), torch.autograd.grad(y.sum(), x)[0].numpy()


@pytest.mark.parametrize("keep", [0.0, 0.6, 1.0])
def test_slopes_against_torch(keep):
    x = np.linspace(-2, 2, 31)
    ours = slopes_by_depth(x, [0, 1, 4], keep, np.random.default_rng(3), width=7)
    for row, depth in zip(ours, (0, 1, 4), strict=True):
        np.testing.assert_allclose(row, by_torch(x, depth, keep, 3, 7)[1], atol=1e-12)


def test_slopes_against_a_difference_quotient():
    x, step = np.linspace(-2, 2, 31), 1e-7
    ours = slopes_by_depth(x, [3], 0.5, np.random.default_rng(0), width=9)[0]
    up, down = (by_torch(x + sign * step, 3, 0.5, 0, 9)[0] for sign in (1, -1))
    np.testing.assert_allclose(ours, (up - down) / (2 * step), rtol=1e-5, atol=1e-6)


def test_size_stays_in_expectation():
    """Mean square of the slope over many networks: 1 at every depth and share."""
    for keep in (0.0, 0.7, 0.95):
        slopes = [
            slopes_by_depth(np.linspace(-1, 1, 5), [10], keep, np.random.default_rng(seed), 60)
            for seed in range(400)
        ]
        assert np.mean(np.square(slopes)) == pytest.approx(1, abs=0.25)


@given(st.integers(0, 50))
def test_autocorrelation_of_lag_0_is_1_and_none_is_larger_by_much(seed):
    values = np.random.default_rng(seed).normal(size=40)
    found = autocorrelation(values, [0, 1, 5])
    assert found[0] == pytest.approx(1)
    c = values - values.mean()
    assert found[2] == pytest.approx(np.dot(c[:-5], c[5:]) / 35 / values.var())


def test_autocorrelation_of_a_wave():
    wave = np.cos(np.linspace(0, 40 * np.pi, 4000, endpoint=False))  # 20 periods of 200 values
    np.testing.assert_allclose(autocorrelation(wave, [0, 50, 100, 200]), [1, 0, -1, 1], atol=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: autocorrelation(np.arange(4.0), [4]), "autocorrelation: lags must be below 4"),
        (lambda: autocorrelation(np.ones(4), [1]), "autocorrelation: values must differ"),
        (
            lambda: slopes_by_depth(np.ones(3), [2], 1.5, np.random.default_rng(0)),
            "slopes_by_depth: keep must be at least 0 and at most 1",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
