"""Intervals agree with scipy, statsmodels and an enumeration of all resamples; coverage with a simulation."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from chapters_src.evaluation.resampling import (
    bootstrap_interval,
    coverage,
    wald_interval,
    wilson_interval,
)


@given(st.integers(1, 300), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(n, data, level):
    right = data.draw(st.integers(0, n))
    theirs = stats.binomtest(right, n).proportion_ci(level, method="wilson")
    assert wilson_interval(right, n, level) == pytest.approx(tuple(theirs), abs=1e-12)


@given(st.integers(2, 300), st.data())
def test_wald_agrees_with_statsmodels_where_that_does_not_clip(n, data):
    right = data.draw(st.integers(0, n))
    theirs = proportion_confint(right, n, method="normal")
    assert np.clip(wald_interval(right, n), 0, 1) == pytest.approx(theirs, abs=1e-12)


def test_worked_numbers():
    assert wilson_interval(182, 200) == pytest.approx((0.8622, 0.9423), abs=1e-4)
    assert wald_interval(182, 200) == pytest.approx((0.8703, 0.9497), abs=1e-4)
    assert wilson_interval(0, 100) == pytest.approx((0.0, 1.959964**2 / (100 + 1.959964**2)), abs=1e-6)
    assert wald_interval(100, 100) == pytest.approx((1.0, 1.0), abs=0)


def test_many_counts_at_once_and_both_ends_exact():
    low, high = wilson_interval(np.arange(13), 12)
    assert low.shape == high.shape == (13,)
    assert low[0] == 0.0
    assert high[-1] == 1.0
    assert low == pytest.approx(1 - high[::-1])  # right and wrong change places
    assert np.all(np.diff(low) > 0)


def test_wilson_ends_are_where_the_observed_share_is_c_standard_errors_away():
    n, share = 40, 31 / 40
    for p in wilson_interval(31, n):
        assert abs(share - p) / np.sqrt(p * (1 - p) / n) == pytest.approx(stats.norm.ppf(0.975))


def test_coverage_agrees_with_a_simulation():
    n, p = 30, 0.85
    ends = wald_interval(np.arange(n + 1), n)
    right = np.random.default_rng(0).binomial(n, p, 40_000)
    share = np.mean((ends[0][right] <= p) & (p <= ends[1][right]))
    assert coverage(*ends, np.array([p]))[0] == pytest.approx(share, abs=0.006)


def test_coverage_of_everything_and_of_nothing():
    p = np.linspace(0, 1, 5)
    assert coverage(np.zeros(4), np.ones(4), p) == pytest.approx(1)
    assert coverage(np.ones(4), np.zeros(4), p) == pytest.approx(0)
    by_hand = coverage(np.array([0.0, 0.4]), np.array([0.3, 1.0]), np.array([0.2, 0.5]))
    assert by_hand == pytest.approx([0.8, 0.5])  # one question, two intervals


def test_bootstrap_quantiles_are_those_of_all_resamples():
    rows = np.array([0.3, 1.0, 2.5, 7.0])
    every = [np.mean(rows[list(chosen)]) for chosen in product(range(4), repeat=4)]
    ours = bootstrap_interval(np.mean, rows, 40_000, np.random.default_rng(0), 0.8)
    assert ours == pytest.approx(np.quantile(every, [0.1, 0.9]), abs=0.08)


def test_bootstrap_agrees_with_scipy_and_keeps_rows_together():
    rng = np.random.default_rng(1)
    pairs = rng.normal(size=(60, 2)) @ [[1.0, 0.9], [0.0, 0.4]]

    def correlation(x, y):
        return np.corrcoef(x, y)[0, 1]

    theirs = stats.bootstrap(
        tuple(pairs.T), correlation, paired=True, vectorized=False, n_resamples=4000, method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    ours = bootstrap_interval(lambda rows: correlation(*rows.T), pairs, 4000, np.random.default_rng(3))
    assert ours == pytest.approx(tuple(theirs), abs=0.015)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson_interval(5, 4), "wilson_interval: right must lie between 0 and n; got"),
        (lambda: wald_interval(1.5, 4), "wald_interval: right must be whole numbers"),
        (lambda: wilson_interval(1, 4, 1.0), "wilson_interval: level must"),
        (lambda: coverage(np.zeros(1), np.ones(1), np.ones(1)), "coverage: low must have an entry"),
        (
            lambda: bootstrap_interval(np.mean, np.ones(1), 9, np.random.default_rng(0)),
            "bootstrap_interval: rows must be two or more; got 1",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
