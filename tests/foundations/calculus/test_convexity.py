"""Chords, tangents, curvatures and kinks, on functions whose convexity is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from chapters_src.foundations.calculus import chord_gap, least_curvature, subdifferential, tangent_gap

seeds = st.integers(0, 2**32 - 1)


def two_points(seed):
    return np.random.default_rng(seed).normal(size=(2, 3))


CONVEX = {
    "log-sum-exp": logsumexp,
    "norm": np.linalg.norm,
    "square": lambda x: float(x @ x),
    "largest": np.max,
}


@pytest.mark.parametrize("name", CONVEX)
@settings(max_examples=40)
@given(seeds, st.floats(0, 1))
def test_chords_of_a_convex_function_lie_above_it(name, seed, alpha):
    x, y = two_points(seed)
    assert chord_gap(CONVEX[name], x, y, alpha) >= -1e-12
    assert tangent_gap(CONVEX[name], x, y) >= -1e-6


@settings(max_examples=40)
@given(seeds, st.floats(0, 1))
def test_gaps_of_a_square_are_known(seed, alpha):
    x, y = two_points(seed)
    apart = (x - y) @ (x - y)
    f = CONVEX["square"]
    assert chord_gap(f, x, y, alpha) == pytest.approx(alpha * (1 - alpha) * apart, abs=1e-12)
    assert tangent_gap(f, x, y) == pytest.approx(apart, abs=1e-7)
    assert chord_gap(f, x, y) == pytest.approx(apart / 4, abs=1e-12)


def test_a_function_that_is_not_convex_is_found_out_three_times():
    def f(x):
        return x[0] ** 2 + x[1] ** 2 + 3 * x[0] * x[1]

    x, y = np.array([1.0, -1.0]), np.array([-1.0, 1.0])
    assert chord_gap(f, x, y) == pytest.approx(-1)
    assert tangent_gap(f, x, y) == pytest.approx(-4, abs=1e-7)
    assert least_curvature(f, x) == pytest.approx(-1, abs=1e-6)


def test_numbers_are_points_too():
    assert chord_gap(np.square, 0.0, 2.0) == 1.0
    assert tangent_gap(np.square, 0.0, 2.0) == pytest.approx(4.0)


@settings(max_examples=20)
@given(seeds)
def test_least_curvature_against_torch(seed):
    x, a = two_points(seed)

    def f(x):
        return np.sin(x @ a) + np.exp(x[0] * x[1])

    def f_torch(x):
        return torch.sin(x @ torch.tensor(a)) + torch.exp(x[0] * x[1])

    H = torch.autograd.functional.hessian(f_torch, torch.tensor(x))
    expected = torch.linalg.eigvalsh(H)[0].item()
    assert least_curvature(f, x) == pytest.approx(expected, abs=1e-5 * max(1, H.abs().max().item()))


class TestSubdifferential:
    def test_of_the_absolute_value(self):
        assert subdifferential(abs, 0.0) == (-1.0, 1.0)
        assert subdifferential(abs, 0.5) == pytest.approx((1, 1))
        assert subdifferential(abs, -0.5) == pytest.approx((-1, -1))

    def test_of_the_hinge_at_margin_one(self):
        assert subdifferential(lambda m: max(0, 1 - m), 1.0) == pytest.approx((-1, 0))

    def test_of_a_smooth_function_is_its_slope(self):
        assert subdifferential(np.exp, 0.0) == pytest.approx((1, 1), abs=1e-6)

    @settings(max_examples=40)
    @given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
    def test_zero_is_inside_exactly_at_medians(self, values):
        values = np.array(values, float)

        def total(x):
            return float(np.abs(values - x).sum())

        best = total(np.median(values))
        for x in range(-6, 7):
            low, high = subdifferential(total, float(x))
            assert (low <= 1e-6 and high >= -1e-6) == (total(x) <= best + 1e-9)

    @settings(max_examples=40)
    @given(st.floats(-2, 2), st.floats(-3, 3), st.floats(0, 1))
    def test_every_slope_between_gives_a_line_below(self, x, y, share):
        def f(x):
            return max(-x, x**2 - 2, 0.5 * x)

        low, high = subdifferential(f, x)
        slope = low + share * (high - low)
        assert f(y) >= f(x) + slope * (y - x) - 1e-5


def test_messages():
    with pytest.raises(ValueError, match=r"^chord_gap: alpha must be at least 0 and at most 1; got 1.5"):
        chord_gap(np.sum, [0.0], [1.0], 1.5)
    with pytest.raises(ValueError, match=r"^chord_gap: y must have"):
        chord_gap(np.sum, [0.0, 1.0], [1.0])
    with pytest.raises(ValueError, match=r"^tangent_gap: y must have"):
        tangent_gap(np.sum, [0.0, 1.0], [1.0])
    with pytest.raises(ValueError, match=r"^least_curvature: x must have one axis"):
        least_curvature(np.sum, 1.0)
    with pytest.raises(ValueError, match=r"^subdifferential: h must be above 0; got 0"):
        subdifferential(abs, 0.0, 0)
