"""The constructed networks against interpolation elsewhere, and their proofs against measured errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_interp_spline
from scipy.optimize import linprog

from chapters_src.networks.approximation.hinges import (
    along,
    approximate,
    curvature_error,
    interpolate,
    lipschitz_error,
    modulus,
    units_needed,
)
from chapters_src.networks.shallow import linear_pieces, side_by_side

seeds = st.integers(0, 2**32 - 1)


def furthest(network, f, low, high, points=4001):
    x = np.linspace(low, high, points)
    return np.abs(network(x[:, None])[:, 0] - f(x)).max()


class TestInterpolate:
    @settings(max_examples=40)
    @given(seeds, st.integers(2, 30))
    def test_agrees_with_numpy_and_scipy_between_the_knots(self, seed, m):
        rng = np.random.default_rng(seed)
        knots = np.cumsum(rng.uniform(0.05, 1.0, m)) - 3
        values = rng.standard_normal(m)
        network = interpolate(knots, values)
        x = np.linspace(knots[0], knots[-1], 201)
        y = network(x[:, None])[:, 0]
        np.testing.assert_allclose(y, np.interp(x, knots, values), atol=1e-9)
        np.testing.assert_allclose(y, make_interp_spline(knots, values, k=1)(x), atol=1e-9)
        assert network.sizes == (1, m - 1, 1)

    def test_flat_before_and_straight_after(self):
        network = interpolate([0.0, 1.0, 3.0], [1.0, 2.0, -2.0])
        np.testing.assert_allclose(network([[-5.0], [0.5], [2.0], [4.0]])[:, 0], [1.0, 1.5, 0.0, -4.0])
        np.testing.assert_array_equal(linear_pieces(network).joints, [0.0, 1.0])


class TestModulus:
    @settings(max_examples=40)
    @given(seeds, st.integers(1, 40))
    def test_it_is_the_largest_difference_of_all_pairs(self, seed, n):
        values = np.random.default_rng(seed).standard_normal(n)
        apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        differences = np.abs(np.subtract.outer(values, values))
        for reach in {0, n // 3, n - 1}:
            assert modulus(values, reach) == pytest.approx(differences[apart <= reach].max())

    def test_known_functions(self):
        x = np.linspace(0, 1, 1001)
        for reach in (1, 10, 250):
            delta = reach / 1000
            assert modulus(3 * x, reach) == pytest.approx(3 * delta)
            assert modulus(np.sqrt(x), reach) == pytest.approx(np.sqrt(delta))
            assert modulus(np.where(x < 0.5, 0.0, 1.0), reach) == 1.0

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 20))
    def test_no_chord_is_further_off(self, seed, segments):
        """Whatever the values: a rough path is no Lipschitz function worth the name."""
        f = np.cumsum(np.random.default_rng(seed).standard_normal(20 * segments + 1))
        x = np.arange(len(f)) / 20.0
        chords = interpolate(x[::20], f[::20])(x[:, None])[:, 0]
        assert np.abs(chords - f).max() <= modulus(f, 20) * (1 + 1e-9)

    def test_it_is_attained_by_a_spike(self):
        f = np.zeros(21)
        f[10] = 2.0
        x = np.arange(21.0)
        chords = interpolate(x[::20], f[::20])(x[:, None])[:, 0]
        assert np.abs(chords - f).max() == modulus(f, 20) == 2.0

    def test_reach_has_an_end(self):
        with pytest.raises(
            ValueError, match=r"^modulus: reach must be less than 3, the number of values; got 3"
        ):
            modulus(np.zeros(3), 3)


class TestBounds:
    @settings(max_examples=40)
    @given(seeds, st.integers(1, 20))
    def test_no_lipschitz_function_is_further_off(self, seed, segments):
        rng = np.random.default_rng(seed)
        alpha, beta = rng.standard_normal(5), rng.uniform(-1, 2, 5)

        def f(x):
            return np.abs(np.asarray(x)[:, None] - beta) @ alpha

        knots = np.linspace(-1, 2, segments + 1)
        bound = lipschitz_error(np.abs(alpha).sum(), 3.0, segments)
        assert furthest(interpolate(knots, f(knots)), f, -1, 2) <= bound * (1 + 1e-9)

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 20))
    def test_no_curved_function_is_further_off(self, seed, segments):
        rng = np.random.default_rng(seed)
        alpha, omega, shift = rng.standard_normal(4), rng.uniform(0, 5, 4), rng.uniform(0, 6, 4)

        def f(x):
            return np.sin(np.asarray(x)[:, None] * omega + shift) @ alpha

        knots = np.linspace(0, 2, segments + 1)
        bound = curvature_error(np.abs(alpha) @ omega**2, 2.0, segments)
        assert furthest(interpolate(knots, f(knots)), f, 0, 2) <= bound * (1 + 1e-9) + 1e-12

    @pytest.mark.parametrize("segments", [1, 3, 8])
    def test_both_are_attained(self, segments):
        knots = np.linspace(-1.0, 1.0, segments + 1)
        delta = 2.0 / segments
        parabola = interpolate(knots, 1.5 * knots**2)
        off = furthest(parabola, lambda x: 1.5 * x**2, -1, 1, points=segments * 200 + 1)
        assert off == pytest.approx(curvature_error(3.0, 2.0, segments), rel=1e-9)

        def zigzag(x):  # zero at the knots, as steep as allowed in between
            return 2.0 * np.abs((x + 1 + delta / 2) % delta - delta / 2)

        teeth = interpolate(knots, zigzag(knots))
        off = furthest(teeth, zigzag, -1, 1, points=segments * 200 + 1)
        assert off == pytest.approx(lipschitz_error(2.0, 2.0, segments), rel=1e-6)


class TestApproximate:
    @pytest.mark.parametrize("tolerance", [0.3, 0.01, 1e-4])
    def test_keeps_its_promise(self, tolerance):
        for options in ({"curvature": 4.0}, {"lipschitz": 2.0}, {"curvature": 4.0, "lipschitz": 2.0}):
            if tolerance < 1e-3 and "curvature" not in options:
                continue
            found = approximate(lambda x: np.sin(2 * x), -1.0, 3.0, tolerance, **options)
            assert found.bound <= tolerance * (1 + 1e-9)
            assert furthest(found.network, lambda x: np.sin(2 * x), -1, 3) <= found.bound * (1 + 1e-9)
            assert len(found.knots) == found.network.sizes[1] + 1

    def test_worked_numbers(self):
        # sin on a period: L = M = 1. ε = 0.01 takes ⌈2π/0.02⌉ = 315 units by slope, ⌈2π√12.5⌉ = 23 by curve.
        assert units_needed(0.01, 2 * np.pi, lipschitz=1.0) == 315
        assert units_needed(0.01, 2 * np.pi, curvature=1.0) == 23
        assert units_needed(0.01, 2 * np.pi, lipschitz=1.0, curvature=1.0) == 23
        assert units_needed(0.5, 1.0, lipschitz=1.0) == 1
        assert units_needed(1.0, 1.0, curvature=0.0) == 1
        assert units_needed(0.1, 0.6, lipschitz=1.0) == 3  # 0.6/0.2 is a little over 3 in floats

    @settings(max_examples=60)
    @given(st.floats(1e-5, 1.0), st.floats(0.1, 10), st.floats(0.01, 50))
    def test_units_are_enough_and_one_less_is_not(self, tolerance, width, size):
        for bound, option in ((lipschitz_error, "lipschitz"), (curvature_error, "curvature")):
            if option == "lipschitz" and size * width / tolerance > 1e6:
                continue
            D = units_needed(tolerance, width, **{option: size})
            assert bound(size, width, D) <= tolerance * (1 + 1e-9)
            assert D == 1 or bound(size, width, D - 1) > tolerance * (1 - 1e-9)

    def test_f_has_to_answer_for_every_knot(self):
        with pytest.raises(ValueError, match=r"^approximate: f must have shape \(3,\), the shape of its arg"):
            approximate(lambda x: 1.0, 0.0, 1.0, 0.25, lipschitz=1.0)
        with pytest.raises(ValueError, match=r"^approximate: lipschitz must be given unless curvature is"):
            approximate(np.sin, 0.0, 1.0, 0.25)


class TestFewest:
    @pytest.mark.parametrize("width", [0.5, 1.0, 3.0])
    def test_best_line_under_a_parabola_by_linear_programming(self, width):
        """The least error of any line on a piece of width δ is Mδ²/16; a solver finds the same."""
        x = np.linspace(0, width, 401)
        A = np.block([[-x[:, None], -np.ones((401, 1))], [x[:, None], np.ones((401, 1))]])
        A = np.hstack([A, -np.ones((802, 1))])
        b = np.concatenate([-(x**2), x**2])
        best = linprog([0, 0, 1], A_ub=A, b_ub=b, bounds=[(None, None)] * 3).fun
        assert best == pytest.approx(2 * width**2 / 16, rel=1e-6)

    def test_the_construction_is_within_a_factor_of_root_two(self):
        for tolerance in (1e-4, 1e-5, 1e-6):
            fewest = np.ceil(2 * np.sqrt(2 / (16 * tolerance)))  # pieces of a width of which δ²M/16 ≤ ε
            ratio = units_needed(tolerance, 2.0, curvature=2.0) / fewest
            assert ratio == pytest.approx(np.sqrt(2), abs=0.05)


class TestSeveralInputs:
    @settings(max_examples=30)
    @given(seeds, st.integers(1, 4))
    def test_a_ridge_is_constant_across_its_direction(self, seed, D_i):
        rng = np.random.default_rng(seed)
        u, X = rng.standard_normal(D_i), rng.standard_normal((8, D_i))
        g = interpolate(np.linspace(-2, 2, 6), rng.standard_normal(6))
        np.testing.assert_allclose(along(u, g)(X), g((X @ u)[:, None]), atol=1e-10)

    def test_a_product_from_two_squares(self):
        """xy = ((x + y)² − (x − y)²)/4: each square within ε of itself puts the product within ε/2."""
        square = approximate(np.square, -2.0, 2.0, 0.02, curvature=2.0).network
        ridges = [along([1.0, 1.0], square), along([1.0, -1.0], square)]
        product = side_by_side(ridges, [0.25, -0.25])
        x, y = np.meshgrid(np.linspace(-1, 1, 101), np.linspace(-1, 1, 101))
        X = np.column_stack([x.ravel(), y.ravel()])
        assert np.abs(product(X)[:, 0] - X[:, 0] * X[:, 1]).max() <= 0.01
