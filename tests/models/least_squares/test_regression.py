"""Least squares against numpy, scikit-learn, exact fractions, and answers known by construction."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import r2_score

from chapters_src import data
from chapters_src.models.least_squares import (
    fit_gradient_descent,
    least_squares,
    mean_squared_error,
    mean_squared_error_hessian,
    noise_variance,
    normal_equations,
    polynomial_features,
    r_squared,
    step_size_bound,
    sum_squared_error,
    with_bias,
)

seeds = st.integers(0, 2**32 - 1)


def from_svd(rng, n, d, singular, residual=1.0):
    """X with the given singular values, and y whose least-squares θ is known without solving anything."""
    U = np.linalg.qr(rng.standard_normal((n, d + 1)))[0]
    V = np.linalg.qr(rng.standard_normal((d, d)))[0]
    s = np.asarray(singular, dtype=float)
    theta = rng.standard_normal(d)
    X = U[:, :d] * s @ V.T
    return X, X @ theta + residual * U[:, d], theta, (s, V)


def random_problem(seed, n=20, d=4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal(n), rng.standard_normal(d)


def exact_solution(X, y, ridge=0):
    """The normal equations in fractions: no rounding at all."""
    X = [[Fraction(float(v)) for v in row] for row in X]
    y = [Fraction(float(v)) for v in y]
    d = len(X[0])
    A = [
        [sum(r[i] * r[j] for r in X) + (Fraction(ridge) if i == j else 0) for j in range(d)]
        + [sum(r[i] * t for r, t in zip(X, y, strict=True))]
        for i in range(d)
    ]
    for i in range(d):
        pivot = next(j for j in range(i, d) if A[j][i] != 0)
        A[i], A[pivot] = A[pivot], A[i]
        A[i] = [v / A[i][i] for v in A[i]]
        for j in range(d):
            if j != i:
                A[j] = [a - A[j][i] * b for a, b in zip(A[j], A[i], strict=True)]
    return [row[-1] for row in A]


class TestCholesterol:
    """The worked example, with the errors as sums and as means kept apart."""

    train, test = data.cholesterol().train, data.cholesterol().test
    X, X_test = with_bias(train.X), with_bias(test.X)
    fractions = (Fraction(488, 19), Fraction(89, 95), Fraction(110, 19))

    def test_exact_fractions(self):
        assert tuple(exact_solution(self.X, self.train.y)) == self.fractions
        np.testing.assert_allclose(
            least_squares(self.X, self.train.y), [float(f) for f in self.fractions], rtol=1e-11
        )

    def test_normal_equations_as_printed(self):
        np.testing.assert_array_equal(
            self.X.T @ self.X, [[5, 225, 143.5], [225, 11125, 6727.5], [143.5, 6727.5, 4193.25]]
        )
        np.testing.assert_array_equal(self.X.T @ self.train.y, [1170, 55150, 34265])
        assert np.linalg.det(self.X.T @ self.X) == pytest.approx(9500, rel=1e-9)
        assert np.linalg.cond(self.X) == pytest.approx(1496, abs=0.5)
        np.testing.assert_allclose(
            normal_equations(self.X, self.train.y), [float(f) for f in self.fractions], rtol=1e-8
        )

    def test_sum_and_mean_on_the_training_half(self):
        theta = least_squares(self.X, self.train.y)
        assert sum_squared_error(self.X, self.train.y, theta) == pytest.approx(120 / 19, rel=1e-10)
        assert mean_squared_error(self.X, self.train.y, theta) == pytest.approx(24 / 19, rel=1e-10)
        assert noise_variance(self.X, self.train.y, theta) == pytest.approx(1.263158, abs=5e-7)
        np.testing.assert_allclose(
            self.train.y - self.X @ theta, [0.632, -1.895, 1.368, 0.421, -0.526], atol=5e-4
        )

    def test_sum_and_mean_on_the_test_half(self):
        theta = least_squares(self.X, self.train.y)
        assert sum_squared_error(self.X_test, self.test.y, theta) == pytest.approx(61.218837, abs=5e-7)
        assert mean_squared_error(self.X_test, self.test.y, theta) == pytest.approx(12.243767, abs=5e-7)
        np.testing.assert_allclose(
            self.X_test @ theta, [192.737, 225.263, 246.211, 267.158, 288.105], atol=5e-4
        )

    def test_rounded_coefficients_change_both_errors(self):
        rounded = [25.68, 0.94, 5.79]
        assert mean_squared_error(self.X, self.train.y, rounded) == pytest.approx(1.288745, abs=5e-7)
        assert mean_squared_error(self.X_test, self.test.y, rounded) == pytest.approx(12.011040, abs=5e-7)

    def test_r_squared(self):
        theta = least_squares(self.X, self.train.y)
        assert r_squared(self.train.y, self.X @ theta) == pytest.approx(0.99900, abs=5e-6)
        assert r_squared(self.test.y, self.X_test @ theta) == pytest.approx(0.99031, abs=5e-6)

    def test_all_ten_patients_give_quite_other_coefficients(self):
        every = data.cholesterol().every
        theta = least_squares(with_bias(every.X), every.y)
        np.testing.assert_allclose(theta, [35.969, 1.232, 4.958], atol=5e-4)


def test_one_feature_without_bias():
    x, y = np.array([[1.0], [2.0], [3.0]]), np.array([2, 3.9, 6.1])
    assert least_squares(x, y)[0] == pytest.approx(2.0071429, abs=5e-8)


class TestLeastSquares:
    @pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 5), (6, 2), (30, 7), (500, 3), (25_000, 4), (3, 8)])
    def test_agrees_with_numpy(self, n, d):
        X, y, _ = random_problem(n + d, n, d)
        np.testing.assert_allclose(least_squares(X, y), np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-11)

    @pytest.mark.parametrize("n", [12, 60, 600])
    @pytest.mark.parametrize("lam", [0.0, 1e-6, 0.8, 1e4])
    def test_agrees_with_scikit_learn(self, n, lam):
        X, y, _ = random_problem(3, n, 5)
        if lam:
            theirs = Ridge(alpha=lam, fit_intercept=False, solver="svd").fit(X, y).coef_
        else:
            theirs = LinearRegression(fit_intercept=False).fit(X, y).coef_
        np.testing.assert_allclose(least_squares(X, y, lam), theirs, atol=1e-11)

    def test_agrees_on_the_diabetes_data(self):
        table = data.diabetes()
        theirs = LinearRegression().fit(table.X, table.y)
        theta = least_squares(with_bias(table.X), table.y)
        np.testing.assert_allclose(theta, [theirs.intercept_, *theirs.coef_], rtol=1e-8)

    @pytest.mark.parametrize("n", [8, 40, 400])
    @pytest.mark.parametrize("lam", [0.0, 2.0])
    def test_known_by_construction(self, n, lam):
        X, y, theta, (s, V) = from_svd(np.random.default_rng(n), n, 4, [3.0, 1.0, 0.5, 0.1])
        expected = V @ (s**2 / (s**2 + lam) * (V.T @ theta))
        np.testing.assert_allclose(least_squares(X, y, lam), expected, atol=1e-12)

    @pytest.mark.parametrize("n", [10, 80])
    @pytest.mark.parametrize("power", [2, 4, 6, 8, 10, 12])
    def test_as_accurate_as_numpy_on_nearly_dependent_columns(self, n, power):
        off = []
        for seed in range(9):
            # A residual this small leaves cond(X), not its square, as the sensitivity of the exact answer.
            rng, small = np.random.default_rng(seed), 10.0**-power
            X, y, _, _ = from_svd(rng, n, 4, np.logspace(0, -power, 4), residual=small)
            truth = np.array([float(v) for v in exact_solution(X, y)])
            answers = least_squares(X, y), np.linalg.lstsq(X, y)[0], normal_equations_or_nothing(X, y)
            off.append([np.linalg.norm(theta - truth) / np.linalg.norm(truth) for theta in answers])
        ours, numpys, normal = np.median(off, axis=0)
        assert np.max(off, axis=0)[0] <= 10 * 2.2e-16 * 10.0**power
        assert ours <= 10 * numpys
        if power >= 6:
            assert ours < 1e-3 * normal

    @pytest.mark.parametrize("n", [10, 200])
    def test_a_small_ridge_is_exact_too(self, n):
        X, y, _, _ = from_svd(np.random.default_rng(1), n, 3, [1.0, 1e-4, 1e-9], residual=1e-3)
        truth = [float(v) for v in exact_solution(X, y, ridge=1e-8)]
        np.testing.assert_allclose(least_squares(X, y, 1e-8), truth, rtol=1e-7)

    @pytest.mark.parametrize("n", [3, 9, 300])
    def test_shortest_answer_where_there_are_many(self, n):
        rng = np.random.default_rng(n)
        X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, 5))
        y = rng.standard_normal(n)
        np.testing.assert_allclose(least_squares(X, y), np.linalg.pinv(X) @ y, atol=1e-10)

    def test_zeros_explain_nothing(self):
        np.testing.assert_array_equal(least_squares(np.zeros((4, 3)), np.ones(4)), np.zeros(3))
        np.testing.assert_array_equal(least_squares(np.zeros((90, 3)), np.ones(90), 1.0), np.zeros(3))

    @pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
    @pytest.mark.parametrize("n", [7, 100])
    def test_units_far_from_one(self, n, scale):
        X, y, _ = random_problem(2, n, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_allclose(scale * least_squares(scale * X, y), least_squares(X, y), rtol=1e-10)

    def test_several_outputs_are_fitted_side_by_side(self):
        for n in (9, 300):
            rng = np.random.default_rng(n)
            X, Y = rng.standard_normal((n, 3)), rng.standard_normal((n, 2))
            both = least_squares(X, Y, 0.5)
            assert both.shape == (3, 2)
            for k in range(2):
                np.testing.assert_allclose(both[:, k], least_squares(X, Y[:, k], 0.5), atol=1e-13)

    @settings(max_examples=60)
    @given(seeds, st.integers(2, 60), st.integers(1, 5))
    def test_residual_is_perpendicular_to_every_column(self, seed, n, d):
        X, y, _ = random_problem(seed, n, d)
        np.testing.assert_allclose(X.T @ (y - X @ least_squares(X, y)), 0, atol=1e-10)

    @settings(max_examples=60)
    @given(seeds, st.floats(-3, 3), st.floats(-3, 3))
    def test_order_of_rows_and_units_do_not_matter(self, seed, log_a, log_b):
        X, y, _ = random_problem(seed)
        theta = least_squares(X, y)
        order = np.random.default_rng(seed).permutation(len(y))
        np.testing.assert_allclose(least_squares(X[order], y[order]), theta, atol=1e-10)
        a, b = 10.0**log_a, 10.0**log_b
        np.testing.assert_allclose(least_squares(a * X, b * y) * a / b, theta, rtol=1e-8, atol=1e-10)

    @settings(max_examples=40)
    @given(seeds, st.integers(2, 80))
    def test_ridge_shrinks_and_vanishes(self, seed, n):
        X, y, _ = random_problem(seed, n, 3)
        lams = [1e-13, 1e-3, 1e-1, 1.0, 10.0, 1e3]
        lengths = [np.linalg.norm(least_squares(X, y, lam)) for lam in lams]
        assert all(a >= b * (1 - 1e-12) for a, b in pairwise(lengths))
        if np.linalg.cond(X) < 100:
            np.testing.assert_allclose(least_squares(X, y, 1e-13), least_squares(X, y), atol=1e-8)

    @settings(max_examples=40)
    @given(seeds, st.sampled_from([6, 90]))
    def test_ridge_is_least_squares_with_rows_added(self, seed, n):
        X, y, _ = random_problem(seed, n, 3)
        stacked = np.vstack([X, np.sqrt(0.7) * np.eye(3)])
        np.testing.assert_allclose(
            least_squares(X, y, 0.7), least_squares(stacked, np.append(y, [0, 0, 0])), atol=1e-11
        )


def normal_equations_or_nothing(X, y):
    """The normal equations' answer, or infinitely wrong where they have none."""
    try:
        return normal_equations(X, y)
    except ValueError:
        return np.full(X.shape[1], np.inf)


