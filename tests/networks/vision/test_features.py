"""Features made by hand: against loops, and what they do not notice."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.vision import edge_directions, oriented_gradients

rng = np.random.default_rng(0)


def by_loops(image, cell, bins):
    """One pixel at a time, with math alone."""
    h, w = len(image), len(image[0])
    H = np.zeros((h // cell, w // cell, bins))
    for i in range(h):
        for j in range(w):
            up, down = max(i - 1, 0), min(i + 1, h - 1)
            left, right = max(j - 1, 0), min(j + 1, w - 1)
            gy = (image[down][j] - image[up][j]) / (down - up)
            gx = (image[i][right] - image[i][left]) / (right - left)
            place = math.fmod(math.atan2(gy, gx) + math.pi, math.pi) / math.pi * bins
            low = int(place) % bins
            share = place - int(place)
            H[i // cell, j // cell, low] += math.sqrt(gx**2 + gy**2) * (1 - share)
            H[i // cell, j // cell, (low + 1) % bins] += math.sqrt(gx**2 + gy**2) * share
    return H / math.sqrt((H**2).sum())


@pytest.mark.parametrize(
    ("h", "w", "cell", "bins"), [(8, 12, 4, 8), (6, 6, 3, 5), (6, 4, 1, 2), (7, 7, 7, 9)]
)
def test_against_loops(h, w, cell, bins):
    images = rng.uniform(size=(2, h, w))
    found = oriented_gradients(images, cell, bins)
    assert found.shape == (2, h // cell, w // cell, bins)
    for image, ours in zip(images, found, strict=True):
        np.testing.assert_allclose(ours, by_loops(image, cell, bins), atol=1e-12)


def test_a_ramp_votes_for_one_direction():
    ramp = np.arange(8.0)[None, None, :] + np.zeros((1, 8, 1))  # brighter to the right: direction 0
    found = oriented_gradients(ramp, cell=8, bins=4)[0, 0, 0]
    np.testing.assert_allclose(found, [1, 0, 0, 0], atol=1e-12)
    length, angle = edge_directions(ramp)
    np.testing.assert_allclose(length, 1)
    np.testing.assert_allclose(angle, 0)


def test_a_direction_between_two_bins_is_shared():
    i, j = np.mgrid[:8, :8].astype(float)
    slanted = (i + j)[None]  # 45 degrees, half-way between 0 and 90
    np.testing.assert_allclose(oriented_gradients(slanted, 8, 2)[0, 0, 0], [0.5**0.5, 0.5**0.5])


def test_no_edges_no_features():
    np.testing.assert_array_equal(oriented_gradients(np.full((1, 8, 8), 0.3)), 0)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 5), st.floats(-3, 3), st.sampled_from([-1, 1]), st.integers(0, 10**6))
def test_brightness_contrast_and_sign_are_not_noticed(scale, constant, sign, seed):
    image = np.random.default_rng(seed).uniform(size=(1, 8, 8))
    changed = sign * scale * image + constant
    np.testing.assert_allclose(oriented_gradients(changed), oriented_gradients(image), atol=1e-9)


def test_a_quarter_turn_turns_cells_and_directions():
    image = rng.uniform(size=(8, 8))
    turned = oriented_gradients(np.rot90(image)[None], 4, 8)[0]
    expected = np.roll(np.rot90(oriented_gradients(image[None], 4, 8)[0]), 4, axis=-1)
    np.testing.assert_allclose(turned, expected, atol=1e-12)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="oriented_gradients: cell must divide 8 and 8; got 3"):
        oriented_gradients(np.zeros((1, 8, 8)), 3)
    with pytest.raises(
        ValueError, match="edge_directions: images must have two rows and two columns or more"
    ):
        edge_directions(np.zeros((1, 1, 8)))
