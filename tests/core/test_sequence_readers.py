"""Sequences and things to loop over, as declared functions read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.core.contract import checked
from chapters_src.core.readers import between
from chapters_src.core.related_readers import within


@checked(tokens=between(-1, 9))
def total(tokens: Sequence[int]) -> int:
    return sum(tokens)


@checked
def joined(words: Sequence[str], again: Iterable[int] = ()) -> str:
    return "".join(words) * (1 + len(list(again)))


@checked(k=within(1, lambda seen: len(seen["words"])))
def first(words: Sequence[str], k: int) -> list[str]:
    return list(words[:k])


@given(st.lists(st.integers(-1, 9)))
def test_lists_arrays_and_tensors_are_the_same(tokens):
    for kind in (list, tuple, lambda x: np.array(x, dtype=int), lambda x: torch.tensor(x, dtype=torch.long)):
        assert total(kind(tokens)) == sum(tokens)


@given(
    st.lists(st.integers(-1, 9), min_size=5),
    st.integers(0, 4),
    st.sampled_from([-2, 10, 2.0, True, "1", None]),
)
def test_one_that_is_wrong_is_found(tokens, at, wrong):
    tokens[at] = wrong
    with pytest.raises(ValueError, match=r"^total: tokens must be .*at least -1 and at most 9; got "):
        total(tokens)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: total("12"), "total: tokens must be a sequence of whole numbers; got '12'"),
        (lambda: total({1, 2}), "total: tokens must be a sequence of whole numbers"),
        (lambda: total(3), "total: tokens must be a sequence of whole numbers; got 3"),
        (lambda: total(torch.ones(2, device="meta")), "total: tokens must be a sequence of whole numbers"),
        (lambda: total(np.array(3)), "total: tokens must be a sequence of whole numbers"),
        (lambda: total([[1], [2]]), r"total: tokens must be a whole number .*; got \[1\]"),
        (lambda: joined("ab"), "joined: words must be a sequence of texts; got 'ab'"),
        (lambda: joined(["a", 1]), "joined: words must be a text; got 1"),
        (lambda: joined(["a"], 3), "joined: again must be something to loop over; got 3"),
        (lambda: first(["a", "b"], 3), "first: k must be at least 1 and at most 2; got 3"),
        (lambda: first(k=3, words=["a", "b"]), "first: k must be at least 1 and at most 2; got 3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
