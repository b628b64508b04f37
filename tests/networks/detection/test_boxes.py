"""Overlaps by counting pixels, suppression by its definition, average precision by scikit-learn."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, jaccard_score

from chapters_src.networks.detection import (
    Detections,
    Scene,
    average_precision_of,
    class_ious,
    hits,
    iou,
    mean_average_precision,
    non_maximum_suppression,
    pooled_hits,
)

corner = st.integers(0, 9)
box = st.tuples(corner, corner, corner, corner).map(
    lambda c: (min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3]))
)


def pixels(box):
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def counted(a, b):
    a, b = pixels(a), pixels(b)
    return len(a & b) / len(a | b) if a | b else 0.0


@given(a=box, b=box)
@settings(deadline=None, max_examples=200)
def test_iou_by_counting_pixels(a, b):
    assert iou([a], [b])[0, 0] == pytest.approx(counted(a, b))


@given(a=box, b=box, factor=st.floats(0.1, 9), shift=st.floats(-5, 5))
@settings(deadline=None)
def test_iou_has_no_unit_and_no_order(a, b, factor, shift):
    first = iou([a], [b])[0, 0]
    assert iou([b], [a])[0, 0] == pytest.approx(first)
    moved = [[factor * c + shift for c in one] for one in (a, b)]
    assert iou(moved[:1], moved[1:])[0, 0] == pytest.approx(first, abs=1e-9)


def test_iou_edges():
    one = [[0.0, 0, 2, 2]]
    assert iou(one, one) == 1
    assert iou(one, [[2, 0, 4, 2]]) == 0  # side by side
    assert iou(one, [[5, 5, 6, 6]]) == 0  # apart along both axes: two negatives make no area
    assert iou(one, [[0.5, 0.5, 1.5, 1.5]]) == 0.25  # inside
    assert iou([[1.0, 1, 1, 1]], [[1.0, 1, 1, 1]]) == 0  # no area at all
    assert iou(one, [[1, 0, 3, 2]]) == pytest.approx(1 / 3)


def by_definition(boxes, scores, overlap):
    """The one set such that a box is in it exactly if no better box of the set overlaps it too much."""
    n = len(boxes)
    rank = {row: place for place, row in enumerate(sorted(range(n), key=lambda row: (-scores[row], row)))}
    for size in range(n + 1):
        for chosen in combinations(range(n), size):
            free = [
                all(counted(boxes[row], boxes[k]) <= overlap for k in chosen if rank[k] < rank[row])
                for row in range(n)
            ]
            if set(chosen) == {row for row in range(n) if free[row]}:
                return sorted(chosen, key=rank.get)
    raise AssertionError


@given(st.lists(st.tuples(box, st.integers(0, 5)), min_size=1, max_size=6), st.sampled_from([0.0, 0.3, 0.5]))
@settings(deadline=None)
def test_suppression_by_its_definition(rows, overlap):
    boxes, scores = [row[0] for row in rows], [row[1] / 5 for row in rows]
    kept = non_maximum_suppression(np.array(boxes, float), np.array(scores), overlap)
    assert_array_equal(kept, by_definition(boxes, scores, overlap))


def test_suppression_by_hand():
    boxes = np.array([[0.0, 0, 10, 10], [1, 0, 11, 10], [20, 0, 30, 10], [0, 0, 10, 10]])
    assert_array_equal(non_maximum_suppression(boxes, np.array([0.8, 0.9, 0.3, 0.1])), [1, 2])
    assert len(non_maximum_suppression(boxes, np.array([0.8, 0.9, 0.3, 0.1]), overlap=1.0)) == 4


def test_an_object_is_found_once():
    truth = np.array([[0.0, 0, 10, 10], [20, 0, 30, 10]])
    boxes = np.array([[0.0, 0, 10, 9], [0, 0, 10, 10], [20, 0, 30, 4], [50, 50, 60, 60]])
    assert_array_equal(hits(boxes, np.array([0.9, 0.8, 0.7, 0.6]), truth), [True, False, False, False])
    assert_array_equal(hits(boxes, np.array([0.9, 0.8, 0.7, 0.6]), truth, 0.4), [True, False, True, False])


def test_average_precision_by_hand():
    y, score = [1.0, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    assert average_precision_of(y, score, 4) == pytest.approx((1 + 2 / 3 + 3 / 4) / 4)
    assert average_precision_of([0.0, 0], [0.3, 0.2], 3) == 0


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=1, max_size=30), st.integers(0, 5))
@settings(deadline=None)
def test_average_precision_is_scikit_learns_times_the_share_found(rows, missed):
    y, score = (np.array(column, float) for column in zip(*rows, strict=True))
    if y.sum() == 0:
        return
    found = y.sum() / (y.sum() + missed)
    ours = average_precision_of(y, score, int(y.sum()) + missed)
    assert ours == pytest.approx(average_precision_score(y, score) * found)


def two_scenes():
    blank = np.zeros((8, 8))
    scenes = [
        Scene(blank, blank.astype(int), np.array([[0.0, 0, 4, 4], [4, 4, 8, 8]]), np.array([0, 1])),
        Scene(blank, blank.astype(int), np.array([[2.0, 2, 6, 6]]), np.array([0])),
    ]
    found = [
        Detections(np.array([[0.0, 0, 4, 4], [4, 4, 8, 8]]), np.array([0.9, 0.4]), np.array([0, 0])),
        Detections(np.zeros((0, 4)), np.zeros(0), np.zeros(0, int)),
    ]
    return found, scenes


def test_pooled_over_scenes():
    found, scenes = two_scenes()
    y, score, objects = pooled_hits(found, scenes)
    assert_array_equal(y, [1, 1])
    assert objects == 3
    assert_array_equal(pooled_hits(found, scenes, label=0)[0], [1, 0])  # right place, wrong name
    assert pooled_hits(found, scenes, label=1)[2] == 1
    # class 0: one of two found, then a false alarm; class 1: nothing found
    assert mean_average_precision(found, scenes, 2) == pytest.approx((1 / 2 + 0) / 2)
    assert_array_equal(score, [0.9, 0.4])


def test_class_ious_are_scikit_learns():
    rng = np.random.default_rng(0)
    y, y_hat = rng.integers(0, 4, (2, 3, 9, 9))
    assert_allclose(class_ious(y, y_hat, 4), jaccard_score(y.ravel(), y_hat.ravel(), average=None))
    assert_array_equal(class_ious(y, y, 5), [1, 1, 1, 1, 0])


def test_messages():
    with pytest.raises(ValueError, match=r"^iou: A must have left ≤ right and top ≤ bottom; got \[\[2.0"):
        iou([[2.0, 0, 1, 1]], [[0.0, 0, 1, 1]])
    with pytest.raises(ValueError, match=r"^average_precision_of: objects must be at least the 2 that were"):
        average_precision_of([1.0, 1.0], [0.2, 0.1], 1)
    found, scenes = two_scenes()
    with pytest.raises(ValueError, match=r"^pooled_hits: found must be 2, one per scene; got 1"):
        pooled_hits(found[:1], scenes)
    with pytest.raises(ValueError, match=r"^mean_average_precision: scenes must show every class"):
        mean_average_precision(found, scenes, 3)
    with pytest.raises(ValueError, match=r"^class_ious: y_hat must have shape \(2,\), as y has; got \(3,\)"):
        class_ious([0, 1], [0, 1, 1], 2)
