"""Lifting, deciding and polynomials against scipy and numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from chapters_src import data
from chapters_src.networks.lifting import (
    bernstein,
    bernstein_error,
    chebyshev_points,
    disc_decision,
    lifted,
    monomials,
)


class TestDisc:
    def test_the_decision_on_many_points(self):
        X = np.random.default_rng(0).uniform(-3, 3, (100_000, 2))
        outside = np.sum(X**2, axis=1) >= 1
        np.testing.assert_array_equal(disc_decision(X), outside)

    def test_the_decision_at_the_pole_and_on_the_circle(self):
        np.testing.assert_array_equal(
            disc_decision([[0, 0], [1, 0], [0, -1], [0.6, 0.5], [7, 7]]), [0, 1, 1, 0, 1]
        )

    def test_the_height_separates(self):
        table = data.disc(2000, 0.0, np.random.default_rng(1))
        mountain = lifted(table.X)
        np.testing.assert_array_equal(mountain[:, :2], table.X)
        np.testing.assert_array_equal(mountain[:, 2] > 0, table.y == 1)
        assert lifted([[0.0, 0.0]])[0, 2] == 1.0


class TestBernstein:
    @settings(max_examples=30)
    @given(st.integers(1, 60), st.floats(1e-6, 1))
    def test_it_is_a_binomial_mean(self, degree, x):
        values = np.exp(np.sin(7 * np.arange(degree + 1) / degree))
        expected = stats.binom(degree, x).pmf(np.arange(degree + 1)) @ values
        ours = bernstein(lambda t: np.exp(np.sin(7 * t)), degree, np.array([x]))
        assert ours[0] == pytest.approx(expected, rel=1e-9)

    @settings(max_examples=20)
    @given(st.integers(1, 80), st.floats(0, 1))
    def test_within_the_bound(self, degree, kink):
        x = np.linspace(0, 1, 301)
        off = np.abs(bernstein(lambda t: 3 * np.abs(t - kink), degree, x) - 3 * np.abs(x - kink)).max()
        assert off <= bernstein_error(3.0, degree) * (1 + 1e-12)

    def test_straight_lines_are_reproduced(self):
        x = np.linspace(0, 1, 11)
        np.testing.assert_allclose(bernstein(lambda t: 2 * t - 1, 9, x), 2 * x - 1, atol=1e-14)

    def test_outside_it_says_no(self):
        with pytest.raises(ValueError, match=r"^bernstein: x must lie in \[0, 1\]; got values from -1 to 1"):
            bernstein(np.sin, 3, np.array([-1.0, 1.0]))
        with pytest.raises(ValueError, match=r"^bernstein: f must have shape \(4,\)"):
            bernstein(lambda t: 1.0, 3, np.array([0.5]))


def test_chebyshev_points_are_zeros():
    for degree in (0, 1, 6, 20):
        zeros = np.polynomial.chebyshev.chebroots([0] * (degree + 1) + [1])
        np.testing.assert_allclose(chebyshev_points(degree), np.sort(zeros), atol=1e-12)


def test_monomials_are_counted():
    from sklearn.preprocessing import PolynomialFeatures

    for d, degree in ((1, 5), (2, 3), (4, 4), (10, 2)):
        assert monomials(d, degree) == PolynomialFeatures(degree).fit(np.zeros((1, d))).n_output_features_
