"""Regions of classes against the logits at random points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.path import Path

from chapters_src.models.softmax import class_region

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def area(corners):
    x, y = corners.T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


@given(seed=st.integers(0, 2**32 - 1), K=st.integers(1, 6))
def test_regions_tile_the_square_and_hold_their_class(seed, K):
    rng = np.random.default_rng(seed)
    W, points = rng.normal(size=(3, K)), rng.uniform(-1, 1, (200, 2))
    regions = [class_region(W, k, SQUARE) for k in range(K)]
    assert sum(area(region) for region in regions if len(region)) == pytest.approx(4)
    logits = np.column_stack([np.ones(200), points]) @ W
    ordered = np.sort(logits, axis=1)
    clear = np.ones(200, bool) if K == 1 else ordered[:, -1] - ordered[:, -2] > 1e-6
    for k, region in enumerate(regions):
        inside = Path(region).contains_points(points) if len(region) > 2 else np.zeros(200, bool)
        edge = Path(region).contains_points(points, radius=1e-3) if len(region) > 2 else inside
        own = logits.argmax(axis=1) == k
        assert (inside <= own)[clear].all()
        assert (own <= inside | edge | ~clear).sum() >= 198  # matplotlib's rim is not exact


def test_a_worked_region():
    W = np.array([[0.0, 0.0], [1.0, -1.0], [0.0, 0.0]])  # a₀ > a₁ where x₁ > 0
    right = class_region(W, 0, SQUARE)
    assert sorted(map(tuple, right.tolist())) == [(0, -1), (0, 1), (1, -1), (1, 1)]
    assert area(class_region(W, 1, SQUARE)) == 2


def test_a_class_that_never_leads_has_no_corners():
    W = np.array([[0.0, -9.0], [1.0, 1.0], [0.0, 0.0]])
    assert class_region(W, 1, SQUARE).shape == (0, 2)
    np.testing.assert_array_equal(class_region(W, 0, SQUARE), SQUARE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: class_region(np.zeros((3, 2)), 2, SQUARE), "k must be a class number from 0 to 1; got 2"),
        (lambda: class_region(np.zeros((3, 2)), -1, SQUARE), "k must be a class number from 0 to 1; got -1"),
        (lambda: class_region(np.zeros((2, 2)), 0, SQUARE), "class_region: W must have shape (3, K)"),
        (lambda: class_region(np.zeros((3, 2)), 0, SQUARE[:, :1]), "corners must have shape (m, 2)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call()
    assert message in str(caught.value)