class TestNormalEquations:
    def test_agree_where_the_columns_are_independent(self):
        X, y, _ = random_problem(8)
        np.testing.assert_allclose(normal_equations(X, y), least_squares(X, y), atol=1e-12)
        np.testing.assert_allclose(normal_equations(X, y, 0.8), least_squares(X, y, 0.8), atol=1e-12)

    def test_say_why_they_fail(self):
        X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
        with pytest.raises(
            ValueError, match=r"^normal_equations: X must have independent columns, .* rank 1 wi"
        ):
            normal_equations(X, np.ones(3))
        # A positive ridge repairs it; that is what it is for.
        np.testing.assert_allclose(normal_equations(X, np.ones(3), 0.1), least_squares(X, np.ones(3), 0.1))

    def test_nearly_dependent_columns_are_called_so(self):
        X = np.array([[1.0, 1.0], [1e-9, 0.0], [0.0, 1e-9]])  # XᵀX is four ones, to the last bit
        with pytest.raises(ValueError, match="rank 2 with 2 columns, but nearly dependent ones"):
            normal_equations(X, np.ones(3))

    def test_what_cannot_be_squared_is_refused(self):
        with pytest.raises(
            ValueError, match=r"X must be small enough to square; got a largest entry of 1e\+200"
        ):
            normal_equations(np.array([[1e200], [1.0]]), np.ones(2))

    def test_penalty_of_another_objective(self):
        # 2/n‖y − Xθ‖² + λ/2‖θ‖² is minimised with ridge nλ/4, not with ridge λ.
        X, y, _ = random_problem(11, 7, 3)
        theta = normal_equations(X, y, 7 * 0.8 / 4)
        np.testing.assert_allclose(4 / 7 * X.T @ (X @ theta - y) + 0.8 * theta, 0, atol=1e-12)
        assert np.abs(theta - normal_equations(X, y, 0.8)).max() > 1e-3


