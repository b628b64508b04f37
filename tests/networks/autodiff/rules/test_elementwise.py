"""Every elementwise rule, in both modes, against torch and against complex steps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from scipy import special

from chapters_src.networks.autodiff.reverse import gradient, jacobian
from chapters_src.networks.autodiff.rules.networks import (
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    softmax,
    softplus,
)
from chapters_src.networks.jacobians.forward_mode import forward_jacobian, hessian, jvp

rng = np.random.default_rng(0)
A, B = rng.uniform(0.3, 2.0, (3, 4)), rng.uniform(0.3, 2.0, (4,))
UNARY = {
    np.exp: torch.exp,
    np.log: torch.log,
    np.expm1: torch.expm1,
    np.log1p: torch.log1p,
    np.sqrt: torch.sqrt,
    np.square: torch.square,
    np.sin: torch.sin,
    np.cos: torch.cos,
    np.tan: torch.tan,
    np.arctan: torch.arctan,
    np.sinh: torch.sinh,
    np.cosh: torch.cosh,
    np.tanh: torch.tanh,
    np.abs: torch.abs,
    np.negative: torch.neg,
    np.positive: torch.positive,
    np.reciprocal: torch.reciprocal,
    sigmoid: torch.sigmoid,
    relu: torch.relu,
    softplus: torch.nn.functional.softplus,
}
BINARY = {
    np.add: torch.add,
    np.subtract: torch.subtract,
    np.multiply: torch.multiply,
    np.divide: torch.divide,
    np.power: torch.pow,
    np.maximum: torch.maximum,
    np.minimum: torch.minimum,
    np.logaddexp: torch.logaddexp,
}
NOT_ANALYTIC = {np.abs, np.maximum, np.minimum, np.logaddexp, sigmoid, relu, softplus}


class TestRules:
    @pytest.mark.parametrize(("ours", "theirs"), UNARY.items(), ids=lambda f: f.__name__)
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_one_argument(self, ours, theirs, sign):
        if sign < 0 and ours in (np.log, np.sqrt, np.log1p):
            return
        x = sign * A
        J = torch.autograd.functional.jacobian(theirs, torch.tensor(x)).numpy()
        np.testing.assert_allclose(jacobian(ours)(x), J, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(forward_jacobian(ours)(x), J, rtol=1e-12, atol=1e-13)
        H = torch.autograd.functional.hessian(lambda t: theirs(t).sum(), torch.tensor(x)).numpy()
        np.testing.assert_allclose(hessian(lambda x: np.sum(ours(x)))(x), H, rtol=1e-10, atol=1e-12)
        if ours not in NOT_ANALYTIC:
            slope = ours(x + 1e-30j).imag / 1e-30
            np.testing.assert_allclose(jvp(ours, (x,), (np.ones_like(x),))[1], slope, rtol=1e-12)

    @pytest.mark.parametrize(("ours", "theirs"), BINARY.items(), ids=lambda f: f.__name__)
    @pytest.mark.parametrize("order", [(A, B), (B, A), (A, A.T[0][:3, None]), (np.float64(0.7), A)])
    def test_two_arguments_with_broadcasting(self, ours, theirs, order):
        a, b = order
        ta, tb = torch.tensor(a), torch.tensor(b)
        expected = torch.autograd.functional.jacobian(theirs, (ta, tb))
        for wrt in (0, 1):
            J = expected[wrt].numpy()
            np.testing.assert_allclose(jacobian(ours, wrt)(a, b), J, rtol=1e-11, atol=1e-13)
        va, vb = np.cos(a), np.sin(b)
        pushed = jvp(ours, (a, b), (va, vb))[1]
        by_matrix = sum(
            np.tensordot(J.numpy(), v, np.ndim(v)) for J, v in zip(expected, (va, vb), strict=True)
        )
        np.testing.assert_allclose(pushed, by_matrix, rtol=1e-11, atol=1e-13)
        if ours not in NOT_ANALYTIC:
            slope = ours(a + 1e-30j * va, b + 1e-30j * vb).imag / 1e-30
            np.testing.assert_allclose(pushed, slope, rtol=1e-11, atol=1e-13)

    def test_equal_arguments_of_an_extremum_share_the_slope(self):
        for f in (np.maximum, np.minimum):
            assert gradient(f, (0, 1))(2.0, 2.0) == (0.5, 0.5)
        assert gradient(np.maximum, (0, 1))(2.0, 1.0) == (1.0, 0.0)
        np.testing.assert_array_equal(gradient(np.max)(np.array([3.0, 1.0, 3.0])), [0.5, 0.0, 0.5])
        np.testing.assert_array_equal(gradient(np.min)(np.array([3.0, 1.0, 3.0])), [0.0, 1.0, 0.0])

    def test_powers_at_zero(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gradient(lambda x: x**2)(0.0) == 0.0
            assert gradient(lambda x: x**1)(0.0) == 1.0
            assert gradient(lambda x: x**0)(0.0) == 0.0
            assert gradient(lambda x: x ** np.array([0.0, 1.0, 2.0]) @ np.ones(3))(0.0) == 1.0
            assert gradient(lambda b: 0.0**b)(2.0) == 0.0
        np.testing.assert_allclose(gradient(lambda x: np.sum(x**-1.5))(A), -1.5 * A**-2.5)

    def test_clip_where_and_steps(self):
        x = np.array([-2.0, 0.5, 2.0])
        np.testing.assert_array_equal(gradient(lambda x: np.sum(np.clip(x, -1, 1)))(x), [0, 1, 0])
        np.testing.assert_array_equal(gradient(lambda x: np.sum(np.where(x > 0, x**2, 7.0)))(x), [0, 1, 4])
        np.testing.assert_array_equal(gradient(lambda x: np.sum(x * np.sign(x)))(x), [-1, 1, 1])


class TestFunctions:
    def test_against_scipy_far_out(self):
        x = np.array([-800.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_allclose(sigmoid(x), special.expit(x), rtol=1e-14)
            np.testing.assert_allclose(softplus(x), np.logaddexp(0, x), rtol=1e-14)
            np.testing.assert_allclose(softmax(x), special.softmax(x), rtol=1e-13)
            np.testing.assert_allclose(log_softmax(x), special.log_softmax(x), rtol=1e-13)
            for f in (sigmoid, softplus, relu):
                assert np.isfinite(gradient(lambda x, f=f: np.sum(f(x)))(x)).all()
        np.testing.assert_array_equal(gradient(lambda x: np.sum(relu(x)))(x), x > 0)

    @pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
    @pytest.mark.parametrize("keepdims", [False, True])
    def test_logsumexp(self, axis, keepdims):
        x = 300 * rng.standard_normal((3, 4))
        ours = logsumexp(x, axis, keepdims=keepdims)
        theirs = special.logsumexp(x, axis, keepdims=keepdims)
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
        dims = (0, 1) if axis is None else axis
        J = torch.autograd.functional.jacobian(
            lambda t: torch.logsumexp(t, dims, keepdim=keepdims), torch.tensor(A)
        ).numpy()

        def f(x):
            return logsumexp(x, axis, keepdims=keepdims)

        np.testing.assert_allclose(jacobian(f)(A), J, atol=1e-14)
        np.testing.assert_allclose(forward_jacobian(f)(A), J, atol=1e-14)

    def test_a_row_of_minus_infinity(self):
        assert logsumexp(np.array([-np.inf, 0.0])) == 0.0
        with np.errstate(divide="ignore"):
            assert logsumexp(np.array([-np.inf, -np.inf])) == -np.inf


@pytest.mark.parametrize("ends", [(None, 1.0), (0.5, None), (0.5, 1.0)])
def test_clip_with_one_end_or_two(ends):
    t = torch.tensor(A, requires_grad=True)
    torch.clamp(t, *ends).sum().backward()
    np.testing.assert_array_equal(gradient(lambda x: np.sum(np.clip(x, *ends)))(A), t.grad.numpy())
