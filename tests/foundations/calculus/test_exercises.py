"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.foundations.calculus import (
    central_difference,
    chord_gap,
    difference_jacobian,
    exercises,
    least_curvature,
)
from tests.verdicts import rejected

# --- the slope on a walk


def hill(x):
    return x[0] ** 2 * x[1]


def test_slope_solution_by_differences():
    here, way = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    slope = central_difference(hill, here, 1e-6, way / 5)
    assert exercises.slope_on_a_walk.answer == pytest.approx(slope, abs=1e-8)
    assert exercises.slope_on_a_walk.check("16/5").accepted
    assert exercises.slope_on_a_walk.check(3.2).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("five units long", np.array([4.0, 1.0]) @ [3, 4]),
        ("the place you walk to", np.array([4.0, 1.0]) @ [4, 6]),
        ("squared length", 16 / 25),
        ("steepest", np.hypot(4, 1)),
        ("are added", 4 + 1),
        ("the whole walk", (hill([4, 6]) - hill([1, 2])) / 5),
        ("First the gradient", 7.0),
    ],
)
def test_slope_wrong(hint, value):
    rejected(exercises.slope_on_a_walk, value, hint)


# --- what stays convex

POINTS = np.linspace(-3, 3, 25)


def worst_chord(f):
    return min(chord_gap(f, np.float64(x), np.float64(y)) for x in POINTS for y in POINTS)


def test_only_the_maximum_stays_convex():
    assert exercises.convex_or_not.check("d").accepted
    assert worst_chord(lambda x: max(x**2, (x - 2) ** 2)) >= -1e-12
    assert worst_chord(lambda x: min(x**2, (x - 2) ** 2)) < -0.1
    assert worst_chord(lambda x: x * -x) < -0.1
    assert worst_chord(lambda x: (x**2 - 1) ** 2) < -0.1


@pytest.mark.parametrize(("letter", "why"), [("a", "two valleys"), ("b", "is a hill"), ("c", "never falls")])
def test_convex_or_not_wrong(letter, why):
    rejected(exercises.convex_or_not, letter, why)


# --- the false line


def test_spread_of_scores():
    assert exercises.spread_of_scores.false == 3
    assert "mixed terms" in exercises.spread_of_scores.check("3").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", ""), ("4", "false as that is")],
)
def test_spread_of_scores_wrong(line, why):
    rejected(exercises.spread_of_scores, line, why)


# --- a Jacobian by differences


def broken(f, x, h=0.01):
    slopes = []
    for j in range(len(x)):
        x[j] += h
        up = f(x)
        x[j] -= 2 * h
        slopes.append((up - f(x)) / (2 * h))
    return np.array(slopes)


def by_rows(f, x, h=0.01):
    x = np.asarray(x, float)
    return np.stack([(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(len(x))], axis=1)


def test_repaired_jacobian_solution():
    assert exercises.repaired_jacobian.check(by_rows).message == "Accepted: 4 cases."
    assert exercises.repaired_jacobian.check(lambda f, x: difference_jacobian(f, x)).accepted

    def restored(f, x, h=0.01):
        x, columns = np.array(x, float), []
        for j in range(len(x)):
            was = x[j]
            x[j] = was + h
            up = f(x)
            x[j] = was - h
            columns.append((up - f(x)) / (2 * h))
            x[j] = was
        return np.column_stack(columns)

    assert exercises.repaired_jacobian.check(restored).accepted


def without_return(f, x, h=0.01):
    x = np.array(x, float)
    return broken(f, x, h).T


REPAIRED_WRONG = {
    "expected shape (3, 2), got shape (2, 3)": broken,
    "this is the transpose": lambda f, x: by_rows(f, x).T,
    "put input j back": without_return,
    "a way of 2h": lambda f, x: 2 * by_rows(f, x),
    "one at a time": lambda f, x: ((f(x + 0.01) - f(x - 0.01)) / 0.02)[:, None],
    "before and after": lambda f, x: np.zeros((len(f(x)), len(x))),
}


@pytest.mark.parametrize("hint", REPAIRED_WRONG)
def test_repaired_jacobian_wrong(hint):
    rejected(exercises.repaired_jacobian, REPAIRED_WRONG[hint], hint)


# --- a chord below the function


def saddle(x):
    return x[0] ** 2 + x[1] ** 2 + 3 * x[0] * x[1]


def test_broken_chord_solution():
    assert least_curvature(saddle, np.array([0.3, 0.1])) == pytest.approx(-1, abs=1e-6)
    assert exercises.broken_chord.check(([0.0, 0.0], [1.0, -1.0])).accepted
    assert exercises.broken_chord.check((np.array([2.0, -3.0]), np.array([-1.0, 0.5]))).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("along an axis", ([0.0, 1.0], [3.0, 1.0])),
        ("along this direction", ([0.0, 0.0], [1.0, 1.0])),
        ("are the same", ([1.0, -1.0], [1.0, -1.0])),
        ("two coordinates each", ([1.0], [2.0])),
        ("finite numbers", ([np.inf, 0.0], [1.0, 2.0])),
        ("Give a pair", [1.0, 2.0, 3.0]),
    ],
)
def test_broken_chord_wrong(hint, attempt):
    rejected(exercises.broken_chord, attempt, hint)
