"""The rule of broadcasting against numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations.tensors import broadcast_shape

shapes = st.lists(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=4).map(tuple), max_size=4)


@given(shapes)
def test_as_numpy_does(given_shapes):
    try:
        expected = np.broadcast_shapes(*given_shapes)
    except ValueError:
        with pytest.raises(
            ValueError, match=r"^broadcast_shape: shapes must agree or have length 1 on axis \d"
        ):
            broadcast_shape(*given_shapes)
    else:
        assert broadcast_shape(*given_shapes) == expected


@given(shapes)
def test_order_does_not_matter_and_the_result_absorbs(given_shapes):
    try:
        result = broadcast_shape(*given_shapes)
    except ValueError:
        return
    assert broadcast_shape(*given_shapes[::-1]) == result
    assert all(broadcast_shape(one, result) == result for one in given_shapes)


def test_worked_shapes():
    assert broadcast_shape((3, 1), (4,)) == (3, 4)
    assert broadcast_shape((8, 1, 6), (7, 1)) == (8, 7, 6)
    assert broadcast_shape((5,), (5, 1)) == (5, 5)
    assert broadcast_shape() == ()
    assert broadcast_shape([2, 1], np.array([3])) == (2, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([(5,), (3,)], r"shapes must agree or have length 1 on axis 1 from the right; got 3 and 5"),
        ([(2, 1), (3, 1)], r"shapes must agree or have length 1 on axis 2 from the right; got 2 and 3"),
        ([(2,), 3], "shape 2 must be a sequence of whole numbers; got 3"),
        ([(2.5,)], "shape 1 must be a whole number at least 0; got 2.5"),
        ([(-1,)], "shape 1 must be at least 0; got -1"),
        (["ab"], "shape 1 must be a sequence of whole numbers; got 'ab'"),
    ],
)
def test_what_is_refused(wrong, message):
    with pytest.raises(ValueError, match=f"^broadcast_shape: {message}$"):
        broadcast_shape(*wrong)
