"""Labellings against an enumeration of lines, Cover's formula, and random signs summed exactly."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.evaluation.generalisation import cover_count, labellings, linear_rademacher


def by_directions(X, directions=4000):
    """Project on many directions and cut anywhere: what a line can do, found without a linear program."""
    found = set()
    for angle in np.linspace(0, 2 * np.pi, directions, endpoint=False):
        order = np.argsort(X @ [np.cos(angle), np.sin(angle)])
        for cut in range(len(X) + 1):
            found.add(tuple(np.isin(np.arange(len(X)), order[:cut])))
    return len(found)


def test_lines_in_the_plane():
    X = np.random.default_rng(0).normal(size=(6, 2))
    assert labellings(X) == by_directions(X) == cover_count(6, 2) == 32


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 10**6))
def test_general_position_is_cover(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    assert labellings(X) == cover_count(n, d)


def test_shattering_ends_at_three_points_in_the_plane():
    assert [cover_count(n, 2) for n in (1, 2, 3, 4)] == [2, 4, 8, 14]
    assert labellings(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])) == 6  # on one line, as on a number line
    assert labellings(np.array([[0.0], [0.0]])) == 2  # two points in one place


def test_signs_summed_exactly():
    X = np.random.default_rng(1).normal(size=(5, 3))
    signs = np.array(list(product((-1.0, 1.0), repeat=5)))
    directions = np.random.default_rng(2).normal(size=(20_000, 3))
    directions *= 1.5 / np.linalg.norm(directions, axis=1, keepdims=True)
    best = (signs @ X @ directions.T / 5).max(axis=1).mean()  # the best of many θ instead of the formula
    assert linear_rademacher(X, signs, 1.5) == pytest.approx(best, rel=2e-3)
    assert linear_rademacher(X, signs, 1.5) >= best


def test_it_grows_with_the_radius_and_is_bounded():
    X = np.random.default_rng(3).normal(size=(6, 2))
    signs = np.array(list(product((-1.0, 1.0), repeat=6)))
    assert linear_rademacher(X, signs, 2.0) == pytest.approx(2 * linear_rademacher(X, signs))
    assert linear_rademacher(X, signs) <= np.linalg.norm(X) / 6
    assert linear_rademacher(np.eye(4), signs[:, :4]) == pytest.approx(0.5)  # orthogonal rows: 1/√n
