"""Averages and their errors, against numpy, scipy, enumeration and repetition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from chapters_src.foundations.limits import difference_of_means, monte_carlo, variance_of_mean

seeds = st.integers(0, 2**32 - 1)


class TestMonteCarlo:
    def test_worked_number(self):
        # 1, 2, 3, 6: mean 3, squared deviations 4 + 1 + 0 + 9 = 14, s² = 14/3, error √(14/12)
        estimate = monte_carlo([1.0, 2.0, 3.0, 6.0])
        assert estimate.mean == 3.0
        assert estimate.error == pytest.approx(np.sqrt(14 / 12), rel=1e-14)

    @settings(max_examples=40)
    @given(seeds, st.integers(2, 60))
    def test_against_scipy(self, seed, n):
        values = np.random.default_rng(seed).normal(3, 2, size=n)
        estimate = monte_carlo(values)
        assert estimate.error == pytest.approx(stats.sem(values), rel=1e-12)
        assert estimate.mean / estimate.error == pytest.approx(
            stats.ttest_1samp(values, 0).statistic, rel=1e-10
        )

    @settings(max_examples=30)
    @given(seeds, st.floats(-50, 50), st.floats(0.01, 100))
    def test_shift_and_scale(self, seed, shift, scale):
        values = np.random.default_rng(seed).normal(size=20)
        plain, moved = monte_carlo(values), monte_carlo(shift + scale * values)
        assert moved.mean == pytest.approx(shift + scale * plain.mean, rel=1e-9, abs=1e-9)
        assert moved.error == pytest.approx(scale * plain.error, rel=1e-9)

    def test_the_error_is_the_spread_of_repeated_means(self):
        draws = np.random.default_rng(0).exponential(size=(4_000, 50))
        claimed = np.mean([monte_carlo(row).error ** 2 for row in draws])
        assert np.var(draws.mean(axis=1), ddof=1) == pytest.approx(claimed, rel=0.06)
        assert claimed == pytest.approx(1 / 50, rel=0.03)

    def test_one_draw_has_no_error(self):
        with pytest.raises(ValueError, match=r"^monte_carlo: values must be two or more, .*; got 1$"):
            monte_carlo([4.0])


class TestDifference:
    @settings(max_examples=40)
    @given(seeds, st.integers(3, 40), st.floats(-0.9, 0.9))
    def test_against_the_two_t_tests(self, seed, n, rho):
        x, own = np.random.default_rng(seed).normal(size=(2, n))
        y = 1 + rho * x + own
        for paired, test in ((True, stats.ttest_rel), (False, stats.ttest_ind)):
            difference = difference_of_means(x, y, paired=paired)
            assert difference.mean / difference.error == pytest.approx(test(x, y).statistic, rel=1e-9)

    def test_the_covariance_is_the_difference(self):
        x, y = np.random.default_rng(1).normal(size=(2, 30))
        y = y + 0.7 * x
        couples, strangers = (difference_of_means(x, y, paired=p).error ** 2 for p in (True, False))
        assert strangers - couples == pytest.approx(2 * np.cov(x, y)[0, 1] / 30, rel=1e-10)

    def test_identical_columns_have_no_error(self):
        x = np.arange(5.0)
        assert difference_of_means(x, x, paired=True) == (0.0, 0.0)

    def test_one_couple(self):
        with pytest.raises(ValueError, match=r"^difference_of_means: x must be two or more, "):
            difference_of_means([1.0], [2.0], paired=False)
        with pytest.raises(ValueError, match=r"^difference_of_means: y must have shape \(2,\)"):
            difference_of_means([1.0, 2.0], [2.0], paired=True)


class TestVarianceOfMean:
    @settings(max_examples=40)
    @given(st.floats(0.01, 100), st.floats(0, 1), st.integers(1, 12))
    def test_against_the_covariance_matrix(self, variance, rho, n):
        matrix = variance * (rho * np.ones((n, n)) + (1 - rho) * np.eye(n))
        ones = np.ones(n) / n
        assert variance_of_mean(variance, rho, n) == pytest.approx(ones @ matrix @ ones, rel=1e-10)

    def test_by_simulation(self):
        rng = np.random.default_rng(2)
        shared, own = rng.normal(size=(50_000, 1)), rng.normal(size=(50_000, 8))
        means = (np.sqrt(0.3) * shared + np.sqrt(0.7) * own).mean(axis=1)
        assert means.var() == pytest.approx(variance_of_mean(1.0, 0.3, 8), rel=0.03)

    def test_of_one_draw(self):
        assert variance_of_mean(3.0, -1.0, 1) == 3.0

    def test_a_correlation_that_cannot_be(self):
        assert variance_of_mean(2.0, -0.5, 3) == pytest.approx(0, abs=1e-15)
        with pytest.raises(
            ValueError, match=r"^variance_of_mean: correlation must be at least -0\.5 for 3 draws; got -0\.6$"
        ):
            variance_of_mean(2.0, -0.6, 3)
