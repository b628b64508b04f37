"""Robust fits against linear programming, scipy, and the conditions of optimality."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from chapters_src import data
from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.models.shrinkage.robust import fit_absolute, fit_huber

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=25, d=3):
    """A linear rule with noise so heavy-tailed that some points are far out."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + rng.standard_t(1.5, n)


def linear_programme(X, y):
    """Least absolute error as a linear programme: the sum of what is above and what is below."""
    n, d = X.shape
    cost = np.append(np.zeros(d), np.ones(2 * n))
    bounds = [(None, None)] * d + [(0, None)] * 2 * n
    return linprog(cost, A_eq=np.hstack([X, np.eye(n), -np.eye(n)]), b_eq=y, bounds=bounds, method="highs")


class TestHuberFit:
    @settings(max_examples=80)
    @given(
        seeds, st.integers(1, 50), st.integers(1, 5), st.sampled_from([0.01, 0.1, 1.0, 3.0]), st.booleans()
    )
    @example(308, 23, 5, 0.01, False)  # few errors are small, so some directions are free
    def test_the_gradient_vanishes(self, seed, n, d, delta, whole):
        X, y = problem(seed, n, d)
        if whole:  # ties, repeated rows, dependent columns
            X, y = np.round(X), np.round(y)
        pull = X.T @ np.clip(y - X @ fit_huber(X, y, delta), -delta, delta)
        np.testing.assert_allclose(pull, 0, atol=1e-8 * delta * np.abs(X).sum())

    @pytest.mark.parametrize("size", [1e-200, 1e100, 1e154, 1e300])
    def test_it_does_not_depend_on_the_units(self, size):
        X, y = problem(3)
        theta = fit_huber(X, y, 0.5)
        assert np.abs(theta - least_squares(X, y)).max() > 0.01
        np.testing.assert_allclose(fit_huber(size * X, size * y, size * 0.5), theta, rtol=1e-10)
        np.testing.assert_allclose(fit_huber(size * X, y, 0.5) * size, theta, rtol=1e-10)
        np.testing.assert_allclose(fit_huber(X, size * y, size * 0.5) / size, theta, rtol=1e-10)

    def test_against_a_general_optimiser_on_the_diabetes_data(self):
        table = data.diabetes(scaled=True)
        X = with_bias(table.X)
        t = torch.tensor(least_squares(X, table.y), requires_grad=True)
        optimiser = torch.optim.LBFGS(
            [t], max_iter=2_000, tolerance_grad=1e-12, tolerance_change=1e-16, line_search_fn="strong_wolfe"
        )
        X_, y_ = torch.tensor(X), torch.tensor(table.y)

        def closure():
            optimiser.zero_grad()
            loss = torch.nn.functional.huber_loss(X_ @ t, y_, reduction="sum", delta=20.0)
            loss.backward()
            return loss

        optimiser.step(closure)
        np.testing.assert_allclose(fit_huber(X, table.y, 20.0), t.detach().numpy(), rtol=1e-5, atol=1e-3)

    def test_a_wide_parabola_is_least_squares_and_a_narrow_one_least_absolute_error(self):
        X, y = problem(2)
        np.testing.assert_allclose(fit_huber(X, y, 1e6), least_squares(X, y), atol=1e-12)
        np.testing.assert_allclose(fit_huber(X, y, 1e-7), fit_absolute(X, y), atol=1e-6)

    def test_an_outlier_pulls_no_harder_the_farther_it_is(self):
        x = np.linspace(0, 1, 9)
        X, y = with_bias(x[:, None]), 1 + 2 * x
        near, far = y.copy(), y.copy()
        near[8], far[8] = 50.0, 5e6
        np.testing.assert_allclose(fit_huber(X, near, 0.1), fit_huber(X, far, 0.1), atol=1e-8)
        np.testing.assert_allclose(fit_absolute(X, far), [1.0, 2.0], atol=1e-9)
        assert np.abs(least_squares(X, far) - least_squares(X, near)).max() > 1e5


class TestAbsoluteFit:
    @settings(max_examples=120)
    @given(seeds, st.integers(1, 30), st.integers(1, 5), st.booleans())
    def test_against_linear_programming(self, seed, n, d, whole):
        if whole:  # small whole numbers: ties, repeated rows, dependent columns
            rng = np.random.default_rng(seed)
            X, y = rng.integers(-3, 4, (n, d)).astype(float), rng.integers(-4, 5, n).astype(float)
        else:
            X, y = problem(seed, n, d)
        ours = np.abs(y - X @ fit_absolute(X, y)).sum()
        theirs = linear_programme(X, y).fun
        assert ours <= theirs + 1e-9 * max(1.0, theirs)

    def test_coefficients_on_the_diabetes_data(self):
        table = data.diabetes()
        X = with_bias(table.X)
        np.testing.assert_allclose(fit_absolute(X, table.y), linear_programme(X, table.y).x[:11], atol=1e-8)

    def test_a_constant_is_fitted_by_the_median(self):
        y = np.random.default_rng(0).standard_normal(31)
        assert fit_absolute(np.ones((31, 1)), y)[0] == np.median(y)

    def test_it_passes_through_d_points(self):
        X, y = problem(3)
        assert np.sum(np.abs(y - X @ fit_absolute(X, y)) < 1e-12) == 3

    def test_cholesterol(self):
        train = data.cholesterol().train
        np.testing.assert_allclose(
            fit_absolute(with_bias(train.X), train.y), [40 / 3, 2 / 3, 20 / 3], rtol=1e-11
        )

    def test_dependent_columns_give_the_shortest_of_the_equal_fits(self):
        X, y = problem(4)
        doubled = np.hstack([X, X[:, :1]])
        theta = fit_absolute(doubled, y)
        assert theta[0] == pytest.approx(theta[3])
        np.testing.assert_allclose(doubled @ theta, X @ fit_absolute(X, y), atol=1e-9)
        np.testing.assert_array_equal(fit_absolute(np.zeros((4, 2)), np.ones(4)), [0.0, 0.0])

    @pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
    def test_units_do_not_matter(self, scale):
        X, y = problem(5)
        np.testing.assert_allclose(fit_absolute(scale * X, y) * scale, fit_absolute(X, y), rtol=1e-9)
        np.testing.assert_allclose(fit_absolute(X, scale * y) / scale, fit_absolute(X, y), rtol=1e-9)

    def test_the_largest_and_smallest_numbers_will_do(self):
        X, y = problem(5)
        X, y, exact = X / np.abs(X).max(), y / np.abs(y).max(), fit_absolute(X, y)
        ratio = exact / fit_absolute(X, y)
        np.testing.assert_allclose(fit_absolute(1.7e308 * X, 1.7e308 * y) * ratio, exact, rtol=1e-9)
        np.testing.assert_allclose(fit_absolute(1e-300 * X, 1e-300 * y) * ratio, exact, rtol=1e-6)
