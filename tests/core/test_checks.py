"""Bad input is answered with one sentence that names the function, the argument, the rule and what came."""

from __future__ import annotations

import re
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chapters_src.core import checks


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
        result = checks.matrix("f", "X", value)
        assert type(result) is np.ndarray
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result, [[1.0, 2.0], [3.0, 4.0]])

    def test_booleans_in_an_array_are_zeros_and_ones(self):
        np.testing.assert_array_equal(checks.vector("f", "x", [True, False]), [1.0, 0.0])

    def test_float64_is_not_copied(self):
        value = np.ones((3, 2))
        assert checks.matrix("f", "X", value) is value

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("abc", "f: X must hold real numbers; got 'abc'"),
            (None, "f: X must hold real numbers; got None"),
            ([["a", "b"]], "f: X must hold real numbers; got [['a', 'b']]"),
            ([[1, None]], "f: X must hold real numbers; got [[1, None]]"),
            ({"a": 1}, "f: X must hold real numbers; got {'a': 1}"),
            ([[10**400]], "f: X must hold real numbers; got a list"),
            ([[1j]], "f: X must hold real numbers; got complex numbers"),
            (np.array(["2020-01-01"], dtype="datetime64[D]"), "f: X must hold real numbers; got"),
            ([[1, 2], [3]], "f: X must be a rectangular array of numbers; got [[1, 2], [3]] (setting an"),
            (
                torch.ones(2, 2, requires_grad=True),
                "f: X must be a rectangular array of numbers; got a Tensor",
            ),
            ([], "f: X must not be empty; got shape (0,)"),
            (np.ones((0, 3)), "f: X must not be empty; got shape (0, 3)"),
            ([[1.0, np.nan]], "f: X must be finite; got nan at [0, 1]"),
            ([[1.0], [-np.inf]], "f: X must be finite; got -inf at [1, 0]"),
            ([[np.inf, -np.inf]], "f: X must be finite; got inf at [0, 0]"),
            (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), "f: X must not be masked"),
            (3.0, "f: X must have two axes, shape (n, d); got shape ()"),
            ([1.0, 2.0], "f: X must have two axes, shape (n, d); got shape (2,)"),
            (np.ones((2, 2, 2)), "f: X must have two axes, shape (n, d); got shape (2, 2, 2)"),
        ],
    )
    def test_matrix_refuses(self, value, message):
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            checks.matrix("f", "X", value)

    def test_large_values_are_finite_even_where_their_sum_is_not(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert checks.vector("f", "x", [1.5e308, 1.5e308]).max() == 1.5e308

    @given(
        hnp.arrays(
            np.float64, hnp.array_shapes(max_dims=3, max_side=4), elements=st.floats(allow_subnormal=True)
        )
    )
    def test_finite_is_decided_as_isfinite_does(self, value):
        if np.isfinite(value).all():
            assert checks.array("f", "x", value) is value
        else:
            with pytest.raises(ValueError, match=r"^f: x must be finite; got "):
                checks.array("f", "x", value)


class TestShapes:
    def test_vector_of_a_length(self):
        with pytest.raises(
            ValueError,
            match="^" + re.escape("least_squares: y must have shape (8,), one per row of X; got (7,)") + "$",
        ):
            checks.vector("least_squares", "y", np.ones(7), length=8, per="row of X")
        with pytest.raises(ValueError, match=r"y must have shape \(8,\); got \(8, 1\)$"):
            checks.vector("f", "y", np.ones((8, 1)), length=8)
        with pytest.raises(ValueError, match=r"y must have one axis, shape \(n,\); got shape \(8, 1\)$"):
            checks.vector("f", "y", np.ones((8, 1)))

    def test_matrix_of_given_sides(self):
        assert checks.matrix("f", "W", np.ones((4, 2)), rows=4, columns=2).shape == (4, 2)
        with pytest.raises(
            ValueError, match=r"W must have shape \(4, d\), one per column of X; got \(3, 2\)$"
        ):
            checks.matrix("f", "W", np.ones((3, 2)), rows=4, per="column of X")
        with pytest.raises(ValueError, match=r"W must have shape \(n, 5\); got \(3, 2\)$"):
            checks.matrix("f", "W", np.ones((3, 2)), columns=5)
        with pytest.raises(ValueError, match=r"W must have shape \(3, d\); got \(3,\)$"):
            checks.matrix("f", "W", np.ones(3), rows=3)

    def test_vector_or_matrix(self):
        assert checks.vector_or_matrix("f", "y", np.ones(3), rows=3).shape == (3,)
        assert checks.vector_or_matrix("f", "y", np.ones((3, 2))).shape == (3, 2)
        with pytest.raises(
            ValueError,
            match="^" + re.escape("least_squares: y must have shape (8,), one per row of X; got (7,)") + "$",
        ):
            checks.vector_or_matrix("least_squares", "y", np.ones(7), rows=8, per="row of X")
        with pytest.raises(ValueError, match=r"y must have shape \(8,\) or \(8, k\); got \(7, 2\)$"):
            checks.vector_or_matrix("f", "y", np.ones((7, 2)), rows=8)
        with pytest.raises(ValueError, match=r"y must have shape \(n,\) or \(n, k\); got \(1, 1, 1\)$"):
            checks.vector_or_matrix("f", "y", np.ones((1, 1, 1)))

    def test_same_shape(self):
        assert checks.same_shape("f", "b", [1, 2], as_name="a", shape=(2,)).shape == (2,)
        with pytest.raises(ValueError, match=r"f: b must have shape \(2,\), the shape of a; got \(2, 1\)$"):
            checks.same_shape("f", "b", [[1], [2]], as_name="a", shape=(2,))


class TestNumber:
    @pytest.mark.parametrize(
        "value", [3, 3.0, np.float32(3), np.int64(3), np.array(3.0), torch.tensor(3.0), Fraction(3), True + 2]
    )
    def test_reads_one_number(self, value):
        result = checks.number("f", "lam", value, at_least=0)
        assert type(result) is float
        assert result == 3.0

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (-1, "f: lam must be at least 0 and below 5; got -1"),
            (5, "f: lam must be at least 0 and below 5; got 5"),
            (np.nan, "f: lam must be a finite number at least 0 and below 5; got nan"),
            (np.inf, "f: lam must be a finite number at least 0 and below 5; got inf"),
            (True, "f: lam must be a number at least 0 and below 5; got True"),
            (np.True_, "f: lam must be a number at least 0 and below 5; got np.True_"),
            (None, "f: lam must be a number at least 0 and below 5; got None"),
            ("1", "f: lam must be a number at least 0 and below 5; got '1'"),
            (1j, "f: lam must be a number at least 0 and below 5; got 1j"),
            ([1.0], "f: lam must be a number at least 0 and below 5; got [1.0]"),
            ([[1], [1, 2]], "f: lam must be a number at least 0 and below 5; got [[1], [1, 2]]"),
            (10**400, "f: lam must be a number at least 0 and below 5; got a int"),
        ],
    )
    def test_refuses(self, value, message):
        with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
            checks.number("f", "lam", value, at_least=0, below=5)

    def test_every_bound(self):
        assert checks.number("f", "p", 0.5, above=0, at_most=0.5) == 0.5
        with pytest.raises(ValueError, match=r"p must be above 0 and at most 0.5; got 0$"):
            checks.number("f", "p", 0, above=0, at_most=0.5)
        with pytest.raises(ValueError, match=r"p must be above 0 and at most 0.5; got 0.6$"):
            checks.number("f", "p", 0.6, above=0, at_most=0.5)
        with pytest.raises(ValueError, match=r"^f: p must be a finite number; got -inf$"):
            checks.number("f", "p", -np.inf)


