"""Batches by enumeration of all of them, and training against loops written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.stochastic.batches import (
    fit_batches,
    minibatch_variance,
    minibatches,
)
from chapters_src.optimisation.stochastic.optimisers import SGD

rng = np.random.default_rng(0)
X, y = rng.normal(size=(30, 3)), rng.normal(size=30)


def squares(theta, rows):
    """Mean squared error and its gradient on some rows."""
    error = X[rows] @ theta - y[rows]
    return float(np.mean(error**2)), 2 / len(error) * X[rows].T @ error


@given(st.integers(1, 60), st.data())
@settings(max_examples=60, deadline=None)
def test_an_epoch_visits_everything_once(n, data):
    size = data.draw(st.integers(1, n))
    batches = minibatches(n, size, np.random.default_rng(data.draw(st.integers(0, 99))))
    assert sorted(np.concatenate(batches).tolist()) == list(range(n))
    assert len(batches) == -(-n // size)
    assert {len(one) for one in batches[:-1]} <= {size}
    whole = minibatches(n, size, np.random.default_rng(1), drop_last=True)
    assert len(whole) == n // size
    assert all(len(one) == size for one in whole)


def test_epochs_are_shuffled_anew_and_repeat_with_the_seed():
    source = np.random.default_rng(5)
    first, second = (np.concatenate(minibatches(50, 10, source)) for _ in range(2))
    assert not np.array_equal(first, second)
    assert np.array_equal(first, np.concatenate(minibatches(50, 10, np.random.default_rng(5))))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_variance_over_all_batches(size):
    g = np.random.default_rng(size).normal(size=(5, 2))
    ways = {
        False: itertools.combinations(range(5), size),
        True: itertools.product(range(5), repeat=size),
    }
    for replacement, all_batches in ways.items():
        means = np.array([g[list(rows)].mean(axis=0) for rows in all_batches])
        np.testing.assert_allclose(means.mean(axis=0), g.mean(axis=0), atol=1e-14)
        spread = np.mean(np.sum((means - g.mean(axis=0)) ** 2, axis=1))
        assert minibatch_variance(g, size, replacement) == pytest.approx(spread, rel=1e-12, abs=1e-14)


def test_variance_of_one_example():
    assert minibatch_variance(np.ones((1, 3)), 1) == 0
    assert minibatch_variance(np.ones((4, 3)), 9, replacement=True) == 0


def test_one_epoch_written_out():
    theta, source = np.zeros(3), np.random.default_rng(7)
    order = source.permutation(30)
    losses = []
    for start in range(0, 30, 8):
        rows = order[start : start + 8]
        loss, g = squares(theta, rows)
        theta = theta - 0.1 * g
        losses.append(loss)
    fit = fit_batches(squares, 30, np.zeros(3), SGD(0.1), 1, 8, np.random.default_rng(7))
    np.testing.assert_allclose(fit.theta, theta, rtol=1e-13)
    np.testing.assert_allclose(fit.losses, losses, rtol=1e-13)


def test_finds_least_squares_with_a_falling_rate():
    start = np.zeros(3)
    fit = fit_batches(
        squares, 30, start, SGD(0.1), 300, 5, np.random.default_rng(0), schedule=lambda t: 0.2 / (1 + t / 40)
    )
    np.testing.assert_allclose(fit.theta, np.linalg.lstsq(X, y, rcond=None)[0], atol=5e-3)
    assert len(fit.losses) == 1800
    np.testing.assert_array_equal(start, 0)


def test_full_batch_is_gradient_descent():
    fit = fit_batches(squares, 30, np.zeros(3), SGD(0.1), 20, 30, np.random.default_rng(0))
    theta = np.zeros(3)
    for _ in range(20):
        theta = theta - 0.1 * squares(theta, np.arange(30))[1]
    np.testing.assert_allclose(fit.theta, theta, rtol=1e-12)


def test_divergence_ends_at_the_last_finite_theta():
    with np.errstate(all="ignore"):
        fit = fit_batches(squares, 30, np.ones(3), SGD(1e60), 50, 5, np.random.default_rng(0))
    assert np.isfinite(fit.theta).all()
    assert fit.losses[-1] == np.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: minibatches(0, 1, rng), "minibatches: n must be at least 1"),
        (lambda: minibatches(5, 6, rng), "minibatches: batch_size must be at least 1 and at most 5; got 6"),
        (lambda: minibatches(5, 2.0, rng), "minibatches: batch_size must be a whole number"),
        (lambda: minibatches(5, 2, 0), "minibatches: rng must be a numpy.random.Generator"),
        (lambda: minibatch_variance([1.0], 1), "minibatch_variance: gradients must have two axes"),
        (
            lambda: minibatch_variance(X, 31),
            "minibatch_variance: batch_size must be at least 1 and at most 30",
        ),
        (lambda: fit_batches(squares, 30, X, SGD(1), 1, 5, rng), "fit_batches: theta must have one axis"),
        (lambda: fit_batches(squares, 30, X[0], SGD(1), 0, 5, rng), "fit_batches: epochs must be at least 1"),
        (
            lambda: fit_batches(squares, 30, X[0], 0.1, 1, 5, rng),
            "fit_batches: optimiser must be an Optimiser",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
