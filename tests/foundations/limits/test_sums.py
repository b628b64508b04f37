"""Exact distributions of sums against scipy and enumeration; their gaps against closed forms."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from chapters_src.foundations.limits import (
    berry_esseen_bound,
    characteristic_function,
    normal_gap,
    standardised,
    sum_distribution,
)

seeds = st.integers(0, 2**32 - 1)


def random_draw(seed, k=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=k), rng.dirichlet(np.ones(k))


class TestCharacteristicFunction:
    def test_closed_forms(self):
        t = np.linspace(-3, 3, 13)
        np.testing.assert_allclose(
            characteristic_function(t, [0.0, 1.0], [0.7, 0.3]), 1 + 0.3 * (np.exp(1j * t) - 1), atol=1e-14
        )
        k = np.arange(60)
        np.testing.assert_allclose(
            characteristic_function(t, k, stats.poisson(4).pmf(k) / stats.poisson(4).cdf(59)),
            np.exp(4 * (np.exp(1j * t) - 1)),
            atol=1e-12,
        )

    @settings(max_examples=40)
    @given(seeds)
    def test_of_a_sum_is_the_product(self, seed):
        (x, p), (y, q) = random_draw(seed), random_draw(seed + 1, 4)
        t = np.linspace(-4, 4, 9)
        both = characteristic_function(t, np.add.outer(x, y).ravel(), np.outer(p, q).ravel())
        expected = characteristic_function(t, x, p) * characteristic_function(t, y, q)
        np.testing.assert_allclose(both, expected, atol=1e-12)

    @settings(max_examples=40)
    @given(seeds)
    def test_moments_are_its_derivatives_at_zero(self, seed):
        x, p = random_draw(seed)
        h = 1e-4
        below, at, above = characteristic_function([-h, 0.0, h], x, p)
        assert at == pytest.approx(1, abs=1e-12)
        assert (above - below) / (2 * h) == pytest.approx(1j * (p @ x), abs=1e-6)
        assert (above - 2 * at + below) / h**2 == pytest.approx(-(p @ x**2), abs=1e-5)


class TestSumDistribution:
    @pytest.mark.parametrize("n", [1, 2, 7, 100, 6_000])
    def test_coins_are_binomial(self, n):
        expected = stats.binom(n, 1 / 6).pmf(np.arange(n + 1))
        np.testing.assert_allclose(sum_distribution([5 / 6, 1 / 6], n), expected, atol=1e-12)

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 4), st.integers(1, 4))
    def test_against_enumeration(self, seed, k, n):
        p = np.random.default_rng(seed).dirichlet(np.ones(k))
        expected = np.zeros(n * (k - 1) + 1)
        for values in product(range(k), repeat=n):
            expected[sum(values)] += np.prod(p[list(values)])
        np.testing.assert_allclose(sum_distribution(p, n), expected, atol=1e-14)

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 30))
    def test_mean_variance_and_third_moment_add(self, seed, n):
        p = np.random.default_rng(seed).dirichlet(np.ones(6))
        moments = []
        for one in (p, sum_distribution(p, n)):
            off = np.arange(len(one)) - one @ np.arange(len(one))
            moments.append([one @ np.arange(len(one)), one @ off**2, one @ off**3])
        np.testing.assert_allclose(moments[1], n * np.array(moments[0]), rtol=1e-8, atol=1e-8)

    def test_never_negative_and_sums_to_one(self):
        total = sum_distribution(np.full(6, 1 / 6), 500)
        assert total.min() >= 0
        assert total.sum() == pytest.approx(1, abs=1e-12)

    def test_the_die_of_the_chapter(self):
        ones = sum_distribution([5 / 6, 1 / 6], 6_000)
        assert ones[990:1_021].sum() == pytest.approx(0.402502, abs=5e-7)

    def test_refusals(self):
        with pytest.raises(
            ValueError,
            match=r"^sum_distribution: p must be at least 0 and sum to 1 along the last axis; got sum 1\.1$",
        ):
            sum_distribution([0.5, 0.6], 3)
        with pytest.raises(ValueError, match=r"^sum_distribution: p must be at least 0"):
            sum_distribution([1.5, -0.5], 3)
        with pytest.raises(ValueError, match=r"^sum_distribution: n must keep the sum to 10,000,000 values"):
            sum_distribution([0.5, 0.5], 10**8)


class TestGap:
    def test_one_coin_by_hand(self):
        # values at ∓1 standard deviations: the cumulative probability jumps from 0 to ½ where Φ(−1) = 0.1587
        assert normal_gap([0.0, 1.0], [0.5, 0.5]) == pytest.approx(0.5 - stats.norm.cdf(-1), rel=1e-12)

    def test_fair_coins_by_the_middle_jump(self):
        n = 400  # an even number: the gap is half the probability of the middle
        total = sum_distribution([0.5, 0.5], n)
        assert normal_gap(np.arange(n + 1), total) == pytest.approx(
            stats.binom(n, 0.5).pmf(200) / 2, rel=1e-9
        )

    @settings(max_examples=40)
    @given(seeds)
    def test_against_scipy_on_a_sample(self, seed):
        values = np.random.default_rng(seed).exponential(size=30)
        z = (values - values.mean()) / values.std()
        assert normal_gap(values, np.full(30, 1 / 30)) == pytest.approx(
            stats.kstest(z, "norm").statistic, rel=1e-9
        )

    @settings(max_examples=40)
    @given(seeds, st.floats(-20, 20), st.floats(0.1, 50))
    def test_units_order_and_split_values_do_not_matter(self, seed, shift, scale):
        x, p = random_draw(seed)
        gap = normal_gap(x, p)
        assert normal_gap(shift + scale * x, p) == pytest.approx(gap, rel=1e-9)
        assert normal_gap(x[::-1], p[::-1]) == pytest.approx(gap, rel=1e-9)
        twice = normal_gap(np.repeat(x, 2), np.repeat(p / 2, 2))
        assert twice == pytest.approx(gap, rel=1e-9)

    @settings(max_examples=40, deadline=None)
    @given(seeds, st.integers(1, 200))
    def test_berry_and_esseen_hold(self, seed, n):
        p = np.random.default_rng(seed).dirichlet(np.full(4, 0.5))
        if p.max() > 1 - 1e-6:
            return
        total = sum_distribution(p, n)
        assert normal_gap(np.arange(len(total)), total) <= berry_esseen_bound(np.arange(4.0), p, n) + 1e-9

    def test_the_bound_by_hand(self):
        assert berry_esseen_bound([0.0, 1.0], [0.5, 0.5], 16) == pytest.approx(0.4748 / 4, rel=1e-12)
        # a coin of probability p has E|X − p|³ = p(1 − p)(1 − 2p + 2p²)
        p = 0.1
        cube = p * (1 - p) * (1 - 2 * p + 2 * p**2) / (p * (1 - p)) ** 1.5
        assert berry_esseen_bound([0.0, 1.0], [0.9, 0.1], 9) == pytest.approx(0.4748 * cube / 3, rel=1e-12)

    @pytest.mark.parametrize("function", [normal_gap, standardised])
    def test_what_does_not_vary(self, function):
        with pytest.raises(ValueError, match=rf"^{function.__name__}: x must vary"):
            function([3.0, 3.0], [0.5, 0.5])
        with pytest.raises(ValueError, match=rf"^{function.__name__}: x must vary"):
            function([3.0, 4.0], [1.0, 0.0])

    @settings(max_examples=40)
    @given(seeds)
    def test_standard_units(self, seed):
        x, p = random_draw(seed)
        z = standardised(x, p)
        assert p @ z == pytest.approx(0, abs=1e-12)
        assert p @ z**2 == pytest.approx(1, rel=1e-12)
