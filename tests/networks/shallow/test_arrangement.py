"""Regions counted by deletion, by Euler's formula, by linear programming and by looking."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from chapters_src.networks.shallow.arrangement import cells, count_cells, most_regions
from chapters_src.networks.shallow.network import Network, active

seeds = st.integers(0, 2**32 - 1)
small = st.integers(-2, 2)


def feasible_patterns(W, b):
    """Sign patterns with an open region: for each, the largest margin within a big box, by a solver."""
    D = len(b)
    found = 0
    for signs in product((-1, 1), repeat=D):
        s = np.array(signs)
        if any(not W[:, d].any() and s[d] * b[d] < 0 for d in range(D)):
            continue
        rows = [d for d in range(D) if W[:, d].any()]
        if any(not W[:, d].any() and b[d] == 0 and s[d] < 0 for d in range(D)):
            continue
        norms = np.linalg.norm(W[:, rows], axis=0)
        A = np.column_stack([-(s[rows] * W[:, rows]).T, norms])  # s(w·x + b) ≥ margin·‖w‖
        outcome = linprog(
            [*np.zeros(len(W)), -1.0],
            A_ub=A,
            b_ub=s[rows] * b[rows],
            bounds=[(-1e4, 1e4)] * len(W) + [(0, 1)],
        )
        found += bool(outcome.status == 0 and -outcome.fun > 1e-7)
    return found


def euler(W, b):
    """1 + lines + Σ over meeting points of (lines through it − 1), for distinct lines of the plane."""
    lines = {}
    for (u, v), c in zip(W.T.tolist(), b.tolist(), strict=True):
        if u or v:
            lead = Fraction(u) if u else Fraction(v)
            lines[(Fraction(u) / lead, Fraction(v) / lead, Fraction(c) / lead)] = None
    through = {}
    for one, two in combinations(lines, 2):
        det = one[0] * two[1] - one[1] * two[0]
        if det:
            x = (one[1] * two[2] - two[1] * one[2]) / det
            y = (two[0] * one[2] - one[0] * two[2]) / det
            through.setdefault((x, y), set()).update((one, two))
    return 1 + len(lines) + sum(len(met) - 1 for met in through.values())


class TestCount:
    @settings(max_examples=60)
    @given(st.integers(1, 9), st.data())
    def test_any_lines_against_euler(self, D, draw):
        """Small whole numbers, so that lines are often parallel, equal, missing or meet in one point."""
        W = np.array([[draw.draw(small) for _ in range(D)] for _ in range(2)], dtype=float)
        b = np.array([draw.draw(small) for _ in range(D)], dtype=float)
        assert count_cells(W, b) == euler(W, b)

    @settings(max_examples=12, deadline=None)
    @given(st.integers(1, 3), st.integers(1, 5), st.data())
    def test_any_dimension_against_a_solver(self, d, D, draw):
        W = np.array([[draw.draw(small) for _ in range(D)] for _ in range(d)], dtype=float)
        b = np.array([draw.draw(small) for _ in range(D)], dtype=float)
        assert count_cells(W, b) == feasible_patterns(W, b)

    @settings(max_examples=30)
    @given(seeds, st.integers(1, 4), st.integers(1, 7))
    def test_general_position_attains_the_most(self, seed, d, D):
        rng = np.random.default_rng(seed)
        assert count_cells(rng.standard_normal((d, D)), rng.standard_normal(D)) == most_regions(D, d)

    @pytest.mark.parametrize(
        ("D", "d", "regions"),
        [(3, 1, 4), (3, 2, 7), (3, 3, 8), (8, 2, 37), (4, 2, 11), (0, 5, 1), (5, 9, 32)],
    )
    def test_known_counts(self, D, d, regions):
        assert most_regions(D, d) == regions

    def test_pascal(self):
        for D, d in product(range(1, 9), range(2, 5)):
            assert most_regions(D, d) == most_regions(D - 1, d) + most_regions(D - 1, d - 1)
            assert most_regions(D, d) == sum(comb(D, j) for j in range(d + 1))

    def test_special_positions(self):
        parallel = np.array([[1.0] * 5, [2.0] * 5])
        assert count_cells(parallel, np.arange(5.0)) == 6
        star = np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, -1.0]])
        assert count_cells(star, np.zeros(4)) == 8
        assert count_cells(np.zeros((2, 3)), np.ones(3)) == 1
        assert count_cells(np.array([[1.0, -2.0], [1.0, -2.0]]), np.array([1.0, -2.0])) == 2  # one line twice


def one_layer(W, b):
    return [(W, b), (np.ones((len(b), 1)), np.zeros(1))]


def area(corners):
    x, y = corners.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


class TestCells:
    @settings(max_examples=40)
    @given(seeds, st.integers(1, 9))
    def test_they_tile_the_square_and_know_their_pattern(self, seed, D):
        rng = np.random.default_rng(seed)
        W, b = rng.standard_normal((2, D)), rng.standard_normal(D)
        found = cells(one_layer(W, b), -2.0, 2.0)
        assert sum(area(cell.corners) for cell in found) == pytest.approx(16.0)
        assert len({tuple(cell.pattern) for cell in found}) == len(found)
        network = Network(W, b, np.ones((D, 1)), [0.0])
        for cell in found:
            assert area(cell.corners) > 0  # anticlockwise
            centre = cell.corners.mean(axis=0)
            np.testing.assert_array_equal(active(network, centre[None])[0], cell.pattern)
            edges = np.diff(np.vstack([cell.corners, cell.corners[:2]]), axis=0)
            turns = edges[:-1, 0] * edges[1:, 1] - edges[:-1, 1] * edges[1:, 0]
            assert (turns >= -1e-9).all()  # convex

    @settings(max_examples=20)
    @given(seeds, st.integers(1, 7))
    def test_a_large_square_sees_all_regions(self, seed, D):
        rng = np.random.default_rng(seed)
        W, b = rng.integers(-3, 4, (2, D)).astype(float), rng.integers(-3, 4, D).astype(float)
        assert len(cells(one_layer(W, b), -1e4, 1e4)) == count_cells(W, b)

    def test_units_that_are_always_on_or_off(self):
        (cell,) = cells(one_layer(np.zeros((2, 2)), np.array([1.0, 0.0])))
        assert cell.pattern.tolist() == [True, False]
        (cell,) = cells(
            one_layer(np.array([[1.0], [0.0]]), np.array([-1.0]))
        )  # the joint is the square's own edge
        assert cell.pattern.tolist() == [False]
        assert area(cell.corners) == 4.0

    @settings(max_examples=15)
    @given(seeds, st.lists(st.integers(1, 4), min_size=2, max_size=3))
    def test_several_layers_against_torch(self, seed, widths):
        """The cells tile the square, and every pattern that torch sees on a grid is one of theirs."""
        rng = np.random.default_rng(seed)
        sizes = [2, *widths, 1]
        layers = [(rng.standard_normal(pair), rng.standard_normal(pair[1])) for pair in pairwise(sizes)]
        found = cells(layers, -2.0, 2.0)
        assert sum(area(cell.corners) for cell in found) == pytest.approx(16.0)
        side = np.linspace(-1.99, 1.99, 40)
        X = torch.tensor(np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2))
        on = []
        for W, b in layers[:-1]:
            X = torch.relu(X @ torch.tensor(W) + torch.tensor(b))
            on.append(X > 0)
        seen = {tuple(row) for row in torch.cat(on, dim=1).tolist()}
        assert seen <= {tuple(cell.pattern.tolist()) for cell in found}

    def test_a_second_layer_folds(self):
        """φ(x₁ − ½) of φ(x₁) bends at ½ only, where the first unit is on: two joints, three strips."""
        first, second = (np.array([[1.0], [0.0]]), np.zeros(1)), (np.ones((1, 1)), np.array([-0.5]))
        found = cells([first, second, (np.ones((1, 1)), np.zeros(1))])
        assert sorted(cell.pattern.tolist() for cell in found) == [
            [False, False],
            [True, False],
            [True, True],
        ]
        assert sorted(area(cell.corners) for cell in found) == [1.0, 1.0, 2.0]

    def test_three_inputs_are_refused(self):
        with pytest.raises(ValueError, match="cells: layers must take two inputs; got 3"):
            cells(one_layer(np.ones((3, 2)), np.ones(2)))
