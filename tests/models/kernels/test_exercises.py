"""Answers as a student would write them, right and wrong."""

import math

import numpy as np
import pytest

from chapters_src.models.kernels import exercises, quadratic_features
from tests.verdicts import rejected


def test_features_are_counted_by_the_package():
    assert quadratic_features(np.ones((1, 10))).shape[1] == math.comb(12, 2)
    assert exercises.how_many_features.check("66").accepted


@pytest.mark.parametrize(
    ("answer", "hint"), [(65, "constant"), (111, "one feature"), (55, "alone"), (21, "products"), (6, "two")]
)
def test_other_counts(answer, hint):
    rejected(exercises.how_many_features, answer, hint)


def test_only_one_is_no_kernel():
    assert exercises.which_is_none.check("c").accepted
    for letter in "abd":
        assert not exercises.which_is_none.check(letter).accepted


def test_the_false_line():
    assert exercises.distance_of_features.check("3").accepted
    assert not exercises.distance_of_features.check("2").accepted


def test_nearest_mean_with_explicit_sums():
    def solution(k_new, K, y):
        answers = []
        for row in k_new:
            distance = {}
            for sign in (1.0, -1.0):
                members = [i for i in range(len(y)) if y[i] == sign]
                cross = sum(row[i] for i in members) / len(members)
                own = sum(K[i, j] for i in members for j in members) / len(members) ** 2
                distance[sign] = own - 2 * cross
            answers.append(1.0 if distance[1.0] <= distance[-1.0] else -1.0)
        return np.array(answers)

    assert exercises.nearest_mean.check(solution).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda k_new, K, y: np.sign(k_new[:, y > 0].mean(1) - k_new[:, y < 0].mean(1)), "mᵀm"),
        (lambda k_new, K, y: np.sign(k_new @ y), "larger than the other"),
        (lambda k_new, K, y: y[np.argmax(k_new, axis=1)], "nearest example"),
    ],
)
def test_other_means(wrong, hint):
    rejected(exercises.nearest_mean, wrong, hint)


def test_a_row_of_points_breaks_it():
    row = np.column_stack([0.6 * np.arange(6), np.zeros(6)])
    assert exercises.no_kernel.check(row).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (np.zeros((3, 2)), "least eigenvalue is"),
        (np.zeros((9, 2)), "at most eight"),
        (np.zeros(4), "two coordinates"),
        ([[np.inf, 0.0]], "finite"),
        ("points", "array of numbers"),
    ],
)
def test_other_points(attempt, hint):
    rejected(exercises.no_kernel, attempt, hint)
