"""Sizes of misses against scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from chapters_src.evaluation.metrics import mean_absolute_error, root_mean_squared_error


@given(st.integers(0, 2**32 - 1))
def test_against_scikit_learn(seed):
    y, y_hat = np.random.default_rng(seed).normal(size=(2, 12))
    assert root_mean_squared_error(y, y_hat) == pytest.approx(reference.root_mean_squared_error(y, y_hat))
    assert mean_absolute_error(y, y_hat) == pytest.approx(reference.mean_absolute_error(y, y_hat))
    assert mean_absolute_error(y, y_hat) <= root_mean_squared_error(y, y_hat) + 1e-12


def test_worked_numbers():
    assert root_mean_squared_error([0.0, 0.0], [3.0, -4.0]) == pytest.approx(np.sqrt(12.5))
    assert mean_absolute_error([0.0, 0.0], [3.0, -4.0]) == 3.5
    with pytest.raises(ValueError, match=r"mean_absolute_error: y_hat must have shape \(2,\)"):
        mean_absolute_error([0.0, 0.0], [3.0])