class TestInteger:
    @pytest.mark.parametrize("value", [3, np.int32(3), np.uint8(3)])
    def test_reads(self, value):
        result = checks.integer("f", "n", value, at_least=3, at_most=3)
        assert type(result) is int
        assert result == 3

    @pytest.mark.parametrize("value", [3.0, True, np.True_, "3", None, [3], np.array([3]), 3j])
    def test_refuses_what_is_no_count(self, value):
        with pytest.raises(ValueError, match=r"^f: n must be a whole number at least 1; got "):
            checks.integer("f", "n", value, at_least=1)

    def test_range(self):
        with pytest.raises(ValueError, match=r"^f: n must be at least 1 and at most 9; got 0$"):
            checks.integer("f", "n", 0, at_least=1, at_most=9)
        with pytest.raises(ValueError, match=r"^f: n must be at least 1 and at most 9; got 10$"):
            checks.integer("f", "n", 10, at_least=1, at_most=9)


def test_generator_has_to_be_explicit():
    rng = np.random.default_rng(0)
    assert checks.generator("f", "rng", rng) is rng
    for value in (0, None, np.random, np.random.RandomState(0)):
        with pytest.raises(
            ValueError, match=r"^f: rng must be a numpy.random.Generator, as from default_rng"
        ):
            checks.generator("f", "rng", value)
