"""The bounds against exact binomial tails, and against one another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chapters_src.foundations.risk import examples_needed, finite_class_margin, hoeffding_tail


@given(st.integers(1, 400), st.floats(0.01, 0.99), st.floats(0.0, 0.9))
def test_the_tail_is_above_the_exact_one(n, risk, margin):
    exact = stats.binom.cdf(math.floor(n * (risk - margin) + 1e-12), n, risk)
    assert exact <= hoeffding_tail(n, margin) * (1 + 1e-9)


def test_the_tail_has_the_right_rate():
    """At a risk of one half the exponent 2 cannot be improved: the exact tail has it too, for large n."""
    n, margin = 200_000, 0.01
    exact = stats.binom.logcdf(math.floor(n * (0.5 - margin)), n, 0.5)
    assert exact / -(2 * n * margin**2) == pytest.approx(1, abs=0.08)
    assert hoeffding_tail(100, 0.0) == 1.0
    assert hoeffding_tail(50, 0.2) == pytest.approx(math.exp(-4))


@given(st.integers(1, 10**6), st.floats(0, 5000), st.floats(1e-6, 0.9))
def test_the_margin_solves_its_equation(n, log_members, alpha):
    margin = finite_class_margin(n, log_members, alpha)
    assert math.log(2) + log_members - 2 * n * margin**2 == pytest.approx(math.log(alpha), abs=1e-8)


@given(st.floats(0.001, 2), st.floats(0, 100), st.floats(1e-4, 0.9))
def test_the_fewest_examples(margin, log_members, alpha):
    n = examples_needed(margin, log_members, alpha)
    assert finite_class_margin(n, log_members, alpha) <= margin * (1 + 1e-12)
    if n > 1:
        assert finite_class_margin(n - 1, log_members, alpha) > margin * (1 - 1e-12)


def test_worked_numbers():
    assert examples_needed(0.02) == 4612
    assert finite_class_margin(500, 14 * math.log(2)) == pytest.approx(0.11573, abs=5e-6)
    assert finite_class_margin(500, 0.0) == pytest.approx(np.sqrt(np.log(40) / 1000))


def test_errors():
    with pytest.raises(ValueError, match=r"^finite_class_margin: alpha must be above 0 and below 1; got 1$"):
        finite_class_margin(10, 1.0, 1)
    with pytest.raises(ValueError, match=r"^examples_needed: margin must be above 0; got 0$"):
        examples_needed(0)
