"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.optimisation.descent import best_rate, convergence_factor, descend, exercises, quadratic
from tests.verdicts import rejected

# --- read the log


def test_read_the_log_by_running():
    f = quadratic(np.array([[6.0]]))
    logged = descend(f, [1.0], 0.3, steps=3, tolerance=0.0).path[:, 0]
    np.testing.assert_allclose(logged, [1, -0.8, 0.64, -0.512])
    assert abs(descend(f, [1.0], exercises.read_the_log.answer, steps=1).theta[0]) < 1e-12
    assert exercises.read_the_log.check(0.1667).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (6, "is the curvature"),
        (1 / 3, "bounce"),
        (1.5, "sign"),
        (2 / 3, "sign"),
        (0.15, "find the curvature"),
    ],
)
def test_read_the_log_wrong(value, hint):
    rejected(exercises.read_the_log, value, hint)


# --- another unit


def test_another_unit_by_computing():
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    before, after = (2 / 4 * M.T @ M for M in (X, X * [1, 1000]))
    assert convergence_factor(before, best_rate(before)) == pytest.approx(0)
    assert np.linalg.cond(after) == pytest.approx(1e6)
    per_digit = np.log(10) / -np.log(convergence_factor(after, best_rate(after)))
    assert per_digit == pytest.approx(1.15e6, rel=0.01)
    assert exercises.another_unit.check("c").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "bowl"), ("b", "squares"), ("d", "serve both")])
def test_another_unit_wrong(letter, why):
    rejected(exercises.another_unit, letter, why)


# --- the false line


def test_other_units():
    assert exercises.other_units.false == 3
    assert "another direction" in exercises.other_units.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", ""), ("4", "false as that is")]
)
def test_other_units_wrong(line, why):
    rejected(exercises.other_units, line, why)


# --- all coordinates at once


def in_place(A, b, eta, steps):
    theta = np.zeros(len(b))
    for _ in range(steps):
        for j in range(len(b)):
            theta[j] -= eta * (A[j] @ theta - b[j])
    return theta


def test_all_at_once_solutions():
    def by_loops(A, b, eta, steps):
        theta = [0.0] * len(b)
        for _ in range(steps):
            g = [sum(a * t for a, t in zip(row, theta, strict=True)) - c for row, c in zip(A, b, strict=True)]
            theta = [t - eta * slope for t, slope in zip(theta, g, strict=True)]
        return np.array(theta)

    def by_the_book(A, b, eta, steps):
        return descend(quadratic(A, b), np.zeros(len(b)), eta, steps=steps, tolerance=0.0).theta

    assert exercises.all_at_once.check(by_loops).message == "Accepted: 4 cases."
    assert exercises.all_at_once.check(by_the_book).accepted


def test_one_after_the_other_converges_too_which_is_why_nobody_notices():
    A, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, -2.0])
    np.testing.assert_allclose(in_place(A, b, 0.2, 200), np.linalg.solve(A, b), atol=1e-10)


def stale_copy(A, b, eta, steps):
    theta = np.zeros(len(b))
    for _ in range(steps):
        old = theta.copy()
        for j in range(len(b)):
            theta[j] = old[j] - eta * (A[j] @ theta - b[j])
    return theta


ALL_AT_ONCE_WRONG = {
    "whole gradient before": in_place,
    "uphill": lambda A, b, eta, steps: descend(quadratic(-A, -b), 0 * b, eta, steps=steps, tolerance=0).theta,
    "where is b": lambda A, b, eta, steps: np.zeros(len(b)),
    "one step too many": lambda A, b, eta, steps: descend(quadratic(A, b), 0 * b, eta, steps=steps + 1).theta,
    "one and the same point": lambda A, b, eta, steps: np.linalg.solve(A, b),
}


@pytest.mark.parametrize("hint", ALL_AT_ONCE_WRONG)
def test_all_at_once_wrong(hint):
    rejected(exercises.all_at_once, ALL_AT_ONCE_WRONG[hint], hint)


def test_a_copy_of_the_wrong_array():
    verdict = exercises.all_at_once.check(stale_copy)
    assert not verdict.accepted and verdict.attempted


# --- the wrong valley


def test_wrong_valley_solutions():
    assert exercises.wrong_valley.check((-1.6, 1.0)).accepted
    assert exercises.wrong_valley.check([-1.5, 1.1]).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (1.0, "Give a pair"),
        ((np.ones(2), 1.0), "Two finite numbers"),
        ((np.nan, 1.0), "finite"),
        ((0.5, 0.1), "left of −1"),
        ((-1.5, -0.1), "positive"),
        ((-1.5, 0.1), "deep valley"),
        ((-1.5, 2.5), "not at rest"),
        ((-1.5, 1.0), "goes up"),
        (("far", 1.0), "could not be checked"),
    ],
)
def test_wrong_valley_wrong(attempt, hint):
    rejected(exercises.wrong_valley, attempt, hint)
