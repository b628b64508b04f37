"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import scipy.optimize

from chapters_src.optimisation.newton import exercises
from tests.verdicts import rejected

# --- a flat minimum


def two_steps(first, second, start=0.0):
    x = start
    for _ in range(2):
        x = x - first(x) / second(x)
    return x


def test_fourth_power_by_running_newton():
    f = np.polynomial.Polynomial.fromroots([3.0] * 4)
    x = two_steps(f.deriv(), f.deriv(2))
    assert exercises.fourth_power.check(x).accepted
    assert exercises.fourth_power.check(1.67).accepted
    assert exercises.fourth_power.check(1.6).accepted is False


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("minimum of a parabola", 3.0),
        ("take another", 1.0),
        ("how far it still is", 4 / 3),
        ("not equally long", 2.0),
        ("which way", -1.0),
        ("With u", 0.5),
    ],
)
def test_fourth_power_wrong(hint, value):
    assert "1.66" not in rejected(exercises.fourth_power, value, hint).message


# --- a step that BFGS leaves out


def test_negative_product_by_example():
    # Down all the way on cos from 0.2 to 1, and the slope falls; a convex function never does that.
    x, there = 0.2, 1.0
    assert np.cos(there) < np.cos(x)
    assert (there - x) * (-np.sin(there) + np.sin(x)) < 0
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(100, 2, 4)):
        assert (a - b) @ (np.exp(a) - np.exp(b)) > 0
    assert exercises.negative_product.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "more so at the end"), ("c", "is enough"), ("d", "values of")]
)
def test_negative_product_wrong(letter, why):
    rejected(exercises.negative_product, letter, why)


# --- the false line


def test_promised_fall():
    assert exercises.promised_fall.false == 3
    assert "minus signs cancel" in exercises.promised_fall.check("3").message


@pytest.mark.parametrize(("line", "why"), [("1", "starts"), ("2", ""), ("4", "false as that is")])
def test_promised_fall_wrong(line, why):
    rejected(exercises.promised_fall, line, why)


# --- backtracking along any direction


def searched(promise, first=1.0, shrink=0.5):
    def backtrack(H, theta, p, c):
        f, g, eta = (lambda t: 0.5 * np.sum(t * (H @ t))), theta @ H, first
        while f(theta + eta * p) > f(theta) + eta * promise(g, p, c) and eta > 1e-18:
            eta *= shrink
        return eta

    return backtrack


def test_backtrack_solution():
    right = searched(lambda g, p, c: c * np.dot(p, g))
    assert exercises.backtrack.check(right).message == "Accepted: 4 cases."


BACKTRACK_WRONG = {
    "what is it along p": searched(lambda g, p, c: -c * g @ g),
    "a product of": searched(lambda g, p, c: -c * p @ p),
    "any fall passes": searched(lambda g, p, c: 0.0),
    "negative already": searched(lambda g, p, c: -c * g @ p),
    "how fast does": searched(lambda g, p, c: c * g @ p, first=0.3),
}


@pytest.mark.parametrize("hint", BACKTRACK_WRONG)
def test_backtrack_wrong(hint):
    rejected(exercises.backtrack, BACKTRACK_WRONG[hint], hint)


# --- a Newton step that overshoots


def test_overshoot_solution_by_scipy():
    start = np.array([-1.0, 1.0])
    step = np.linalg.solve(scipy.optimize.rosen_hess(start), -scipy.optimize.rosen_der(start))
    assert scipy.optimize.rosen(start + step) == pytest.approx(400 * scipy.optimize.rosen(start))
    assert exercises.overshoot.check(start).accepted
    assert exercises.overshoot.check([0.3, 0.1]).accepted is False


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("two finite numbers", [1.0, 2.0, 3.0]),
        ("two finite numbers", [5.0, 25.0]),
        ("positive definite", [0.5, 2.0]),
        ("at least 0.1", [1.0, 1.0]),
        ("200 times as high", [-1.2, 1.0]),
    ],
)
def test_overshoot_wrong(hint, attempt):
    rejected(exercises.overshoot, attempt, hint)


@pytest.mark.parametrize("exercise", [exercises.backtrack, exercises.overshoot])
def test_the_stub_is_not_an_attempt(exercise):
    assert not exercise.check(...).attempted
