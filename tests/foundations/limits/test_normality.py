"""Moments, the test of normality and the Q–Q plot, against scipy and repetition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from chapters_src.foundations.limits import (
    excess_kurtosis,
    jarque_bera,
    normal_quantiles,
    quantile_band,
    skewness,
)

seeds = st.integers(0, 2**32 - 1)


class TestMoments:
    @settings(max_examples=40)
    @given(seeds, st.integers(3, 200))
    def test_against_scipy(self, seed, n):
        values = np.random.default_rng(seed).gamma(2.0, size=n)
        assert skewness(values) == pytest.approx(stats.skew(values), rel=1e-9)
        assert excess_kurtosis(values) == pytest.approx(stats.kurtosis(values), rel=1e-9, abs=1e-9)
        ours, theirs = jarque_bera(values), stats.jarque_bera(values)
        np.testing.assert_allclose(ours, (theirs.statistic, theirs.pvalue), rtol=1e-8, atol=1e-12)

    def test_worked_number(self):
        # 0, 0, 0, 4: mean 1, variance 3, third moment (3·(−1) + 27)/4 = 6, fourth (3 + 81)/4 = 21
        assert skewness([0.0, 0.0, 0.0, 4.0]) == pytest.approx(6 / 3**1.5, rel=1e-13)
        assert excess_kurtosis([0.0, 0.0, 0.0, 4.0]) == pytest.approx(21 / 9 - 3, rel=1e-13)

    @settings(max_examples=30)
    @given(seeds, st.sampled_from([1e-200, -1e-3, 1e200]))
    def test_units_do_not_matter(self, seed, scale):
        values = np.random.default_rng(seed).exponential(size=20)
        assert skewness(scale * values) == pytest.approx(np.sign(scale) * skewness(values), rel=1e-9)
        assert excess_kurtosis(scale * values) == pytest.approx(excess_kurtosis(values), rel=1e-9, abs=1e-9)

    @pytest.mark.parametrize("function", [skewness, excess_kurtosis, jarque_bera])
    def test_what_does_not_vary(self, function):
        with pytest.raises(ValueError, match=rf"^{function.__name__}: values must vary; got 2 throughout$"):
            function([2.0, 2.0, 2.0])

    def test_false_alarms_of_a_large_sample(self):
        rng = np.random.default_rng(0)
        alarms = [jarque_bera(rng.normal(size=2_000)).p_value < 0.05 for _ in range(2_000)]
        assert np.mean(alarms) == pytest.approx(0.05, abs=0.015)


class TestQuantiles:
    def test_against_scipy_and_symmetry(self):
        at = normal_quantiles(7)
        np.testing.assert_allclose(at, stats.norm.ppf((np.arange(7) + 0.5) / 7), atol=1e-12)
        np.testing.assert_allclose(at, -at[::-1], atol=1e-12)

    def test_the_band_holds_each_draw_as_often_as_it_says(self):
        low, high = quantile_band(9)
        ordered = np.sort(np.random.default_rng(1).normal(size=(40_000, 9)), axis=1)
        np.testing.assert_allclose(((low < ordered) & (ordered < high)).mean(axis=0), 0.95, atol=0.005)
        np.testing.assert_allclose((ordered < low).mean(axis=0), 0.025, atol=0.004)

    def test_the_extremes_in_closed_form(self):
        # the smallest of n is above u with probability (1 − u)ⁿ
        low, high = quantile_band(12)
        assert low[0] == pytest.approx(stats.norm.ppf(1 - 0.975 ** (1 / 12)), rel=1e-10)
        assert high[0] == pytest.approx(stats.norm.ppf(1 - 0.025 ** (1 / 12)), rel=1e-10)
        np.testing.assert_allclose(high, -low[::-1], atol=1e-10)
