"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src import data
from chapters_src.models.generalised import POISSON, exercises, fit_glm, fit_perceptron
from tests.verdicts import rejected

# --- the first step


def test_first_step_by_running_it():
    y, theta = np.array([0.0, 4.0]), 0.0
    mean = np.exp(theta)
    theta = np.average(theta + (y - mean) / mean)
    assert exercises.first_step.check(theta).accepted
    assert exercises.first_step.check(1.02).accepted is False


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("where the steps end", np.log(2)),
        ("mean of the counts", 2.0),
        ("not 2", 0.5),
        ("after the step", np.e),
        ("first hour alone", -1.0),
        ("second hour alone", 3.0),
        ("mean and weight are both", 0.1),
    ],
)
def test_first_step_wrong(hint, value):
    rejected(exercises.first_step, value, hint)


# --- the forgotten months


def test_forgotten_months_by_fitting():
    table = data.ships()
    kind, year, period, months = table.X.T
    dummies = [kind == k for k in range(1, 5)] + [year == y for y in (1965, 1970, 1975)]
    X = np.column_stack([np.ones(34), *dummies, period == 1975]).astype(float)
    forgotten = fit_glm(X, table.y, POISSON).theta
    remembered = fit_glm(X, table.y, POISSON, offset=np.log(months)).theta
    assert remembered[1] == pytest.approx(-0.54, abs=0.005)
    assert forgotten[1] == pytest.approx(1.8, abs=0.05)
    assert forgotten[1] == max(forgotten[1:5].max(), 0)  # no other type, nor A at 0, looks as dangerous
    assert (table.y[kind == 1].sum(), table.y.sum()) == (253, 356)
    assert (months[kind == 1].sum(), months.sum()) == (138_317, 163_574)
    assert exercises.forgotten_months.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "They had not"), ("c", "moves the mean"), ("d", "about 5.5")]
)
def test_forgotten_months_wrong(letter, why):
    rejected(exercises.forgotten_months, letter, why)


# --- the false line


def test_exposed_gradient():
    assert exercises.exposed_gradient.false == 3
    assert "same say" in exercises.exposed_gradient.check("3").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("4", "false as that is")],
)
def test_exposed_gradient_wrong(line, why):
    rejected(exercises.exposed_gradient, line, why)


# --- the perceptron that predicts with its first weights


def by_matrix(X, y, passes):
    """The same in other words: signed rows, corrected while the score is not on its side."""
    theta = np.zeros(X.shape[1])
    for _ in range(passes):
        for i in range(len(X)):
            score = X[i] @ theta
            if (y[i] > 0 and score <= 0) or (y[i] < 0 and score > 0):
                theta += y[i] * X[i]
    return theta


def test_repaired_perceptron_solution():
    assert exercises.repaired_perceptron.check(by_matrix).message == "Accepted: 3 cases."
    assert exercises.repaired_perceptron.check(
        lambda X, y, passes: fit_perceptron(X, y, passes).theta
    ).accepted


def as_printed(X, y, passes):
    theta_0 = theta = np.zeros(X.shape[1])
    for _ in range(passes):
        for x_i, y_i in zip(X, y, strict=True):
            guess = 1 if theta_0 @ x_i > 0 else -1
            if guess != y_i:
                theta = theta + y_i * x_i
    return theta


def batch(X, y, passes):
    theta = np.zeros(X.shape[1])
    for _ in range(passes):
        old = theta
        for x_i, y_i in zip(X, y, strict=True):
            if (1 if old @ x_i > 0 else -1) != y_i:
                theta = theta + y_i * x_i
    return theta


REPAIRED_WRONG = {
    "first weights": as_printed,
    "already right": lambda X, y, passes: sum((y @ X for _ in range(passes)), np.zeros(X.shape[1])),
    "meets the new weights": batch,
    "twice that": lambda X, y, passes: by_matrix(X, y, passes) + by_matrix(X, y, passes),
    "which θ has made the mistake": lambda X, y, passes: np.zeros(X.shape[1]),
}


@pytest.mark.parametrize("hint", REPAIRED_WRONG)
def test_repaired_perceptron_wrong(hint):
    rejected(exercises.repaired_perceptron, REPAIRED_WRONG[hint], hint)


# --- counts without a best fit


@pytest.mark.parametrize(
    "attempt",
    [
        (np.array([[1.0, 0], [1, 0], [1, 1]]), np.array([7.0, 9, 0])),
        (np.column_stack([np.ones(5), np.arange(5.0)]), np.array([0.0, 0, 0, 0, 12])),
        (np.array([[1.0, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]]), np.array([5.0, 6, 0, 0])),
    ],
)
def test_endless_counts_solutions(attempt):
    assert exercises.endless_counts.check(attempt).accepted


ENDLESS_WRONG = {
    "comes to rest": (np.array([[1.0, 0], [1, 0], [1, 1]]), np.array([7.0, 9, 1])),
    "independent": (np.ones((3, 2)), np.array([7.0, 9, 0])),
    "column of ones": (np.array([[0.0, 1], [1, 0], [1, 1]]), np.array([7.0, 9, 0])),
    "add up to at least 10": (np.array([[1.0, 0], [1, 0], [1, 1]]), np.array([0.0, 0, 0])),
    "xpected X of shape": (np.ones(3), np.ones(3)),
    "ive a pair": 3,
    "t most 10 rows": (np.ones((11, 1)), np.ones(11)),
}


@pytest.mark.parametrize("hint", ENDLESS_WRONG)
def test_endless_counts_wrong(hint):
    rejected(exercises.endless_counts, ENDLESS_WRONG[hint], hint)
