"""Folds: triangle waves, one fold after another, x² to within its bound, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.networks.deep.folds import folding, squaring, wedge, zigzag
from chapters_src.networks.deep.network import compose, forward
from chapters_src.networks.deep.regions import count_pieces
from chapters_src.networks.shallow import parameter_count


@given(pieces=st.integers(1, 6), folds=st.integers(1, 3), x=st.floats(0, 1))
def test_zigzag_is_a_triangle_wave(pieces, folds, x):
    wave = 1 - abs((pieces**folds * x) % 2 - 1)  # 0 at 0, 1 at 1/mᴷ, 0 at 2/mᴷ, …
    np.testing.assert_allclose(forward(zigzag(pieces, folds), [[x]]), [[wave]], atol=1e-9)


def test_folds_of_folds_are_composed():
    x = np.linspace(0, 1, 97)[:, None]
    by_hand = compose(compose(zigzag(3), zigzag(3)), zigzag(3))
    np.testing.assert_allclose(forward(zigzag(3, 3), x), forward(by_hand, x), atol=1e-12)


@pytest.mark.parametrize("width", [3, 4, 5, 8])
def test_one_fold_takes_every_piece_onto_the_whole_interval(width):
    ends = np.array([0, 1 / (2 * width), *(k / width for k in range(1, width + 1))])
    heights = forward(folding(width, 1), ends[:, None])[:, 0]
    np.testing.assert_allclose(heights, np.arange(width + 2) % 2, atol=1e-12)


@pytest.mark.parametrize(("width", "depth"), [(3, 2), (4, 3), (5, 2)])
def test_a_folding_network_is_one_fold_after_another(width, depth):
    x = np.linspace(0, 1, 301)[:, None]
    y = x
    for _ in range(depth):
        y = forward(folding(width, 1), y)
    np.testing.assert_allclose(forward(folding(width, depth), x), y, atol=1e-9)
    counted = sum(W.size + b.size for W, b in folding(width, depth))
    assert counted == parameter_count([1, *[width] * depth, 1])


@pytest.mark.parametrize("folds", [1, 2, 3, 6, 10])
def test_the_square_is_met_at_the_joints_and_missed_by_the_bound_between_them(folds):
    network = squaring(folds)
    joints = np.arange(2**folds + 1)[:, None] / 2**folds
    middles = (joints[1:] + joints[:-1]) / 2
    np.testing.assert_allclose(forward(network, joints), joints**2, atol=1e-15)
    np.testing.assert_allclose(forward(network, middles) - middles**2, 4.0 ** -(folds + 1), rtol=1e-6)
    assert [len(layer.b) for layer in network] == [3] * folds + [1]


@pytest.mark.parametrize("folds", [1, 3, 5])
def test_the_square_has_a_piece_between_any_two_joints(folds):
    assert count_pieces(squaring(folds), 0, 1) == 2**folds


@given(folds=st.integers(0, 5), radius=st.floats(0.1, 3), turn=st.floats(0, 6.28))
def test_a_wedge_keeps_the_radius_and_folds_the_angle(folds, radius, turn):
    point = radius * np.array([[np.cos(turn), np.sin(turn)]])
    ((u, v),) = forward(wedge(folds), point)
    angle = np.pi / 2 / 2**folds
    assert np.hypot(u, v) == pytest.approx(radius)
    assert -1e-9 <= np.arctan2(v, u) <= angle + 1e-9
    # Folding an angle into [0, w] is a triangle wave of period 2w, up to the mirror image of the last fold.
    wave = angle - abs(turn % (2 * angle) - angle)
    assert min(abs(np.arctan2(v, u) - wave), abs(np.arctan2(v, u) - (angle - wave))) < 1e-6
    assert [len(layer.b) for layer in wedge(folds)] == [4] + [3] * folds + [2]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"folding: width must be at least 3; got 2"):
        folding(2, 2)
    with pytest.raises(ValueError, match=r"zigzag: pieces must be at least 1; got 0"):
        zigzag(0)
    with pytest.raises(ValueError, match=r"squaring: folds must be .*; got 0"):
        squaring(0)
