"""A split loses no row and repeats none."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data


class TestSplit:
    @settings(max_examples=60)
    @given(st.integers(2, 60), st.floats(0.01, 0.99), st.integers(0, 2**32 - 1))
    def test_parts_are_a_partition_and_rows_stay_together(self, n, fraction, seed):
        X = np.arange(2.0 * n).reshape(n, 2)
        y = np.arange(n)
        rng = np.random.default_rng(seed)
        X_train, X_test, y_train, y_test = data.train_test_split(X, y, test_fraction=fraction, rng=rng)
        assert sorted([*y_train, *y_test]) == list(range(n))
        np.testing.assert_array_equal(X[y_train], X_train)
        np.testing.assert_array_equal(X[y_test], X_test)
        assert len(y_test) == min(max(round(n * fraction), 1), n - 1)

    def test_it_shuffles_and_copies(self):
        y = np.arange(100)
        train, test = data.train_test_split(y, test_fraction=0.2, rng=np.random.default_rng(0))
        assert list(train) != sorted(train)
        test[:] = -1
        assert y.min() == 0

    @pytest.mark.parametrize(
        ("arrays", "fraction", "message"),
        [
            ((), 0.5, "train_test_split: arrays must be one array or more; got none"),
            (([1.0],), 0.5, "train_test_split: arrays must have two rows or more; got shape (1,)"),
            ((3.0,), 0.5, "train_test_split: arrays must have two rows or more; got shape ()"),
            (([1.0, 2.0], [1.0]), 0.5, "train_test_split: arrays must all have 2 rows; got shape (1,)"),
            (([1.0, 2.0],), 0, "train_test_split: test_fraction must be above 0 and below 1; got 0"),
            (([1.0, 2.0],), 1.0, "train_test_split: test_fraction must be above 0 and below 1; got 1.0"),
        ],
    )
    def test_refuses(self, arrays, fraction, message):
        with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
            data.train_test_split(*arrays, test_fraction=fraction, rng=np.random.default_rng(0))
