"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.foundations.calculus import (
    central_difference,
    chord_gap,
    difference_gradient,
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
        ("not at the origin", np.array([4.0, 1.0]) @ [4, 6] / np.hypot(4, 6)),
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


# --- a gradient in the shape of W


def broken(f, W, h=0.01):
    slopes = []
    for index in np.ndindex(W.shape):
        W[index] += h
        up = f(W)
        W[index] -= 2 * h
        slopes.append((up - f(W)) / (2 * h))
    return np.array(slopes)


def restored(f, W, h=0.01):
    W, slopes = np.array(W, float), np.zeros(W.shape)
    for index in np.ndindex(W.shape):
        was = W[index]
        W[index] = was + h
        up = f(W)
        W[index] = was - h
        slopes[index] = (up - f(W)) / (2 * h)
        W[index] = was
    return slopes


def whole_numbers(f, W, h=0.01):
    slopes = []
    for index in np.ndindex(W.shape):
        up, down = W.copy(), W.copy()
        up[index] += h
        down[index] -= h
        slopes.append((f(up) - f(down)) / (2 * h))
    return np.array(slopes).reshape(W.shape)


def test_repaired_gradient_solution():
    assert exercises.repaired_gradient.check(restored).message == "Accepted: 4 cases."
    assert exercises.repaired_gradient.check(lambda f, W: difference_gradient(f, W)).accepted


def test_the_reference_gradient_against_a_formula():
    W = np.array([[2, 3], [5, 7]])
    cofactors = [[7.0, -5.0], [-3.0, 2.0]]
    np.testing.assert_allclose(exercises.repaired_gradient.answer(np.linalg.det, W), cofactors)


REPAIRED_WRONG = {
    "expected shape (2, 2), got shape (4,)": broken,
    "the shape of what it is taken": lambda f, W: restored(f, W).reshape(-1),
    "this is the transpose": lambda f, W: restored(f, W).T,
    "put each weight back": lambda f, W: broken(f, np.array(W, float)).reshape(W.shape),
    "cuts 2+h to 2": whole_numbers,
    "a way of 2h": lambda f, W: 2 * restored(f, W),
    "one at a time": lambda f, W: np.full(W.shape, (f(W + 0.01) - f(W - 0.01)) / 0.02),
    "before and after": lambda f, W: np.zeros(W.shape),
}


@pytest.mark.parametrize("hint", REPAIRED_WRONG)
def test_repaired_gradient_wrong(hint):
    rejected(exercises.repaired_gradient, REPAIRED_WRONG[hint], hint)


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
