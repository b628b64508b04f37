"""Paired tests agree with statsmodels, scipy and a simulation of splits that share rows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as theirs

from chapters_src.evaluation.resampling import mcnemar, paired_t


def answers(both, only_a, only_b, neither):
    a = np.repeat([True, True, False, False], [both, only_a, only_b, neither])
    b = np.repeat([True, False, True, False], [both, only_a, only_b, neither])
    return a, b


@given(*[st.integers(0, 40) for _ in range(4)])
def test_mcnemar_agrees_with_statsmodels(both, only_a, only_b, neither):
    if both + only_a + only_b + neither == 0:
        return
    found = mcnemar(*answers(both, only_a, only_b, neither))
    assert found[:2] == (only_a, only_b)
    table = [[both, only_a], [only_b, neither]]
    expected = theirs(table, exact=True).pvalue if only_a + only_b else 1.0
    assert found.p_value == pytest.approx(expected)


def test_mcnemar_worked_numbers():
    assert mcnemar(*answers(5, 0, 5, 0)).p_value == pytest.approx(2 / 32)  # five heads or five tails
    assert mcnemar(*answers(5, 2, 2, 9)).p_value == 1.0


def test_mcnemar_ignores_what_both_got_right_or_wrong():
    few, many = mcnemar(*answers(10, 4, 12, 0)), mcnemar(*answers(5000, 4, 12, 700))
    assert few == many


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30).filter(lambda x: np.std(x) > 1e-3))
def test_paired_t_without_overlap_agrees_with_scipy(differences):
    found = stats.ttest_1samp(differences, 0.0)
    assert paired_t(np.array(differences)) == pytest.approx((found.statistic, found.pvalue))


def test_overlap_widens_the_error_by_the_stated_factor():
    d = np.array([0.02, 0.01, -0.01, 0.03, 0.02])
    plain, corrected = paired_t(d), paired_t(d, overlap=0.25)
    assert corrected.t == pytest.approx(plain.t / np.sqrt(1 + 5 * 0.25))
    assert corrected.p_value > plain.p_value


def test_correction_keeps_the_level_when_its_correlation_is_right():
    rng = np.random.default_rng(0)
    k, overlap = 10, 0.25
    rho = overlap / (1 + overlap)  # the correlation for which the correction is made
    shared, own = rng.normal(size=(2000, 1)), rng.normal(size=(2000, k))
    draws = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
    plain = np.mean([paired_t(d).p_value < 0.05 for d in draws])
    corrected = np.mean([paired_t(d, overlap).p_value < 0.05 for d in draws])
    assert plain > 0.25
    assert corrected == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t(np.ones(1)), "paired_t: differences must be two or more; got 1"),
        (lambda: paired_t(np.full(4, 0.1)), "paired_t: differences must vary; got one value"),
        (lambda: paired_t(np.arange(3.0), -0.1), "paired_t: overlap must be at least 0"),
        (lambda: mcnemar(np.ones(3, bool), np.ones(4, bool)), "mcnemar: right_b must have shape (3,)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
