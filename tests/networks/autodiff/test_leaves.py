"""Arrays are read as they are, found in lists and dictionaries, and put back."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.autodiff.leaves import leaf, leaves_of, like, unit_arrays
from chapters_src.networks.autodiff.tracing import plain, shape_of

X = np.arange(6.0).reshape(2, 3)


class TestReading:
    def test_leaf(self):
        assert leaf("x", 3).dtype == np.float64
        x = np.ones(2, np.float32)
        assert leaf("x", x) is x
        huge = np.full(3, 1e308)
        assert leaf("x", huge) is huge  # the sum overflows, the entries do not
        with pytest.raises(ValueError, match=r"^x must be finite; got inf at \[1\]"):
            leaf("x", np.array([1.0, np.inf], np.float32))
        with pytest.raises(ValueError, match=r"^x must not be masked"):
            leaf("x", np.ma.masked_array([1.0, 2.0], [False, True]))

    def test_like_and_plain(self):
        assert like(None, np.ones((2, 3), np.float32)).dtype == np.float32
        assert like(np.ones(2), np.ones(2, np.float32)).dtype == np.float32
        assert plain(X) is X
        assert shape_of(1.0) == ()

    def test_flatten_and_rebuild(self):
        tree = {"a": [1, (2, 3)], "b": 4, "c": []}
        leaves, rebuild = leaves_of(tree)
        assert leaves == [1, 2, 3, 4]
        assert rebuild(leaves) == tree

    def test_unit_arrays(self):
        units = list(unit_arrays(np.ones((2, 2), np.float32)))
        assert len(units) == 4 and {unit.dtype for unit in units} == {np.dtype(np.float32)}
        np.testing.assert_array_equal(sum(units), np.ones((2, 2)))
