"""Regions: counted exactly, against sampling, closed forms and published numbers; and bad input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.deep import regions
from chapters_src.networks.deep.folds import folding, zigzag
from chapters_src.networks.deep.network import compose, forward, hidden, random_network
from chapters_src.networks.deep.regions import (
    count_pieces,
    deep_lower_bound,
    tiling,
)
from chapters_src.networks.shallow import Layer, cells, exact_pieces, most_regions

shapes = st.lists(st.integers(1, 5), min_size=1, max_size=3)


def network(inputs, widths, seed, outputs=1):
    return random_network([inputs, *widths, outputs], np.random.default_rng(seed), 1.5, 0.7)


# --- one input


@given(widths=shapes, seed=st.integers(0, 10**6), outputs=st.integers(1, 2))
@settings(max_examples=40)
def test_pieces_are_the_network(widths, seed, outputs):
    layers = network(1, widths, seed, outputs)
    found = exact_pieces(layers)
    assert found.joints == sorted(set(found.joints)) and len(found.slope) == len(found.joints) + 1
    inner = [float(j) for j in found.joints]
    x = np.sort(np.concatenate([np.linspace(-9, 9, 60), inner]))
    at = np.searchsorted(inner, x)
    offset, slope = np.array(found.offset, dtype=float), np.array(found.slope, dtype=float)
    ours = offset[at] + slope[at] * x[:, None]
    theirs = forward(layers, x[:, None])
    size = np.abs(offset[at]) + np.abs(slope[at] * x[:, None]) + 1
    assert (np.abs(ours - theirs) <= 1e-9 * size).all()


@given(widths=shapes, seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_neighbours_meet_and_differ(widths, seed):
    found = exact_pieces(network(1, widths, seed))
    for i, joint in enumerate(found.joints):
        left, right = (found.offset[k][0] + found.slope[k][0] * joint for k in (i, i + 1))
        assert left == right and found.slope[i] != found.slope[i + 1]  # exactly: these are fractions


@given(widths=shapes, seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_patterns_are_those_of_the_hidden_units(widths, seed):
    layers = network(1, widths, seed)
    found = exact_pieces(layers, -4, 4, merge=False)
    edges = [Fraction(-4), *found.joints, Fraction(4)]
    for i, pattern in enumerate(found.pattern):
        if edges[i + 1] - edges[i] > Fraction(1, 10**6):  # wide enough for floats to agree on the middle
            middle = float((edges[i] + edges[i + 1]) / 2)
            on = np.concatenate([H[0] > 0 for H in hidden(layers, [[middle]])])
            assert tuple(on.tolist()) == pattern


@given(widths=shapes, seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_counts_stay_below_the_limit(widths, seed):
    layers = network(1, widths, seed)
    limit = int(np.prod([D + 1 for D in widths]))
    everywhere, inside = count_pieces(layers), count_pieces(layers, -1, 1)
    assert 1 <= inside <= everywhere <= len(exact_pieces(layers, merge=False).slope) <= limit


@pytest.mark.parametrize(("D", "K"), [(3, 1), (3, 2), (3, 4), (4, 3), (5, 3), (8, 2)])
def test_the_folding_network_attains_the_limit(D, K):
    assert count_pieces(folding(D, K), 0, 1) == (D + 1) ** K == count_pieces(folding(D, K))


def test_three_slopes_twice_give_nine_regions():
    found = exact_pieces(compose(zigzag(3), zigzag(3)), 0, 1)
    assert found.joints == [Fraction(k, 9) for k in range(1, 9)]
    assert [s[0] for s in found.slope] == [9, -9] * 4 + [9]


@pytest.mark.parametrize(("D", "K"), [(2, 3), (3, 3), (5, 2)])
def test_zigzags_multiply(D, K):
    layers = zigzag(D)
    for _ in range(K - 1):
        layers = compose(layers, zigzag(D))
    assert count_pieces(layers, 0, 1) == D**K


def test_two_layers_of_two_hinges_make_seven_regions_and_no_more():
    """A line meets the path of two hinges twice at most: 2 + 2·2 joints, where the formula would allow 8."""
    first, joints = Layer([[1.0, -1.0]], [0.0, 1.0]), Layer([[-1.0, -1.0], [-1.0, -1.0]], [2.0, 3.0])
    assert count_pieces([first, joints, Layer([[1.0], [1.0]], [0.0])]) == 7
    draw = np.random.default_rng(0)
    most = max(len(exact_pieces(random_network([1, 2, 2, 1], draw, 1.0, 1.0)).slope) for _ in range(800))
    assert most <= 7


def test_hidden_joints_that_cancel_are_no_regions():
    straight = [Layer([[1.0, -1.0]], [0.0, 0.0]), Layer([[1.0], [-1.0]], [0.0])]  # φ(x) − φ(−x) = x
    assert count_pieces(straight) == 1
    assert len(exact_pieces(straight, merge=False).slope) == 2
    assert exact_pieces(straight).slope == [(1,)]


def test_a_unit_that_is_zero_throughout_is_off():
    still = [Layer([[0.0, 1.0]], [0.0, 0.0]), Layer([[1.0], [1.0]], [0.0])]
    assert exact_pieces(still, merge=False).pattern == [(False, False), (False, True)]


def test_a_layer_alone_is_one_piece():
    assert exact_pieces([Layer([[2.0]], [1.0])])[:3] == ([], [(1,)], [(2,)])


# --- two inputs


@given(widths=st.lists(st.integers(1, 4), min_size=1, max_size=2), seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_cells_cover_the_square_and_know_their_patterns(widths, seed):
    layers = network(2, widths, seed)
    found = cells(layers, -2.0, 2.0)
    area = 0.0
    for corners, pattern in found:
        x, y = corners.T
        size = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
        area += size
        if size > 1e-6:  # wide enough for floats to agree on the middle
            states = hidden(layers, corners.mean(axis=0)[None])
            np.testing.assert_array_equal(np.concatenate([H[0] > 0 for H in states]), pattern)
    np.testing.assert_allclose(area, 16.0, rtol=1e-9)


@given(widths=st.lists(st.integers(1, 4), min_size=1, max_size=2), seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_a_fine_grid_finds_no_pattern_that_cells_miss(widths, seed):
    layers = network(2, widths, seed)
    known = {tuple(pattern.tolist()) for _, pattern in cells(layers, -2.0, 2.0)}
    side = np.linspace(-1.99, 1.99, 60)
    X = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    seen = {tuple(row) for row in np.concatenate([H > 0 for H in hidden(layers, X)], axis=1).tolist()}
    assert seen <= known


@pytest.mark.parametrize("D", [1, 2, 5, 8])
def test_lines_in_general_position(D):
    """Σ C(D, j): all crossings lie in a square that is large enough."""
    assert len(cells(network(2, [D], 3), -1e4, 1e4)) == 1 + D + D * (D - 1) // 2 == most_regions(D, 2)


@pytest.mark.parametrize("widths", [(4, 4), (5, 5), (2, 6), (6, 3), (4, 2, 5)])
def test_the_tiling_network_has_what_the_bound_promises(widths):
    assert len(cells(tiling(widths), 0.0, 1.0)) == deep_lower_bound(2, widths)


def test_published_numbers():
    assert most_regions(8, 2) == 37 and most_regions(3, 1) == 4
    assert deep_lower_bound(1, (3, 3)) == 12 < count_pieces(folding(3, 2))
    assert deep_lower_bound(2, (4, 4)) == 44
    assert deep_lower_bound(2, (5, 5)) == 64  # 100 without the floor
    assert most_regions(3, 7) == 8  # at most 2ᴰ, however many inputs


# --- input

LAYERS = [(np.ones((1, 2)), np.ones(2)), (np.ones((2, 1)), np.ones(1))]
GOOD = {
    "exact_pieces": {"layers": LAYERS, "low": -1.0, "high": 1.0},
    "count_pieces": {"layers": LAYERS, "low": -1.0, "high": 1.0},
    "deep_lower_bound": {"inputs": 2, "widths": [4, 4]},
    "tiling": {"widths": [4, 4]},
}
FUNCTIONS = {"exact_pieces": exact_pieces} | {name: getattr(regions, name) for name in regions.__all__}
BAD = {
    "layers": [[], None, "layers", [np.ones((1, 2))], [(np.ones((3, 1)), np.ones(1))], [(np.ones(2), 1.0)]],
    "widths": [[], None, 4, [4, 1], [4, 4.0], ["4"], [0]],
}
BAD_NUMBERS = [np.nan, np.inf, "1", True, 1j, [1.0], object()]


@st.composite
def bad_calls(draw):
    name = draw(st.sampled_from(sorted(GOOD)))
    argument = draw(st.sampled_from(sorted(GOOD[name])))
    more = {"high": [-1.0, -5.0], "low": [], "inputs": [0, -1, 1.0, None]}
    return name, argument, draw(st.sampled_from(BAD.get(argument) or [*BAD_NUMBERS, *more[argument]]))


@settings(max_examples=200)
@given(bad_calls())
def test_bad_input_is_named_in_one_sentence(call):
    name, argument, value = call
    with pytest.raises(ValueError, match=rf"^{name}: {argument}.* must .+; got "):
        FUNCTIONS[name](**{**GOOD[name], argument: value})


def test_no_public_function_is_forgotten_and_none_changes_its_arguments():
    assert set(GOOD) == {"exact_pieces", *regions.__all__}
    kept = [(np.copy(W), np.copy(b)) for W, b in LAYERS]
    for name, arguments in GOOD.items():
        FUNCTIONS[name](**arguments)
    for (W, b), (V, c) in zip(LAYERS, kept, strict=True):
        np.testing.assert_array_equal(W, V)
        np.testing.assert_array_equal(b, c)


def test_a_joint_of_any_output_ends_a_piece():
    two_outputs = [([[1.0, 1.0]], [0.0, -1.0]), (np.eye(2), [0.0, 0.0])]  # φ(x) and φ(x − 1)
    assert count_pieces(two_outputs) == 3
    assert [float(joint) for joint in exact_pieces(two_outputs).joints] == [0.0, 1.0]
