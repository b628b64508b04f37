"""Polynomials against scipy, numpy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.interpolate import BarycentricInterpolator

from chapters_src.networks.approximation.polynomials import (
    bernstein,
    chebyshev_points,
    monomials,
    polynomial_through,
)


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
        assert off <= 3 / (2 * degree**0.5) * (1 + 1e-12)  # the spread of a coin's mean

    def test_straight_lines_are_reproduced(self):
        x = np.linspace(0, 1, 11)
        np.testing.assert_allclose(bernstein(lambda t: 2 * t - 1, 9, x), 2 * x - 1, atol=1e-14)

    def test_outside_it_says_no(self):
        with pytest.raises(ValueError, match=r"^bernstein: x must be at least 0 and at most 1; got -1"):
            bernstein(np.sin, 3, np.array([-1.0, 1.0]))
        with pytest.raises(ValueError, match=r"^bernstein: f must have shape \(4,\)"):
            bernstein(lambda t: 1.0, 3, np.array([0.5]))


def test_chebyshev_points_are_zeros():
    for degree in (0, 1, 6, 20):
        zeros = np.polynomial.chebyshev.chebroots([0] * (degree + 1) + [1])
        np.testing.assert_allclose(chebyshev_points(degree), np.sort(zeros), atol=1e-12)


class TestPolynomialThrough:
    @settings(max_examples=40)
    @given(st.integers(1, 12), st.integers(0, 2**32 - 1))
    def test_any_polynomial_is_reproduced(self, m, seed):
        rng = np.random.default_rng(seed)
        nodes = np.linspace(-2, 3, m) + 0.3 / m * rng.uniform(-1, 1, m)
        p = np.polynomial.Polynomial(rng.standard_normal(m))
        x = np.concatenate([np.linspace(-2, 3, 41), nodes])
        size = np.abs(p(x)).max()
        np.testing.assert_allclose(polynomial_through(nodes, p(nodes), x), p(x), atol=1e-9 * size + 1e-12)

    @pytest.mark.parametrize("nodes", [np.linspace(-1, 1, 21), chebyshev_points(30)])
    def test_agrees_with_scipy(self, nodes):
        x = np.linspace(-1, 1, 77)
        f = 1 / (1 + 25 * nodes**2)
        theirs = BarycentricInterpolator(nodes, f)(x)
        np.testing.assert_allclose(polynomial_through(nodes, f, x), theirs, rtol=1e-9, atol=1e-9)

    def test_nodes_are_hit_exactly(self):
        nodes = np.linspace(0, 1, 9)
        at_nodes = polynomial_through(nodes, np.sin(9 * nodes), nodes)
        np.testing.assert_array_equal(at_nodes, np.sin(9 * nodes))
        np.testing.assert_array_equal(polynomial_through([0.0, 1.0], [1e200, 2.0], [1.0, 0.0]), [2.0, 1e200])

    def test_the_same_node_twice(self):
        with pytest.raises(ValueError, match=r"^polynomial_through: nodes must be different"):
            polynomial_through([0.0, 1.0, 1.0], [1.0, 2.0, 2.0], [0.5])


def test_monomials_are_counted():
    from sklearn.preprocessing import PolynomialFeatures

    for d, degree in ((1, 5), (2, 3), (4, 4), (10, 2)):
        assert monomials(d, degree) == PolynomialFeatures(degree).fit(np.zeros((1, d))).n_output_features_
