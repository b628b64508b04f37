"""The exercises of calibration: solutions pass, stubs do not count, wrong answers get their own hint."""

import numpy as np
import pytest

from chapters_src.evaluation.calibration import calibration_error, exercises
from tests.verdicts import rejected


def test_solutions_are_accepted():
    assert exercises.which_score.check(8).accepted
    assert exercises.what_stays.check("a").accepted
    assert exercises.lost_square.check("3").accepted
    assert exercises.hidden_error.check(([0.55, 0.45], [1, 0])).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [(7, "counts too"), (7.5, "round"), (6, "down"), (2, "smallest"), (9, "suffices"), (10, "excluded")],
)
def test_other_ranks_get_their_hint(answer, hint):
    rejected(exercises.which_score, answer, hint)


def test_a_temperature_can_change_who_is_surer():
    first, second = np.array([2.0, 0, 0]), np.array([3.0, 2.2, -9])

    def sure(a):
        return np.exp(a).max() / np.exp(a).sum()

    assert sure(first) > sure(second) and sure(first / 3) < sure(second / 3)


def test_equal_sizes():
    def solution(p, y, groups):
        total = 0.0
        pairs = sorted(zip(p, y, strict=True))
        for piece in np.array_split(np.array(pairs), groups):
            total += len(piece) * abs(piece[:, 0].mean() - piece[:, 1].mean())
        return total / len(p)

    assert exercises.equal_size_error.check(solution).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda p, y, groups: calibration_error(p, y, groups), "equal width"),
        (lambda p, y, groups: abs(p - y).sum() / p.size, "average inside"),
        (
            lambda p, y, groups: (
                sum(
                    abs(b.sum() - a.sum())
                    for a, b in zip(np.array_split(p, groups), np.array_split(y, groups), strict=True)
                )
                / len(p)
            ),
            "sort",
        ),
    ],
)
def test_wrong_errors_get_their_hint(wrong, hint):
    rejected(exercises.equal_size_error, wrong, hint)


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (([0.9, 0.2], [1, 1]), "wrong side"),
        (([0.9, 0.9], [1, 1]), "With one bin"),
        (([0.95, 0.05], [1, 0]), "With ten bins"),
        (([0.9], [1, 0]), "same length"),
        (3, "two things"),
        (([0.9, 1.2], [1, 1]), "between 0 and 1"),
    ],
)
def test_other_forecasters_get_their_hint(attempt, hint):
    rejected(exercises.hidden_error, attempt, hint)


def test_the_hidden_error_is_the_packages():
    p, y = np.array([0.55, 0.45]), np.array([1.0, 0])
    assert calibration_error(p, y, 1) == pytest.approx(0)
    assert calibration_error(p, y, 10) == pytest.approx(0.45)
