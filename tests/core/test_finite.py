"""A look at every entry, against numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chapters_src.core.contract import checked
from chapters_src.core.finite import sum_of_squares, unit_of
from chapters_src.core.shapes import Float, ndarray

anything = hnp.arrays(
    st.sampled_from([np.float32, np.float64]),
    hnp.array_shapes(max_dims=3, max_side=5),
    elements=st.floats(width=32, allow_nan=True, allow_infinity=True),
)


@given(anything, st.booleans())
def test_nan_exactly_where_numpy_finds_one(x, turned):
    x = x.T[::-1] if turned else x
    with np.errstate(all="ignore"):
        found = sum_of_squares(x)
    assert np.isnan(found) == np.isnan(x).any()
    assert np.isfinite(x).all() or not np.isfinite(found)


@checked
def inverse(x: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    with np.errstate(all="ignore"):
        return 1 / x * np.where(x == 3, np.nan, 1)


def test_large_numbers_are_finite_though_their_squares_are_not():
    x = np.full(2000, 1e200)
    np.testing.assert_array_equal(inverse(x), 1 / x)
    with pytest.raises(ValueError, match=r"inverse: x must be finite; got inf at \[7\]"):
        inverse(np.where(np.arange(2000) == 7, np.inf, 1e200))


def test_a_result_may_be_infinite_but_not_nan():
    assert np.isinf(inverse(np.zeros(3))).all()
    with pytest.raises(ValueError, match="inverse"):
        inverse(np.array([1.0, 3.0]))


@pytest.mark.parametrize("largest", [5e-324, 1e-160, 0.75, 1.0, 7.0, 1e160, 1.7e308])
def test_a_unit_is_a_power_of_two_just_below_the_largest_entry(largest):
    unit = unit_of(np.array([0.0, -largest, largest / 3]))
    assert unit <= largest < 2 * unit
    assert np.frexp(unit)[0] == 0.5
    assert unit_of(np.zeros(2)) > 0
