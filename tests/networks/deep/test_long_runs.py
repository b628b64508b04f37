"""Targets made by composition: what they are, that training lowers what is left, and the stored record."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.data.records import record
from chapters_src.networks.deep.long_runs import JOINS, tree_of_pairs, unexplained_tree, unexplained_zigzag
from chapters_src.networks.shallow import parameter_count

torch.set_num_threads(1)


def test_trees_by_hand():
    X = torch.tensor([[1.0, -2.0, 0.5, 4.0], [0.0, 0.0, 0.0, 1.0]])
    assert tree_of_pairs(X, "difference").tolist() == [[0.5], [1.0]]  # ||1 + 2| − |0.5 − 4|| = 0.5
    assert tree_of_pairs(X, "maximum").tolist() == [[2.0], [0.0]]  # max(max(1, 2), −max(0.5, −4)) = 2
    assert tree_of_pairs(X, "product").tolist() == [[-4.0], [0.0]]


def test_before_training_nothing_is_explained_and_after_it_more():
    start, short, long = (unexplained_zigzag(20, 1, steps, seed(0), count=3) for steps in (0, 100, 1500))
    assert start.min() > 0.9 and np.median(long) < np.median(short) < np.median(start)
    assert (np.diff(long) >= 0).all() and long.shape == (3,)


def test_the_tree_is_learned_better_from_more_examples():
    few, new = (
        unexplained_tree("difference", 8, 40, 1, 600, seed(0), known, count=3) for known in (50, None)
    )
    assert new.max() < few.min()


def test_the_same_seed_gives_the_same_runs():
    one, two = (unexplained_tree("product", 4, 5, 2, 20, seed(4), count=2) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_the_first_lines_of_the_record_are_what_the_code_finds():
    """The shortest stored run again: networks this shallow, after this few steps, agree to two digits."""
    stored = record("depth")["runs"]["zigzag"][0]
    again = unexplained_zigzag(stored["width"], stored["depth"], stored["steps"], seed(0))
    np.testing.assert_allclose(again, stored["left"], atol=0.05)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"unexplained_zigzag: width must be at least 1; got 0"):
        unexplained_zigzag(0, 1, 1, seed(0))
    with pytest.raises(ValueError, match=r"unexplained_tree: known must be at least 1; got 0"):
        unexplained_tree("product", 2, 1, 1, 1, seed(0), known=0)
    with pytest.raises(ValueError, match=r"unexplained_tree: inputs must be a power of two; got 6"):
        unexplained_tree("product", 6, 1, 1, 1, seed(0))
    with pytest.raises(ValueError, match=r"tree_of_pairs: X must have 1, 2, 4, 8, … columns; got 3"):
        tree_of_pairs(torch.zeros(2, 3), "difference")


def test_the_record_holds_every_tree_and_both_depths_with_about_as_many_parameters():
    stored = record("depth")["runs"]["tree"]
    kinds = {(r["join"], r["inputs"], r["known"], r["depth"]) for r in stored}
    new = {(j, d, None, K) for j in JOINS for d in (4, 8) for K in (1, 3)}
    assert kinds == new | {("difference", 8, 2000, K) for K in (1, 3)}
    assert all(1400 < parameter_count([r["inputs"], *[r["width"]] * r["depth"], 1]) <= 1500 for r in stored)
