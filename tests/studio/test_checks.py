"""Bad input is answered with one sentence that names the function, the argument, the rule and what came."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from chapters_src.studio import checks


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