def gradient(X, y, theta):
    return 2 / len(X) * (X.T @ (X @ theta - y))


class TestErrorAndDerivatives:
    @settings(max_examples=30)
    @given(seeds, st.sampled_from([(), (1,), (3,)]))
    def test_the_slope_is_that_of_the_mean_not_of_the_sum(self, seed, outputs):
        rng = np.random.default_rng(seed)
        X, y, theta = (rng.standard_normal(shape) for shape in ((7, 3), (7, *outputs), (3, *outputs)))
        t = torch.tensor(theta, requires_grad=True)
        loss = ((torch.tensor(X) @ t - torch.tensor(y)) ** 2).sum() / 7
        loss.backward()
        assert mean_squared_error(X, y, theta) == pytest.approx(loss.item(), rel=1e-12)
        np.testing.assert_allclose(gradient(X, y, theta), t.grad.numpy(), atol=1e-12)

    def test_hessian_is_the_derivative_of_the_gradient(self):
        X, y, theta = random_problem(5, 7, 3)
        H = mean_squared_error_hessian(X)
        reference = torch.autograd.functional.hessian(
            lambda t: ((torch.tensor(X) @ t - torch.tensor(y)) ** 2).mean(), torch.tensor(theta)
        )
        np.testing.assert_allclose(H, reference.numpy(), atol=1e-13)
        moved = gradient(X, y, theta + 1.0) - gradient(X, y, theta)
        np.testing.assert_allclose(H @ np.ones(3), moved, atol=1e-12)
        assert np.linalg.eigvalsh(H).min() > 0

    def test_sum_is_n_times_the_mean_over_all_outputs(self):
        rng = np.random.default_rng(6)
        X, Y, W = rng.standard_normal((9, 3)), rng.standard_normal((9, 2)), rng.standard_normal((3, 2))
        by_hand = sum((Y[i, k] - W[:, k] @ X[i]) ** 2 for i in range(9) for k in range(2))
        assert sum_squared_error(X, Y, W) == pytest.approx(by_hand, rel=1e-13)
        assert mean_squared_error(X, Y, W) == pytest.approx(by_hand / 9, rel=1e-13)
        assert noise_variance(X, Y, W) == pytest.approx(by_hand / 18, rel=1e-13)

    def test_column_and_vector_are_never_broadcast(self):
        X, y, theta = random_problem(7, 6, 2)
        for function in (sum_squared_error, mean_squared_error, noise_variance):
            with pytest.raises(
                ValueError, match=r"theta must have shape \(2,\), one per column of X; got \(2, 1\)"
            ):
                function(X, y, theta[:, None])
            with pytest.raises(
                ValueError, match=r"theta must have shape \(2, 1\), one per column of X, one col"
            ):
                function(X, y[:, None], theta)


