"""Running moments against exact fractions, numpy, and each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations.tensors import RunningMoments, naive_variance, running_moments

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


def exact(values):
    """Mean and sum of squares around it, in fractions."""
    fractions = [Fraction(float(value)) for value in values]
    mean = sum(fractions) / len(fractions)
    return float(mean), float(sum((value - mean) ** 2 for value in fractions))


def agree(moments, values):
    mean, squares = exact(values)
    size = 1 + max(map(abs, values))
    assert moments.n == len(values)
    assert float(moments.mean) == pytest.approx(mean, abs=1e-12 * size)
    assert float(moments.sum_squares) == pytest.approx(squares, rel=1e-9, abs=1e-9 * size)


@given(numbers)
def test_as_exact_fractions_have_it(values):
    agree(running_moments(np.array(values)), values)


@given(numbers, numbers)
def test_two_streams_become_one(one, two):
    a, b = running_moments(np.array(one)), running_moments(np.array(two))
    agree(a.merge(b), one + two)
    agree(b.merge(a), one + two)


@given(numbers, numbers, numbers)
def test_merging_does_not_depend_on_the_order(one, two, three):
    a, b, c = (running_moments(np.array(part)) for part in (one, two, three))
    size = 1 + max(map(abs, one + two + three))
    left, right = a.merge(b).merge(c), a.merge(b.merge(c))
    assert left.n == right.n
    assert left.sum_squares == pytest.approx(right.sum_squares, rel=1e-9, abs=1e-9 * size)


def test_worked_stream():
    moments = RunningMoments(0, np.zeros(()), np.zeros(()))
    seen = []
    for value in (2.0, 4.0, 9.0):
        moments = moments.after(value)
        seen.append((moments.n, float(moments.mean), float(moments.sum_squares)))
    assert seen == [(1, 2, 0), (2, 3, 2), (3, 5, 26)]
    assert moments.variance == pytest.approx(26 / 3)


def test_worked_variance():
    values = np.array([1.0, 2.0, 4.0])
    assert running_moments(values).variance == pytest.approx(14 / 9)
    assert naive_variance(values) == pytest.approx(14 / 9)


def test_one_more_is_a_merge_with_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    before = running_moments(X)
    x = rng.normal(size=3)
    for mine, other in zip(before.after(x), before.merge(running_moments(x[None])), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13)


@pytest.mark.parametrize("shape", [(50,), (50, 1), (50, 4)])
def test_columns_as_numpy_has_them(shape):
    X = 3 + np.random.default_rng(1).normal(size=shape)
    moments = running_moments(X)
    assert np.shape(moments.mean) == shape[1:]
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(moments.variance, X.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(naive_variance(X), X.var(axis=0), rtol=1e-10)


def test_the_shortcut_fails_where_the_update_holds():
    values = np.random.default_rng(0).normal(size=1000)
    far = values + 1e8
    assert running_moments(far).variance == pytest.approx(values.var(), rel=1e-7)
    assert abs(naive_variance(far) / values.var() - 1) > 0.5


def test_sums_of_squares_never_shrink():
    far = 1e15 + np.random.default_rng(3).normal(size=200)
    moments, last = RunningMoments(0, np.zeros(()), np.zeros(())), 0.0
    for value in far:
        moments = moments.after(value)
        assert moments.sum_squares >= last
        last = moments.sum_squares


def test_an_empty_stream_adds_nothing():
    nothing = RunningMoments(0, np.zeros(2), np.zeros(2))
    some = running_moments(np.eye(2))
    assert nothing.merge(some) is some and some.merge(nothing) is some
    assert nothing.merge(nothing).n == 0


def test_what_is_refused():
    row, column = running_moments(np.ones((3, 2))), running_moments(np.ones(3))
    with pytest.raises(ValueError, match=r"^merge: other must have means of shape \(2,\); got \(\)$"):
        row.merge(column)
    with pytest.raises(ValueError, match=r"^merge: other must be a RunningMoments; got 3$"):
        row.merge(3)
    with pytest.raises(ValueError, match=r"^after: x must have shape \(2,\), as all before it; got \(\)$"):
        row.after(1.0)
    with pytest.raises(ValueError, match=r"^after: x must be finite"):
        row.after([1.0, np.inf])
