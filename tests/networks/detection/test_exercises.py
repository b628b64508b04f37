"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from chapters_src.networks.convolution import transposed_convolution
from chapters_src.networks.detection import exercises
from tests.verdicts import rejected

# --- everything said twice


def test_said_twice_by_scikit_learn():
    assert exercises.said_twice.check(average_precision_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (1.0, "false alarm"),
        (0.5, "not at the end"),
        (0.75, "where the second one is found"),
        (5 / 12, "number of objects"),
        (2 / 3, "first one was found at precision 1"),
    ],
)
def test_said_twice_wrong(answer, hint):
    rejected(exercises.said_twice, answer, hint)


# --- a stamp of five


def test_stamp_of_five_by_laying_it_down():
    stamp, uniform = np.array([1.0, 2, 3, 2, 1]), []
    for stride in (2, 3, 4, 5):
        laid = transposed_convolution(np.ones((1, 1, 1, 12)), stamp[None, None, None], stride)[0, 0, 0]
        uniform.append(np.ptp(laid[6:-6]) == 0)
    assert uniform == [False, True, False, False]
    assert exercises.stamp_of_five.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "in turn"), ("c", "2, 2, 3, 2"), ("d", "equal weights")])
def test_stamp_of_five_wrong(letter, why):
    rejected(exercises.stamp_of_five, letter, why)


# --- the false line


def test_false_line():
    assert exercises.moved_both_ways.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.moved_both_ways.check(line).accepted


# --- hits


def once_each(overlaps, scores, least):
    free = set(range(len(overlaps[0])))
    answer = [0] * len(scores)
    for _, row in sorted(zip(scores, range(len(scores)), strict=True), key=lambda pair: -pair[0]):
        fitting = [(overlaps[row][k], k) for k in free if overlaps[row][k] >= least]
        if fitting:
            answer[row] = 1
            free.remove(max(fitting)[1])
    return answer


def test_hits_right():
    assert exercises.repaired_hits.check(once_each).accepted


def test_hits_not_attempted():
    assert not exercises.repaired_hits.check(lambda overlaps, scores, least: ...).accepted
    assert not exercises.chain_of_boxes.check(...).attempted


def as_given(overlaps, scores, least):
    found = np.zeros(len(scores))
    for row in np.argsort(-np.array(scores)):
        if max(overlaps[row]) >= least:
            found[row] = 1
    return found


def in_list_order(overlaps, scores, least):
    return once_each(overlaps, [-k for k in range(len(scores))], least)


def first_choice_only(overlaps, scores, least):
    taken, found = [], [0] * len(scores)
    for row in np.argsort(-np.array(scores)):
        k = int(np.argmax(overlaps[row]))
        if overlaps[row][k] >= least and k not in taken:
            found[row] = 1
            taken.append(k)
    return found


def above_only(overlaps, scores, least):
    return once_each(overlaps, scores, least + 1e-6)


def by_score(overlaps, scores, least):
    return [once_each(overlaps, scores, least)[row] for row in np.argsort(-np.array(scores))]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (as_given, "cannot be found again"),
        (in_list_order, "chooses first"),
        (first_choice_only, "another free one"),
        (above_only, "exactly the least"),
        (by_score, "order of the boxes"),
    ],
)
def test_hits_wrong(wrong, hint):
    rejected(exercises.repaired_hits, wrong, hint)


# --- a chain of boxes


def test_chain_right():
    assert exercises.chain_of_boxes.check([[0, 0, 10, 5], [3, 0, 13, 5], [6, 0, 16, 5]]).accepted
    assert exercises.chain_of_boxes.check([[0, 0, 8, 10], [0, 2, 8, 12], [0, 4, 8, 14]]).accepted


@pytest.mark.parametrize(
    ("boxes", "hint"),
    [
        ([[0, 0, 10, 5], [5, 0, 15, 5], [6, 0, 16, 5]], "must fall to the first"),
        ([[0, 0, 10, 5], [1, 0, 11, 5], [9, 0, 19, 5]], "must fall to the second"),
        ([[0, 0, 10, 5], [1, 0, 11, 5], [2, 0, 12, 5]], "must spare the third"),
        ([[0, 0, 10, 5], [1, 0, 11, 5]], "three boxes"),
        ([[0, 0, -1, 5], [1, 0, 11, 5], [2, 0, 12, 5]], "left < right"),
    ],
)
def test_chain_wrong(boxes, hint):
    rejected(exercises.chain_of_boxes, boxes, hint)
