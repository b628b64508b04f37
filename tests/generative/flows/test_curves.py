"""Planar pushes and splines: derivatives by differences, inverses, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.flows import planar, planar_inverse, spline, spline_inverse
from chapters_src.networks.jacobians import forward_jacobian

W, U = np.array([1.5, -1.0, 0.2]), np.array([0.8, -1.0, 3.0])
KNOTS = np.array([[-3.0, -1.0, 0.5, 3.0], [-3.0, -2.0, 1.0, 3.0], [1.0, 0.3, 4.0, 1.0]])


def test_planar_determinant():
    z = np.random.default_rng(0).normal(size=(6, 3))
    x, log_det = planar(z, W, U, 0.3)
    for k in range(6):
        J = forward_jacobian(lambda at: at + U * np.tanh(W @ at + 0.3))(z[k])
        assert np.linalg.slogdet(J)[1] == pytest.approx(log_det[k], abs=1e-12)
    np.testing.assert_allclose(x[0], z[0] + U * np.tanh(W @ z[0] + 0.3))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(-3, 3))
def test_planar_inverse(n, b):
    rng = np.random.default_rng(n)
    z, w, u = rng.normal(size=(5, 3)), rng.normal(size=3), rng.normal(size=3)
    if w @ u <= -0.95:
        u = -u
    np.testing.assert_allclose(planar_inverse(planar(z, w, u, b)[0], w, u, b), z, atol=1e-9)


@pytest.mark.parametrize("function", [planar, planar_inverse])
def test_a_folding_push_is_refused(function):
    with pytest.raises(ValueError, match=r"u must have wᵀu above −1, or the map folds; got wᵀu = -2"):
        function(np.ones((2, 1)), np.ones(1), [-2.0], 0.0)


def test_a_spline_meets_its_knots_with_its_slopes():
    y, log_slope = spline(KNOTS[0], *KNOTS)
    np.testing.assert_allclose(y, KNOTS[1], atol=1e-12)
    np.testing.assert_allclose(np.exp(log_slope), KNOTS[2], rtol=1e-12)


def test_spline_slope_by_differences():
    x = np.linspace(-2.99, 2.99, 57)
    step = 1e-6
    by_differences = (spline(x + step, *KNOTS)[0] - spline(x - step, *KNOTS)[0]) / (2 * step)
    np.testing.assert_allclose(np.exp(spline(x, *KNOTS)[1]), by_differences, rtol=1e-5)


def test_equal_slopes_give_a_straight_line():
    y, log_slope = spline(np.array([-1.0, 0.2]), [-2.0, 0.0, 2.0], [-4.0, 0.0, 4.0], [2.0, 2.0, 2.0])
    np.testing.assert_allclose(y, [-2.0, 0.4])
    np.testing.assert_allclose(np.exp(log_slope), 2)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_spline_inverse(n, k):
    rng = np.random.default_rng(n)
    knots = [np.cumsum(rng.uniform(0.1, 2, k)) for _ in range(2)]
    slopes = rng.uniform(0.1, 5, k)
    x = rng.uniform(knots[0][0], knots[0][-1], 30)
    y, log_slope = spline(x, *knots, slopes)
    assert np.isfinite(log_slope).all()
    np.testing.assert_allclose(spline_inverse(y, *knots, slopes), x, atol=1e-8)


def test_what_a_spline_refuses():
    with pytest.raises(ValueError, match=r"^spline: x_knots must rise"):
        spline([0.5], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"^spline: slopes must be above 0; got -1"):
        spline([0.5], [0.0, 1.0], [0.0, 1.0], [1.0, -1.0])
    with pytest.raises(ValueError, match=r"^spline_inverse: at must be from 0 to 2"):
        spline_inverse([3.0], [0.0, 1.0], [0.0, 2.0], [1.0, 1.0])
