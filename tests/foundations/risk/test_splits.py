"""Splits: nothing is lost, shares are kept, groups stay together; scikit-learn does the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from chapters_src.foundations.risk import grouped_split, output_intervals, stratified_split

seeds = st.integers(0, 2**32 - 1)


def whole(train, test, n):
    assert sorted([*train, *test]) == list(range(n))
    assert len(train) and len(test)


@settings(max_examples=100)
@given(seeds, st.integers(2, 200), st.integers(1, 5), st.floats(0.05, 0.95))
def test_every_label_has_its_share(seed, n, classes, fraction):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    train, test = stratified_split(labels, fraction, rng)
    whole(train, test, n)
    share = len(test) / n
    for label in range(classes):
        expected = share * np.sum(labels == label)
        assert abs(np.sum(labels[test] == label) - expected) < 1


def test_every_row_is_tested_as_often():
    """A label too rare for a whole share is in the test part at random, and not always or never."""
    labels, rng = np.array([0, *[1] * 8, 2]), np.random.default_rng(0)
    tested = np.mean([np.isin(np.arange(10), stratified_split(labels, 0.2, rng)[1]) for _ in range(4000)], 0)
    np.testing.assert_allclose(tested, 0.2, atol=0.03)  # 4.7 standard deviations


def test_against_scikit_learn_on_a_rare_class():
    labels = (np.arange(1000) < 20).astype(int)
    _, test = stratified_split(labels, 0.25, np.random.default_rng(0))
    _, theirs = train_test_split(np.arange(1000), test_size=0.25, stratify=labels, random_state=0)
    assert labels[test].sum() == labels[theirs].sum() == 5
    assert len(test) == len(theirs) == 250


def test_rows_are_drawn_evenly():
    """Every row is held out about as often as any other."""
    labels, rng = np.array([0, 0, 0, 0, 1, 1]), np.random.default_rng(0)
    times = np.zeros(6)
    for _ in range(3000):
        times[stratified_split(labels, 0.5, rng)[1]] += 1
    np.testing.assert_allclose(times / 3000, 0.5, atol=0.04)


@settings(max_examples=100)
@given(seeds, st.integers(2, 60), st.floats(0.05, 0.95))
def test_groups_stay_together(seed, n, fraction):
    rng = np.random.default_rng(seed)
    groups = np.append(rng.integers(0, 8, n - 1), 9)
    if len(np.unique(groups)) < 2:
        return
    train, test = grouped_split(groups, fraction, rng)
    whole(train, test, n)
    assert not set(groups[train]) & set(groups[test])


def test_as_many_groups_as_scikit_learn():
    groups = np.repeat(np.arange(50), 20)
    _, test = grouped_split(groups, 0.2, np.random.default_rng(0))
    splitter = GroupShuffleSplit(n_splits=1, test_size=0.2, random_state=0)
    _, theirs = next(splitter.split(groups, groups=groups))
    assert len(set(groups[test])) == len(set(groups[theirs])) == 10


def test_intervals_are_equally_full():
    y = np.random.default_rng(0).normal(size=400)
    which = output_intervals(y, 8)
    assert np.bincount(which).tolist() == [50] * 8
    assert y[which == 0].max() < y[which == 1].min()
    assert output_intervals([3.0, 1.0, 2.0], 1).tolist() == [0, 0, 0]


def test_errors():
    with pytest.raises(ValueError, match=r"^stratified_split: labels must have two rows or more; got"):
        stratified_split([1.0], 0.5, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^grouped_split: groups must name two groups or more; got 1$"):
        grouped_split([4, 4, 4], 0.5, np.random.default_rng(0))
