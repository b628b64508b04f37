"""Whatever numpy reads is an array, and what it cannot read is answered with one sentence."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Float, ndarray


@checked
def matrix(X: Float[ndarray, "n d"]) -> Float[ndarray, "n d"]:
    return X


@checked
def array(x: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    return x


class TestArray:
    @pytest.mark.parametrize(
        "value",
        [
            [[1, 2], [3, 4]],
            ((1.0, 2.0), (3.0, 4.0)),
            np.array([[1, 2], [3, 4]], dtype=np.float32),
            np.array([[1, 2], [3, 4]], dtype=np.uint8),
            np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
            pd.DataFrame({"a": [1, 3], "b": [2.0, 4.0]}),
            torch.tensor([[1, 2], [3, 4]]),
            torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_reads_whatever_numpy_reads(self, value):
        result = matrix(value)
        assert type(result) is np.ndarray
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result, [[1.0, 2.0], [3.0, 4.0]])

    def test_booleans_in_an_array_are_zeros_and_ones(self):
        np.testing.assert_array_equal(array([True, False]), [1.0, 0.0])

    def test_float64_is_not_copied(self):
        value = np.ones((3, 2))
        assert matrix(value) is value

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("abc", "matrix: X must hold real numbers; got 'abc'"),
            (None, "matrix: X must hold real numbers; got None"),
            ([["a", "b"]], "matrix: X must hold real numbers; got [['a', 'b']]"),
            ([[1, None]], "matrix: X must hold real numbers; got [[1, None]]"),
            ({"a": 1}, "matrix: X must hold real numbers; got {'a': 1}"),
            ([[10**400]], "matrix: X must hold real numbers; got a list"),
            ([[1j]], "matrix: X must hold real numbers; got complex numbers"),
            (np.array(["2020-01-01"], dtype="datetime64[D]"), "matrix: X must hold real numbers; got"),
            (
                [[1, 2], [3]],
                "matrix: X must be a rectangular array of numbers; got [[1, 2], [3]] (setting an",
            ),
            (
                torch.ones(2, 2, requires_grad=True),
                "matrix: X must be a rectangular array of numbers; got a Tensor",
            ),
            ([], "matrix: X must not be empty; got shape (0,)"),
            (np.ones((0, 3)), "matrix: X must not be empty; got shape (0, 3)"),
            ([[1.0, np.nan]], "matrix: X must be finite; got nan at [0, 1]"),
            ([[1.0], [-np.inf]], "matrix: X must be finite; got -inf at [1, 0]"),
            ([[np.inf, -np.inf]], "matrix: X must be finite; got inf at [0, 0]"),
            (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), "matrix: X must not be masked"),
            (3.0, "matrix: X must have two axes, shape (n, d); got shape ()"),
            ([1.0, 2.0], "matrix: X must have two axes, shape (n, d); got shape (2,)"),
            (np.ones((2, 2, 2)), "matrix: X must have two axes, shape (n, d); got shape (2, 2, 2)"),
        ],
    )
    def test_matrix_refuses(self, value, message):
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            matrix(value)

    def test_large_values_are_finite_even_where_their_sum_is_not(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert array([1.5e308, 1.5e308]).max() == 1.5e308

    @given(
        hnp.arrays(
            np.float64, hnp.array_shapes(max_dims=3, max_side=4), elements=st.floats(allow_subnormal=True)
        )
    )
    def test_finite_is_decided_as_isfinite_does(self, value):
        if np.isfinite(value).all():
            assert array(value) is value
        else:
            with pytest.raises(ValueError, match=r"^array: x must be finite; got "):
                array(value)
