"""Fits against scikit-learn and torch; gradients against two references."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from chapters_src import data
from chapters_src.networks.shallow import fitting
from chapters_src.networks.shallow.fitting import (
    fit_outer,
    network_from,
    objective,
    quantile_layer,
    squared_error,
    start,
)
from chapters_src.networks.shallow.network import Network
from chapters_src.networks.shallow.parameters import flat
from chapters_src.optimisation.adaptive import Adam
from chapters_src.optimisation.stochastic.batches import fit_batches
from chapters_src.studio.oracle import finite_difference_gradient

torch.set_num_threads(1)
seeds = st.integers(0, 2**32 - 1)
SIZES = (2, 3, 2)


def problem(seed, n=6):
    rng = np.random.default_rng(seed)
    return start(SIZES, rng), rng.standard_normal((n, 2)), rng.standard_normal((n, 2))


class TestOuterWeights:
    @pytest.mark.parametrize("D", [1, 2, 4, 7])
    def test_hinges_are_linear_splines(self, D):
        """Joints at quantiles and free heights: splines of degree 1 span the same functions."""
        run = data.sprint("men")
        W1, b1 = quantile_layer(run.X[:, 0], D)
        ours = fit_outer(W1, b1, run.X, run.y)
        knots = np.append(-b1, run.X.max())[:, None]
        splines = SplineTransformer(degree=1, knots=knots)
        theirs = make_pipeline(splines, LinearRegression()).fit(run.X, run.y)
        np.testing.assert_allclose(ours(run.X)[:, 0], theirs.predict(run.X), atol=1e-8)

    @settings(max_examples=30)
    @given(seeds, st.integers(1, 3))
    def test_against_lstsq_on_the_activations(self, seed, outputs):
        rng = np.random.default_rng(seed)
        W1, b1, X = rng.standard_normal((3, 4)), rng.standard_normal(4), rng.standard_normal((40, 3))
        Y = rng.standard_normal((40, outputs))
        h = np.column_stack([np.ones(40), np.maximum(X @ W1 + b1, 0)])
        expected = h @ np.linalg.lstsq(h, Y, rcond=None)[0]
        np.testing.assert_allclose(fit_outer(W1, b1, X, Y)(X), expected, atol=1e-8)

    def test_ridge_and_one_output(self):
        rng = np.random.default_rng(0)
        W1, b1, X, y = rng.standard_normal((1, 3)), np.ones(3), rng.standard_normal((9, 1)), np.arange(9.0)
        h = np.column_stack([np.ones(9), np.maximum(X @ W1 + b1, 0)])
        theta = np.linalg.solve(h.T @ h + 0.3 * np.eye(4), h.T @ y)
        network = fit_outer(W1, b1, X, y, ridge=0.3)
        np.testing.assert_allclose([network.b2[0], *network.W2[:, 0]], theta, atol=1e-10)

    def test_quantiles(self):
        W1, b1 = quantile_layer(np.array([4.0, 0.0, 1.0, 2.0, 3.0]), 4)
        np.testing.assert_array_equal(W1, [[1, 1, 1, 1]])
        np.testing.assert_array_equal(-b1, [0, 1, 2, 3])


class TestAllParameters:
    @settings(max_examples=30)
    @given(seeds)
    def test_flat_and_back(self, seed):
        theta = np.random.default_rng(seed).standard_normal(2 * 3 + 3 + 3 * 2 + 2)
        network = network_from(theta, SIZES)
        np.testing.assert_array_equal(flat(network.layers), theta)
        assert network.W1[1, 0] == theta[3]  # row by row
        assert network.sizes == SIZES

    @settings(max_examples=20)
    @given(seeds)
    def test_loss_is_that_of_the_network(self, seed):
        theta, X, Y = problem(seed)
        loss, _ = objective(X, Y, SIZES)(theta, np.arange(6))
        by_hand = np.mean(np.sum((network_from(theta, SIZES)(X) - Y) ** 2, axis=1))
        assert loss == pytest.approx(by_hand, rel=1e-12)

    @settings(max_examples=15)
    @given(seeds)
    def test_gradient_against_two_references(self, seed):
        theta, X, Y = problem(seed)
        rows = np.array([0, 2, 3])
        _, gradient = objective(X, Y, SIZES)(theta, rows)
        network = network_from(theta, SIZES)
        a = X[rows] @ network.W1 + network.b1
        if np.abs(a).min() < 1e-3:
            return  # at a joint there is no derivative to compare
        h, on = np.maximum(a, 0), a > 0
        error = 2 / 3 * (h @ network.W2 + network.b2 - Y[rows])
        back = error @ network.W2.T * on  # by hand, as the chapter on backpropagation derives it
        by_hand = Network(X[rows].T @ back, back.sum(axis=0), h.T @ error, error.sum(axis=0))
        np.testing.assert_allclose(gradient, flat(by_hand.layers), atol=1e-12)

        def loss(t):
            return float(np.mean(np.sum((network_from(t, SIZES)(X[rows]) - Y[rows]) ** 2, axis=1)))

        np.testing.assert_allclose(
            gradient, finite_difference_gradient(loss, theta, step=1e-5), rtol=1e-4, atol=1e-5
        )

    def test_descends_on_real_data(self):
        table = data.diabetes(scaled=True)
        X, y = 20 * table.X, (table.y - table.y.mean()) / table.y.std()
        rng = np.random.default_rng(0)
        theta = start((10, 8, 1), rng)
        fit = fit_batches(objective(X, y, (10, 8, 1)), len(X), theta, Adam(0.01), 8, 32, rng)
        before, after = (np.mean((network_from(t, (10, 8, 1))(X)[:, 0] - y) ** 2) for t in (theta, fit.theta))
        assert after < 0.6 < before

    def test_a_start_has_the_variances_it_says(self):
        sizes = (8, 4000, 5)
        network = network_from(start(sizes, np.random.default_rng(0)), sizes)
        W1, b1, W2, b2 = network.W1, network.b1, network.W2, network.b2
        assert W1.var() == pytest.approx(2 / 8, rel=0.03)
        assert b1.var() == pytest.approx(1, rel=0.1)
        assert W2.var() == pytest.approx(1 / 4000, rel=0.05)
        assert not b2.any()

    def test_on_the_meta_device(self):
        theta, X, Y = (torch.empty(shape, device="meta") for shape in (17, (6, 2), (6, 2)))
        loss = squared_error(theta, X, Y, SIZES)
        assert loss.device.type == "meta" and loss.shape == ()

    def test_shapes_that_do_not_fit(self):
        theta, X, Y = (torch.empty(shape) for shape in (17, (6, 2), (6, 2)))
        with pytest.raises(ValueError, match=r"^squared_error: theta must have shape \(17,\); got \(16,\)"):
            squared_error(theta[1:], X, Y, SIZES)
        with pytest.raises(ValueError, match=r"^squared_error: Y must have shape \(6, 2\), .*; got \(6, 1\)"):
            squared_error(theta, X, Y[:, :1], SIZES)
        with pytest.raises(ValueError, match=r"^squared_error: X must be torch.float32 on cpu, as theta is"):
            squared_error(theta, X.double(), Y, SIZES)
        with pytest.raises(ValueError, match=r"^squared_error: Y must be torch.float32 on cpu, as theta is"):
            squared_error(theta, X, Y.double(), SIZES)
        with pytest.raises(ValueError, match=r"^objective: Y must have 2 columns, one per output; got 1"):
            objective(X.numpy(), np.ones(6), SIZES)
        with pytest.raises(ValueError, match=r"^start: sizes must be three: inputs, hidden units, outputs"):
            start((1, 2), np.random.default_rng(0))

    def test_nothing_public_is_untested(self):
        assert set(fitting.__all__) <= set(globals())
