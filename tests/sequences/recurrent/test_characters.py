"""Characters as numbers, windows in order, and the task about memory."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from chapters_src.sequences.recurrent import Characters, parallel_windows, recall_task


def test_characters():
    letters = Characters("abc")
    assert letters.encode("cab") == [2, 0, 1] and letters.decode([2, 0, 1]) == "cab" and len(letters) == 3
    with pytest.raises(
        ValueError, match=r"^encode: text must hold characters of the alphabet; got 1 others$"
    ):
        letters.encode("abd")
    for bad in (None, 3, ["a"]):
        with pytest.raises(ValueError, match=r"^encode: text must be a text; got "):
            letters.encode(bad)
    for outside in ([-1], [0, 3]):
        with pytest.raises(ValueError, match=r"^decode: tokens must be from 0 to 2; got others$"):
            letters.decode(outside)


def test_windows_go_on_where_the_last_one_stopped():
    text = np.arange(26)
    pairs = list(islice(parallel_windows(text, 2, 4), 4))
    assert pairs[0][0].T.tolist() == [[0, 1, 2, 3], [13, 14, 15, 16]]
    assert pairs[1][0].T.tolist() == [[4, 5, 6, 7], [17, 18, 19, 20]]
    assert all((y == x + 1).all() for x, y in pairs)
    assert (pairs[3][0] == pairs[0][0]).all(), "then all over again"


def test_windows_must_fit():
    with pytest.raises(
        ValueError, match="parallel_windows: length must leave a window in 5 tokens per stream"
    ):
        parallel_windows(np.arange(10), 2, 5)


def test_recall_task():
    X, y = recall_task(50, 7, 3, np.random.default_rng(0))
    assert X.shape == (8, 50, 6) and (X.sum(axis=2) == 1).all()
    assert (X[0].argmax(axis=1) == y).all() and set(y) == {0, 1, 2}
    assert (X[1:].argmax(axis=2) >= 3).all(), "what follows is of the other alphabet"
