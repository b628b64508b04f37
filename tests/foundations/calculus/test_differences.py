"""Differences against torch, sympy's formulas and closed forms."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
import scipy.optimize
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.foundations.calculus import (
    central_difference,
    difference_gradient,
    difference_hessian,
    difference_jacobian,
    forward_difference,
)

seeds = st.integers(0, 2**32 - 1)


def network(library, A, B, x):
    return B @ library.tanh(A @ x)


def weights(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(4, 3)), rng.normal(size=(2, 4)), rng.normal(size=3)


class TestAlongADirection:
    @pytest.mark.parametrize(("difference", "order"), [(forward_difference, 1), (central_difference, 2)])
    def test_order_of_the_error(self, difference, order):
        x = np.float64(0.7)
        errors = [abs(difference(np.exp, x, h) - np.exp(x)) for h in (1e-2, 5e-3)]
        assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.02)

    @pytest.mark.parametrize(
        ("h", "forward", "central"),
        [
            (1e-1, 0.1406, 4.533e-3),
            (1e-4, 1.359e-4, 4.531e-9),
            (1e-8, 6.603e-9, 6.603e-9),
            (1e-12, 4.323e-4, 2.103e-4),
        ],
    )
    def test_worked_errors_of_the_exponential(self, h, forward, central):
        def exp(x):  # rounded correctly, so that rounding errs alike everywhere
            return float(Decimal(float(x)).exp())

        errors = [difference(exp, 1.0, h) - np.e for difference in (forward_difference, central_difference)]
        assert np.abs(errors) == pytest.approx([forward, central], rel=5e-4)

    def test_a_quadratic_is_differenced_exactly_across(self):
        # the worked example of the chapter: x² − 1.5x at 0.5, where the slope is −0.5
        def f(x):
            return x**2 - 1.5 * x

        assert central_difference(f, 0.5, 0.25) == -0.5
        assert forward_difference(f, 0.5, 0.25) == -0.25
        assert f(0.5) - 0.5 * 0.01 == pytest.approx(-0.505)

    @settings(max_examples=40)
    @given(seeds)
    def test_is_the_dot_product_with_the_gradient(self, seed):
        A, B, x = weights(seed)
        v = np.random.default_rng(seed + 1).normal(size=3)

        def f(x):
            return network(np, A, B, x)[0]

        slope = central_difference(f, x, 1e-5, v)
        assert slope == pytest.approx(difference_gradient(f, x) @ v, abs=1e-7)

    @settings(max_examples=40)
    @given(st.floats(-2, 2), st.sampled_from([np.float32, np.float64]))
    def test_precision_is_kept(self, x, dtype):
        for difference, h in ((forward_difference, 1e-3), (central_difference, 1e-2)):
            slope = difference(np.sin, dtype(x), h)
            assert slope.dtype == dtype
            assert abs(float(slope) - np.cos(x)) < 2e-3

    def test_whole_numbers_are_read_as_floats(self):
        assert central_difference(np.square, 3, 1e-3) == pytest.approx(6)


class TestGradientAndJacobian:
    @settings(max_examples=30)
    @given(seeds)
    def test_jacobian_against_torch_and_scipy(self, seed):
        A, B, x = weights(seed)
        ours = difference_jacobian(lambda x: network(np, A, B, x), x)
        theirs = torch.autograd.functional.jacobian(
            lambda x: network(torch, torch.tensor(A), torch.tensor(B), x), torch.tensor(x)
        )
        assert ours.shape == (2, 3)
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-8)
        by_scipy = scipy.optimize.approx_fprime(x, lambda x: network(np, A, B, x), 1e-8)
        np.testing.assert_allclose(ours, by_scipy, atol=1e-5)

    def test_rows_are_gradients_and_columns_are_answers_to_one_input(self):
        A, B, x = weights(3)
        J = difference_jacobian(lambda x: network(np, A, B, x), x)
        for i in range(2):
            row = difference_gradient(lambda x, i=i: network(np, A, B, x)[i], x)
            np.testing.assert_allclose(J[i], row, atol=1e-9)
        for j, unit in enumerate(np.eye(3)):
            column = central_difference(lambda x: network(np, A, B, x), x, 1e-6, unit)
            np.testing.assert_array_equal(J[:, j], column)

    def test_one_output_is_a_row_and_one_of_each_a_derivative(self):
        x = np.array([1.0, 2.0])
        row = difference_jacobian(lambda x: x[0] ** 2 * x[1], x)
        np.testing.assert_allclose(row, [[4.0, 1.0]], atol=1e-9)
        assert difference_jacobian(np.square, np.array([3.0]))[0, 0] == pytest.approx(6)

    def test_a_gradient_has_the_shape_of_its_argument(self):
        W = np.random.default_rng(0).normal(size=(2, 3))
        np.testing.assert_allclose(difference_gradient(lambda W: np.sum(W**3), W), 3 * W**2, atol=1e-8)
        assert difference_gradient(np.sin, 0.0).shape == ()

    def test_the_kind_of_difference_can_be_chosen(self):
        x = np.array([0.3, -0.2])
        exact = np.exp(x)
        rough = difference_gradient(lambda x: np.exp(x).sum(), x, 1e-3, forward_difference)
        fine = difference_gradient(lambda x: np.exp(x).sum(), x, 1e-3)
        np.testing.assert_allclose(rough - exact, 5e-4 * exact, rtol=0.01)
        assert np.abs(fine - exact).max() < 1e-6

    @settings(max_examples=20)
    @given(seeds)
    def test_jacobians_multiply(self, seed):
        A, B, x = weights(seed)
        inner, outer = (lambda x: np.tanh(A @ x)), (lambda h: np.sin(B @ h))
        product = difference_jacobian(outer, inner(x)) @ difference_jacobian(inner, x)
        np.testing.assert_allclose(difference_jacobian(lambda x: outer(inner(x)), x), product, atol=1e-8)


class TestHessian:
    def test_against_formulas_by_sympy(self):
        a, b = sympy.symbols("a b")
        formula = a**3 * b - sympy.sin(a * b) + sympy.exp(b)
        at = {a: 0.7, b: -0.4}
        expected = np.array(sympy.hessian(formula, (a, b)).subs(at).evalf().tolist(), float)
        f = sympy.lambdify((a, b), formula, "numpy")
        ours = difference_hessian(lambda x: f(*x), np.array([0.7, -0.4]))
        np.testing.assert_allclose(ours, expected, atol=1e-6)

    @settings(max_examples=20)
    @given(seeds)
    def test_of_a_quadratic_is_its_matrix(self, seed):
        rng = np.random.default_rng(seed)
        A, x = rng.normal(size=(3, 3)), rng.normal(size=3)
        ours = difference_hessian(lambda x: x @ A @ x, x)
        np.testing.assert_allclose(ours, A + A.T, atol=1e-5)
        np.testing.assert_allclose(ours, ours.T, atol=1e-5)


class TestErrors:
    @pytest.mark.parametrize(
        ("run", "message"),
        [
            (lambda: forward_difference(np.sin, 1.0, 0), r"^forward_difference: h must be above 0; got 0"),
            (lambda: central_difference(np.sin, "x", 1e-3), r"^central_difference: x must hold real numbers"),
            (
                lambda: central_difference(np.sin, np.float32(1), 1e-60),
                r"^central_difference: h must be large enough for float32; got 1e-60",
            ),
            (
                lambda: forward_difference(np.sum, np.ones(1), 1e-3, np.ones(3)),
                r"^forward_difference: direction must be 1 or have shape \(1,\), as x; got \(3,\)",
            ),
            (
                lambda: difference_gradient(np.sin, np.ones(2)),
                r"^difference_gradient: what f returns must be one number; got shape \(2,\)",
            ),
            (
                lambda: difference_gradient(np.sum, np.ones(2), 1e-3, "central"),
                r"^difference_gradient: difference must be a function; got 'central'",
            ),
            (
                lambda: difference_jacobian(np.sin, np.ones((2, 2))),
                r"^difference_jacobian: x must have one axis",
            ),
            (lambda: difference_hessian(np.sum, 1.0), r"^difference_hessian: x must have one axis"),
        ],
    )
    def test_messages(self, run, message):
        with pytest.raises(ValueError, match=message):
            run()
