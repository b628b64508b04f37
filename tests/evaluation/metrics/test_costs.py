"""Decisions by cost against trying everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.evaluation.metrics import (
    cheapest_decision,
    cheapest_threshold,
    confusion_matrix,
    cost_threshold,
    mean_cost,
)

MEDICAL = np.array([[0.0, 10.0], [1.0, 0.0]])  # a miss costs ten false alarms
seeds = st.integers(0, 2**32 - 1)


def random_cost(rng):
    (quiet, alarm), (miss, false_alarm) = rng.uniform(-2, 2, 2), rng.uniform(0.1, 9, 2)
    return np.array([[quiet, alarm + miss], [quiet + false_alarm, alarm]])


def test_worked_numbers():
    assert cost_threshold(MEDICAL) == pytest.approx(1 / 11)
    assert cost_threshold([[0, 1], [1, 0]]) == 0.5
    q = np.array([[0.92, 0.08], [0.9, 0.1], [0.5, 0.5]])
    np.testing.assert_array_equal(cheapest_decision(q, MEDICAL), [0, 1, 1])
    asking = np.vstack([MEDICAL, [0.6, 0.6]])  # a third decision: ask somebody, at a fixed price
    np.testing.assert_array_equal(cheapest_decision(q, asking), [2, 2, 1])
    C = np.array([[85, 5], [2, 8]])
    assert mean_cost(C, MEDICAL) == pytest.approx((5 * 1 + 2 * 10) / 100)


@given(seeds)
def test_the_threshold_is_where_both_decisions_cost_the_same(seed):
    cost = random_cost(np.random.default_rng(seed))
    t = cost_threshold(cost)
    alarm, quiet = cost[1] @ [1 - t, t], cost[0] @ [1 - t, t]
    assert alarm == pytest.approx(quiet, abs=1e-12)
    for p in (t - 1e-6, t + 1e-6):
        if 0 < p < 1:
            assert cheapest_decision([[1 - p, p]], cost)[0] == (p > t)


@given(seeds)
def test_no_threshold_is_cheaper(seed):
    rng = np.random.default_rng(seed)
    y, score, cost = np.append(rng.integers(0, 2, 20), [0, 1]), rng.integers(0, 6, 22), random_cost(rng)

    def price(t):
        return mean_cost(confusion_matrix(y, (score >= t).astype(int), 2), cost)

    t = cheapest_threshold(y, score, cost)
    prices = {s: price(s) for s in [np.inf, *range(-1, 7)]}
    assert price(t) == pytest.approx(min(prices.values()))
    assert t == max(s for s, paid in prices.items() if paid <= price(t) + 1e-12)


def test_no_alarm_can_be_cheapest():
    assert cheapest_threshold([0, 0, 0, 1], [3.0, 2.0, 1.0, 0.0], [[0, 1], [1, 0]]) == np.inf


def test_errors():
    with pytest.raises(ValueError, match=r"cost_threshold: cost must charge more for a mistake"):
        cost_threshold([[0, 10], [0, 0]])
    with pytest.raises(ValueError, match=r"cheapest_threshold: y must hold both"):
        cheapest_threshold([0, 0], [1.0, 2.0], MEDICAL)
    with pytest.raises(ValueError, match=r"mean_cost: C must count an example or more; got zeros"):
        mean_cost(np.zeros((2, 2)), MEDICAL)