class TestFeatures:
    def test_bias_comes_first(self):
        np.testing.assert_array_equal(with_bias([[2, 3], [4, 5]]), [[1, 2, 3], [1, 4, 5]])

    def test_powers(self):
        np.testing.assert_array_equal(
            polynomial_features([2.0, -3.0], 3), [[1.0, 2.0, 4.0, 8.0], [1.0, -3.0, 9.0, -27.0]]
        )
        np.testing.assert_array_equal(polynomial_features([0.0, 5.0], 0), [[1.0], [1.0]])

    def test_a_polynomial_is_found_again(self):
        x = np.linspace(-1, 1, 30)
        coefficients = [1.0, -2.0, 0.5, 3.0]
        y = np.polynomial.polynomial.polyval(x, coefficients)
        np.testing.assert_allclose(least_squares(polynomial_features(x, 3), y), coefficients, atol=1e-13)

    def test_powers_that_overflow(self):
        with pytest.raises(
            ValueError, match=r"^polynomial_features: degree must keep every power of x finite; "
        ):
            polynomial_features([1e200, 1.0], 2)


class TestDescent:
    def test_reaches_the_closed_form(self):
        X, y, _ = random_problem(1)
        result = fit_gradient_descent(X, y, 0.5 * step_size_bound(X))
        assert result.converged
        np.testing.assert_allclose(result.theta, least_squares(X, y), atol=1e-9)

    def test_reports_every_step(self):
        X, y, theta = random_problem(2)
        eta = 0.3 * step_size_bound(X)
        result = fit_gradient_descent(X, y, eta, steps=25, tolerance=0, theta=theta)
        assert (result.steps, result.converged, result.path.shape) == (25, False, (26, 4))
        np.testing.assert_array_equal(result.path[0], theta)
        np.testing.assert_array_equal(result.path[-1], result.theta)
        for here, after, loss in zip(result.path, result.path[1:], result.losses, strict=False):
            np.testing.assert_allclose(after, here - eta * gradient(X, y, here), atol=1e-13)
            assert loss == pytest.approx(mean_squared_error(X, y, here), rel=1e-12)
        assert (np.diff(result.losses) < 0).all()

    def test_stops_at_the_first_step_below_the_tolerance(self):
        X, y, _ = random_problem(3)
        result = fit_gradient_descent(X, y, 0.5 * step_size_bound(X), tolerance=1e-8)
        squares = np.sum(np.diff(result.path, axis=0) ** 2, axis=1)
        assert result.converged
        assert squares[-1] < 1e-8 <= squares[:-1].min()

    def test_the_bound_separates_convergence_from_divergence(self):
        X, y, _ = random_problem(4)
        bound = step_size_bound(X)
        assert bound == pytest.approx(2 / np.linalg.eigvalsh(mean_squared_error_hessian(X)).max(), rel=1e-12)
        assert fit_gradient_descent(X, y, 0.99 * bound).converged
        above = fit_gradient_descent(X, y, 1.01 * bound, steps=2_000)
        assert not above.converged
        assert above.losses[-1] > 1e6 * above.losses[0]

    @pytest.mark.parametrize("factor", [1.5, 1e3, 1e300])
    def test_divergence_ends_quietly_at_a_finite_point(self, factor):
        X, y, _ = random_problem(5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = fit_gradient_descent(X, y, factor * step_size_bound(X))
        assert not result.converged
        assert result.steps < 15_000
        assert np.isfinite(result.path).all()
        assert np.isfinite(result.losses).all()
        assert len(result.losses) == len(result.path) == result.steps + 1

    def test_a_learning_rate_for_the_mean_is_too_large_for_the_sum(self):
        X, y, _ = random_problem(6, 5_000, 2)
        assert fit_gradient_descent(X, y, 1e-3, steps=50).losses[-1] < np.mean(y**2)
        on_the_sum = fit_gradient_descent(X, y, 1e-3 * 5_000, steps=50)
        assert np.abs(on_the_sum.theta).max() > 1e20

    def test_bound_of_a_tall_matrix(self):
        X, _, _ = random_problem(7, 30_000, 3)
        assert step_size_bound(X) == pytest.approx(30_000 / np.linalg.norm(X, 2) ** 2, rel=1e-12)
        with pytest.raises(ValueError, match=r"^step_size_bound: X must have an entry other than 0"):
            step_size_bound(np.zeros((3, 2)))


class TestFit:
    @settings(max_examples=30)
    @given(seeds)
    def test_r_squared_against_scikit_learn(self, seed):
        _, y, _ = random_problem(seed)
        y_hat = np.random.default_rng(seed + 1).standard_normal(20)
        assert r_squared(y, y_hat) == pytest.approx(r2_score(y, y_hat), rel=1e-12)
        assert r_squared(y, y) == 1.0
        assert r_squared(y, np.full(20, y.mean())) == pytest.approx(0.0, abs=1e-12)

    def test_r_squared_of_a_line_is_the_squared_correlation(self):
        points = data.line(50, 2.0, 1.0, 0.5, np.random.default_rng(0))
        X = with_bias(points.x[:, None])
        explained = r_squared(points.y, X @ least_squares(X, points.y))
        assert explained == pytest.approx(np.corrcoef(points.x, points.y)[0, 1] ** 2, rel=1e-12)

    def test_r_squared_needs_something_to_explain(self):
        with pytest.raises(ValueError, match=r"^r_squared: y must vary, .*; got 0\.1 throughout$"):
            r_squared([0.1] * 3, [1.0, 2.0, 3.0])

    @settings(max_examples=30)
    @given(seeds, st.floats(0.5, 2.0), st.floats(-0.1, 0.1))
    def test_least_squares_and_its_variance_are_most_likely(self, seed, factor, shift):
        X, y, _ = random_problem(seed)
        theta = least_squares(X, y)
        variance = noise_variance(X, y, theta)

        def log_likelihood(theta, variance):
            return scipy.stats.norm(X @ theta, np.sqrt(variance)).logpdf(y).sum()

        best = log_likelihood(theta, variance)
        assert log_likelihood(theta, factor * variance) <= best + 1e-9
        assert log_likelihood(theta + shift, variance) <= best + 1e-9
        assert best == pytest.approx(-10 * (np.log(2 * np.pi * variance) + 1), rel=1e-10)

    def test_regression_to_the_mean(self):
        # Fathers and sons with the same spread and correlation 2/3: 6 cm above the mean becomes 4 cm.
        rng = np.random.default_rng(1886)
        father = 7 * rng.standard_normal(200_000)
        son = 2 / 3 * father + 7 * np.sqrt(1 - 4 / 9) * rng.standard_normal(200_000)
        intercept, slope = least_squares(with_bias(father[:, None]), son)
        assert intercept + 6 * slope == pytest.approx(4.0, abs=0.05)
        assert np.std(son) == pytest.approx(7.0, abs=0.05)
