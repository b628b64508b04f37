"""Numerical differentiation: right to the digits it can have, and no more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.foundations.calculus import difference_gradient, forward_difference
from chapters_src.networks.autodiff.differences import METHODS, best_step, complex_step
from chapters_src.networks.autodiff.reverse import gradient


def test_the_numbers_of_the_chapter():
    # d/dx eˣ sin x at 1; the errors of a forward difference at three steps
    f, exact = (lambda x: np.exp(x) * np.sin(x)), np.exp(1) * (np.sin(1) + np.cos(1))
    errors = [abs(forward_difference(f, 1.0, h) - exact) for h in (1e-4, 1e-8, 1e-12)]
    assert errors[0] == pytest.approx(1.47e-4, rel=0.02)
    assert errors[1] < 1e-6
    assert 1e-6 < errors[2] < 1e-2


@pytest.mark.parametrize(("method", "order"), [("forward", 1), ("central", 2), ("complex step", 2)])
def test_order_of_the_truncation_error(method, order):
    x = np.float64(0.7)
    errors = [abs(METHODS[method](np.exp, x, h) - np.exp(x)) for h in (1e-2, 5e-3)]
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.02)


@settings(max_examples=40)
@given(st.floats(-2, 2), st.sampled_from([np.float32, np.float64]))
def test_best_steps_do_well(x, dtype):
    x = dtype(x)
    u = np.finfo(dtype).eps / 2
    for method, power in (("forward", 1 / 2), ("central", 2 / 3)):
        slope = METHODS[method](np.sin, x, best_step(method, dtype))
        assert slope.dtype == dtype
        assert abs(float(slope) - np.cos(float(x))) < 20 * u**power
    exact = complex_step(np.sin, x, 1e-20)
    assert abs(float(exact) - np.cos(float(x))) < 4 * u


def test_gradients_against_the_engine():
    rng = np.random.default_rng(0)
    x, A = rng.standard_normal((2, 3)), rng.standard_normal((3, 3))

    def f(x):
        return np.sum(np.sin(x @ A) ** 2)

    exact = gradient(f)(x)
    np.testing.assert_allclose(difference_gradient(f, x, 1e-7, forward_difference), exact, atol=1e-5)
    np.testing.assert_allclose(difference_gradient(f, x), exact, atol=1e-8)
    np.testing.assert_allclose(difference_gradient(f, x, 1e-30, complex_step), exact, atol=1e-13)


def test_a_direction():
    x, v = np.array([1.0, 2.0]), np.array([0.5, -1.0])

    def f(x):
        return x[0] ** 2 * x[1]

    for method in METHODS.values():
        assert method(f, x, 1e-6, v) == pytest.approx(2 * 2 * 0.5 - 1, abs=1e-4)


class TestErrors:
    @pytest.mark.parametrize(
        ("run", "message"),
        [
            (
                lambda: complex_step(lambda x: abs(x), 1.0, 1e-9),
                r"^complex_step: f must carry complex numbers",
            ),
            (
                lambda: complex_step(np.exp, np.float32(1), 1e-60),
                r"^complex_step: h must be large enough for float32; got 1e-60",
            ),
            (lambda: best_step("complex step"), r"^best_step: method must be one of 'forward', 'central'"),
            (lambda: best_step("central", scale=-1), r"^best_step: scale must be above 0"),
        ],
    )
    def test_messages(self, run, message):
        with pytest.raises(ValueError, match=message):
            run()

    @settings(max_examples=50)
    @given(st.sampled_from([np.nan, np.inf, -1.0, 0.0, None, "h"]), st.sampled_from(sorted(METHODS)))
    def test_no_bad_step_gets_through(self, h, method):
        with pytest.raises(ValueError, match=r": h must be .*; got "):
            METHODS[method](np.sin, 1.0, h)
