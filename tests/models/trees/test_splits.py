"""The sorted pass finds what trying every threshold finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from chapters_src.models.trees import best_split, gini
from chapters_src.models.trees.splits import first_of_best, midway


def spread(y, w, kind):
    """Impurity of a set by its definition, weighted; y has a row per example."""
    mean = (w[:, None] * y).sum(axis=0) / w.sum()
    if kind == "entropy":
        return stats.entropy(mean)
    return (w * ((y - mean) ** 2).sum(axis=1)).sum() / w.sum()


def tried(x, Y, kind, min_leaf, w, gap):
    """All partitions by a threshold between two values, with the gaps on either side: the largest gain."""
    y, best = Y.reshape(len(x), -1), -np.inf
    for threshold in np.append(np.unique(x[~gap])[:-1], np.inf):
        for gap_left in (False, True):
            left = np.where(gap, gap_left, x <= threshold)
            if min(left.sum(), (~left).sum()) < min_leaf:
                continue
            parts = sum(w[side].sum() * spread(y[side], w[side], kind) for side in (left, ~left))
            best = max(best, spread(y, w, kind) - parts / w.sum())
    return best


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 25),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(["numbers", "variance", "entropy"]),
)
def test_best_split_equals_trying_everything(seed, n, min_leaf, share, what):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 8, n).astype(float)  # with repeated values
    Y = 1e3 + rng.normal(size=n) if what == "numbers" else np.eye(3)[rng.integers(0, 3, n)]
    w, gap = rng.uniform(0.5, 2.0, n), rng.random(n) < share
    kind = "entropy" if what == "entropy" else "variance"
    split = best_split(x, Y, kind, min_leaf, w, gap)
    expected = tried(x, Y, kind, min_leaf, w, gap)
    assert split.gain == pytest.approx(expected, abs=1e-9) if np.isfinite(expected) else split.gain == -np.inf
    if np.isfinite(expected):  # and the threshold that it names has that gain
        left = np.where(gap, split.missing_left, x <= split.threshold)
        assert min(left.sum(), (~left).sum()) >= min_leaf
        y = Y.reshape(n, -1)
        parts = sum(w[side].sum() * spread(y[side], w[side], kind) for side in (left, ~left)) / w.sum()
        assert spread(y, w, kind) - parts == pytest.approx(expected, abs=1e-9)


def test_worked_number():
    """Five patients: the best cut is between 30 and 50, and removes 0.48 − 2/5·0 − 3/5·(4/9) … by hand."""
    x, y = np.array([20.0, 30.0, 50.0, 60.0, 70.0]), np.eye(2)[[0, 0, 1, 0, 1]]
    split = best_split(x, y)
    assert split.threshold == 40.0
    assert split.gain == pytest.approx(0.48 - 3 / 5 * 4 / 9)
    assert best_split(x, y, "entropy").gain == pytest.approx(
        stats.entropy([0.6, 0.4]) - 0.6 * stats.entropy([1 / 3, 2 / 3])
    )


def test_gini_is_the_chance_that_two_draws_differ():
    rng = np.random.default_rng(0)
    p = np.array([0.5, 0.3, 0.2])
    first, second = rng.choice(3, (2, 200_000), p=p)
    assert gini(p) == pytest.approx((first != second).mean(), abs=0.005)
    np.testing.assert_allclose(gini(np.array([[1.0, 0.0], [0.5, 0.5]])), [0.0, 0.5])
    labels = np.array([0, 0, 0, 1, 1, 2])
    assert np.eye(3)[labels].var(axis=0).sum() == pytest.approx(gini(np.bincount(labels) / 6))


@given(st.integers(0, 2**32 - 1))
def test_a_weight_is_a_repetition(seed):
    rng = np.random.default_rng(seed)
    x, y, times = rng.normal(size=12), rng.normal(size=12), rng.integers(1, 4, 12)
    once = best_split(x, y, weights=times.astype(float))
    again = best_split(np.repeat(x, times), np.repeat(y, times))
    assert once.gain == pytest.approx(again.gain, rel=1e-9)
    assert once.threshold == again.threshold


@given(st.integers(0, 2**32 - 1))
def test_a_rising_map_of_x_moves_the_threshold_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=15), rng.normal(size=15)
    plain, curved = best_split(x, y), best_split(np.exp(x), y)
    assert plain.gain == curved.gain
    np.testing.assert_array_equal(x <= plain.threshold, np.exp(x) <= curved.threshold)


def test_nothing_to_cut():
    assert best_split(np.ones(4), np.arange(4.0)).gain == -np.inf
    assert best_split(np.arange(4.0), np.arange(4.0), min_leaf=3).gain == -np.inf


def test_missing_values_may_be_the_question():
    gap = np.array([False, False, True, True])
    split = best_split(np.zeros(4), np.array([0.0, 0.0, 1.0, 1.0]), missing=gap)
    assert split.gain == pytest.approx(0.25)
    assert split.threshold == np.inf
    assert not split.missing_left


def test_midway_stays_below_the_upper_value():
    low = 1.0
    high = np.nextafter(low, 2)
    assert midway(low, high) == low
    assert midway(-1e308, 1e308) == 0.0
    assert midway(3.0, np.inf) == np.inf


def test_ties_go_to_the_first():
    assert first_of_best(np.array([0.1, 0.3, 0.3 + 1e-13])) == 1
    assert first_of_best(np.array([-np.inf, -np.inf])) == 0
    assert first_of_best(np.array([-np.inf, -1e-17])) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"impurity": "error"}, "best_split: impurity must be one of 'variance', 'entropy'; got 'error'"),
        ({"min_leaf": 0}, "best_split: min_leaf must be at least 1; got 0"),
        ({"Y": np.ones(3)}, "best_split: Y must have"),
    ],
)
def test_errors(changed, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        best_split(**{"x": np.arange(4.0), "Y": np.arange(4.0), **changed})
