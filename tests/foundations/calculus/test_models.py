"""Functions that touch another at a point: value, slope, curvature, and the order of what is left."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.foundations.calculus import linear_model, quadratic_model, taylor_polynomial

seeds = st.integers(0, 2**32 - 1)


def bumpy(x):
    return np.exp(np.sin(x[0]) * x[1]) + x[1] ** 2


def bumpy_torch(x):
    return torch.exp(torch.sin(x[0]) * x[1]) + x[1] ** 2


@settings(max_examples=30)
@given(seeds)
def test_models_against_torch(seed):
    x0, v = np.random.default_rng(seed).uniform(-1, 1, (2, 2))
    point = torch.tensor(x0)
    slope = torch.autograd.functional.jacobian(bumpy_torch, point).numpy()
    H = torch.autograd.functional.hessian(bumpy_torch, point).numpy()
    linear = bumpy(x0) + slope @ v
    assert linear_model(bumpy, x0)(x0 + v) == pytest.approx(linear, abs=1e-8)
    assert quadratic_model(bumpy, x0)(x0 + v) == pytest.approx(linear + 0.5 * v @ H @ v, abs=1e-6)


def test_order_of_what_is_left():
    x0, v = np.array([0.4, -0.3]), np.array([0.8, 0.6])
    for model, order in ((linear_model, 2), (quadratic_model, 3)):
        near = model(bumpy, x0)
        errors = [abs(bumpy(x0 + t * v) - near(x0 + t * v)) for t in (0.1, 0.05)]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_several_outputs():
    def f(x):
        return np.array([x[0] * x[1], x[0], x[1] ** 2])

    near = linear_model(f, np.array([2.0, 3.0]))
    np.testing.assert_allclose(near(np.array([2.1, 2.8])), [6 + 0.3 - 0.4, 2.1, 9 - 1.2], atol=1e-8)


@settings(max_examples=30)
@given(st.floats(-2, 2), st.integers(1, 8), seeds)
def test_taylor_polynomial_of_a_polynomial_is_the_polynomial(x0, degree, seed):
    f = np.polynomial.Polynomial(np.random.default_rng(seed).normal(size=degree + 1))
    derivatives = [f(x0), *(f.deriv(k)(x0) for k in range(1, degree + 1))]
    x = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(taylor_polynomial(derivatives, x0, x), f(x), atol=1e-7 * 8**degree**0.5)


def test_taylor_polynomial_against_scipy():
    derivatives = np.exp(0.3) * np.ones(6)
    theirs = scipy.interpolate.KroghInterpolator(np.full(6, 0.3), derivatives)
    x = np.linspace(-1, 2, 7)
    np.testing.assert_allclose(taylor_polynomial(derivatives, 0.3, x), theirs(x), rtol=1e-12)
    assert taylor_polynomial([1.0, 1.0, 1.0], 0.0, 2.0) == 1 + 2 + 2


def test_messages():
    with pytest.raises(ValueError, match=r"^taylor_polynomial: derivatives must have one axis"):
        taylor_polynomial(1.0, 0.0, [1.0])
    with pytest.raises(ValueError, match=r"^linear_model: f must be a function; got 3"):
        linear_model(3, [1.0])
    with pytest.raises(ValueError, match=r"^quadratic_model: x0 must have one axis"):
        quadratic_model(bumpy, [[1.0, 2.0]])
