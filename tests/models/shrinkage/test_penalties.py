"""Ridge and lasso against scikit-learn, against the conditions of optimality, and in closed form."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso, Ridge

from chapters_src import data
from chapters_src.models.least_squares import least_squares
from chapters_src.models.shrinkage.penalties import lasso, lasso_path, ridge_path, soft_threshold

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=30, d=6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.5)  # correlated columns
    return X, X @ np.where(np.arange(d) % 2, 0.0, 2.0) + rng.standard_normal(n)


def centred_diabetes():
    table = data.diabetes(scaled=True)
    return table.X, table.y - table.y.mean()


class TestSoftThreshold:
    def test_towards_zero_and_no_further(self):
        np.testing.assert_array_equal(soft_threshold([3.0, -3.0, 0.5, -0.5, 0.0], 1.0), [2, -2, 0, 0, 0])
        np.testing.assert_array_equal(soft_threshold([[1.5], [-1.5]], 0.0), [[1.5], [-1.5]])
        assert float(soft_threshold(2.0, 0.5)) == 1.5

    @settings(max_examples=60)
    @given(st.floats(-5, 5), st.floats(0, 5))
    def test_it_minimises_what_it_says(self, a, t):
        grid = np.append(np.linspace(-6, 6, 2001), [0.0, a])
        best = float(soft_threshold(a, t))
        assert 0.5 * (best - a) ** 2 + t * abs(best) <= (0.5 * (grid - a) ** 2 + t * abs(grid)).min() + 1e-12


class TestLasso:
    @pytest.mark.parametrize("lam", [1.0, 10.0, 100.0, 1000.0])
    def test_agrees_with_scikit_learn_on_the_diabetes_data(self, lam):
        X, y = centred_diabetes()
        theirs = Lasso(alpha=lam / (2 * len(y)), fit_intercept=False, tol=1e-14, max_iter=1_000_000).fit(X, y)
        np.testing.assert_allclose(lasso(X, y, lam), theirs.coef_, rtol=1e-8, atol=1e-8)

    @pytest.mark.parametrize("size", [1e-200, 1e154, 1e160, 1e300])
    def test_it_does_not_depend_on_the_units(self, size):
        """Not even on those in which no square is a number of the computer."""
        X, y = problem(0)
        lams = np.array([20.0, 1.0, 300.0])
        path = lasso_path(X, y, lams)
        assert 0 < np.count_nonzero(path[0]) < 6
        np.testing.assert_allclose(lasso(X, size * y, size * 20) / size, path[0], rtol=1e-10)
        np.testing.assert_allclose(lasso(X, y, 1.0, theta=path[0]), path[1], rtol=1e-10)
        np.testing.assert_allclose(lasso_path(X, size * y, size * lams) / size, path, rtol=1e-10)
        np.testing.assert_allclose(lasso_path(size * X, y, size * lams) * size, path, rtol=1e-10)

    @settings(max_examples=60)
    @given(seeds, st.integers(1, 40), st.integers(1, 7), st.floats(-3, 3))
    def test_conditions_of_optimality(self, seed, n, d, log_lam):
        X, y = problem(seed, n, d)
        lam = 10.0**log_lam
        theta = lasso(X, y, lam)
        pull = 2 * X.T @ (y - X @ theta)
        slack = 1e-6 * max(1.0, np.abs(X.T @ y).max())
        assert (np.abs(pull) <= lam + slack).all()
        np.testing.assert_allclose(pull[theta != 0], lam * np.sign(theta[theta != 0]), atol=slack)

    def test_orthogonal_columns_are_thresholded_one_by_one(self):
        rng = np.random.default_rng(3)
        X = np.linalg.qr(rng.standard_normal((20, 5)))[0]
        y = rng.standard_normal(20)
        np.testing.assert_allclose(lasso(X, y, 0.6), soft_threshold(X.T @ y, 0.3), atol=1e-12)

    def test_zero_from_the_largest_pull_on(self):
        X, y = problem(4)
        largest = 2 * np.abs(X.T @ y).max()
        assert not lasso(X, y, 1.0001 * largest).any()
        assert np.count_nonzero(lasso(X, y, 0.99 * largest)) == 1

    def test_no_penalty_is_least_squares(self):
        X, y = problem(5)
        np.testing.assert_allclose(lasso(X, y, 0.0), least_squares(X, y), atol=1e-12)
        np.testing.assert_allclose(lasso(X, y, 1e-9), least_squares(X, y), atol=1e-8)

    def test_some_coefficients_are_exactly_zero(self):
        X, y = problem(6)
        theta = lasso(X, y, 30.0)
        assert 0 < np.count_nonzero(theta) < 6
        assert np.count_nonzero(least_squares(X, y, 30.0)) == 6

    def test_a_warm_start_ends_where_a_cold_one_does(self):
        X, y = problem(7)
        rng = np.random.default_rng(0)
        warm = lasso(X, y, 5.0, theta=10 * rng.standard_normal(6))
        np.testing.assert_allclose(warm, lasso(X, y, 5.0), atol=1e-10)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lasso(X, y, 5.0, sweeps=1, tolerance=1e-12, theta=warm)  # nothing is left to do

    def test_useless_columns_and_a_zero_target(self):
        X, y = problem(8)
        X[:, 2] = 0.0
        theta = lasso(X, y, 1.0, theta=np.ones(6))
        assert theta[2] == 0.0
        assert not lasso(X, np.zeros(30), 1.0).any()
        assert not lasso(np.zeros((4, 2)), np.ones(4), 1.0, theta=[1.0, 2.0]).any()

    def test_more_columns_than_rows(self):
        rng = np.random.default_rng(9)
        X, y = rng.standard_normal((15, 40)), rng.standard_normal(15)
        theta = lasso(X, y, 3.0)
        theirs = Lasso(alpha=3.0 / 30, fit_intercept=False, tol=1e-14, max_iter=1_000_000).fit(X, y).coef_
        np.testing.assert_allclose(theta, theirs, atol=1e-7)

    def test_many_columns_with_one_thing_in_common(self):
        # Dependent columns in abundance: sweeps alone would take for ever.
        X, y = problem(0, 15, 40)
        theta = lasso(X, y, 3.0)
        assert np.count_nonzero(theta) <= 15
        assert np.abs(2 * X.T @ (y - X @ theta)).max() == pytest.approx(3.0, rel=1e-6)

    def test_too_few_sweeps_are_said(self):
        X, y = centred_diabetes()
        with pytest.warns(RuntimeWarning, match=r"^lasso: 2 sweeps left a duality gap of "):
            lasso(X, y, 1.0, sweeps=2)

    def test_the_gap_bounds_what_is_left_to_gain(self):
        X, y = centred_diabetes()

        def objective(theta):
            return np.sum((X @ theta - y) ** 2) + 10.0 * np.abs(theta).sum()

        best = objective(lasso(X, y, 10.0))
        for tolerance in (1e-2, 1e-4, 1e-6):
            excess = objective(lasso(X, y, 10.0, tolerance=tolerance)) - best
            assert -1e-9 * best <= excess <= tolerance * (y @ y)


class TestPaths:
    def test_rows_are_the_single_answers_in_the_order_asked(self):
        X, y = centred_diabetes()
        lams = np.array([30.0, 1000.0, 3.0])
        np.testing.assert_allclose(lasso_path(X, y, lams), [lasso(X, y, lam) for lam in lams], atol=1e-7)
        np.testing.assert_allclose(
            ridge_path(X, y, lams), [least_squares(X, y, lam) for lam in lams], atol=1e-10
        )

    def test_ridge_path_against_scikit_learn(self):
        X, y = centred_diabetes()
        for lam, theta in zip([0.01, 1.0], ridge_path(X, y, [0.01, 1.0]), strict=True):
            theirs = Ridge(alpha=lam, fit_intercept=False, solver="svd").fit(X, y).coef_
            np.testing.assert_allclose(theta, theirs, rtol=1e-9)

    @settings(max_examples=20)
    @given(seeds)
    def test_a_larger_penalty_means_smaller_coefficients(self, seed):
        X, y = problem(seed)
        lams = np.logspace(-2, 3, 8)
        for path, order in ((lasso_path(X, y, lams), 1), (ridge_path(X, y, lams), 2)):
            lengths = np.linalg.norm(path, ord=order, axis=1)
            assert all(a >= b - 1e-7 for a, b in pairwise(lengths))

    @pytest.mark.parametrize("function", [lasso_path, ridge_path])
    def test_a_negative_penalty_is_refused(self, function):
        X, y = problem(1)
        with pytest.raises(ValueError, match=r"_path: lams must be at least 0; got -1$"):
            function(X, y, [1.0, -1.0])
