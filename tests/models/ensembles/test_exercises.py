"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from chapters_src.models.ensembles import boosted_scores, exercises, fit_boosting
from tests.verdicts import rejected

# --- ten trees, or a few


def variance_of_the_mean(variance, correlation, trees):
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=(200_000, 1)), rng.normal(size=(200_000, trees))
    errors = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
    return variance * errors.mean(axis=1).var()


def test_ten_solution_by_simulation():
    ten, answer = variance_of_the_mean(4, 0.5, 10), int(exercises.as_good_as_ten.answer)
    assert variance_of_the_mean(5, 0.2, answer) < 0.95 * ten
    assert variance_of_the_mean(5, 0.2, answer - 1) > 1.02 * ten
    assert exercises.as_good_as_ten.check(4).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("whole number", 4 / 1.2),
        ("round up", 3),
        ("not all of", 5),
        ("fewer do", 10),
        ("independent", 5 / 0.4),
        ("independent", 13),
        ("so fewer are needed", 25),
        ("not averaged away", 2),
        ("First the ten", 7),
    ],
)
def test_ten_wrong(hint, value):
    rejected(exercises.as_good_as_ten, value, hint)


# --- a hundred lines


def test_lines_solution():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=200)
    X, y = np.column_stack([np.ones(200), x]), 2 * x + rng.normal(size=200)
    full = np.linalg.lstsq(X, y)[0]
    draws = [rng.integers(0, 200, 200) for _ in range(400)]
    lines = np.array([np.linalg.lstsq(X[rows], y[rows])[0] for rows in draws])
    assert (np.abs(lines.mean(axis=0) - full) < 0.25 * lines.std(axis=0)).all()
    assert exercises.average_of_lines.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "straight line"), ("c", "same 200 points"), ("d", "several times")]
)
def test_lines_wrong(letter, why):
    rejected(exercises.average_of_lines, letter, why)


# --- the false line


def test_members():
    assert exercises.members_and_mean.false == 4
    assert "takes" in exercises.members_and_mean.check("4").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("3", "follows from line 2")],
)
def test_members_wrong(line, why):
    rejected(exercises.members_and_mean, line, why)


# --- repaired boosting


def stump(x, r):
    return DecisionTreeRegressor(max_depth=1, random_state=0).fit(x[:, None], r).predict(x[:, None])


def boosting(x, y, rounds, rate):
    f = np.full(len(y), y.mean())
    for _ in range(rounds):
        f = f + rate * stump(x, y - f)
    return f


def silently_wrong(x, y, rounds, rate):
    f = np.full(len(y), y.mean())
    for _ in range(rounds):
        f = (1 - rate) * f + rate * stump(x, y - f)
    return f


def to_the_targets(x, y, rounds, rate):
    f = np.full(len(y), y.mean())
    for _ in range(rounds):
        f = f + rate * stump(x, y)
    return f


def turned_round(x, y, rounds, rate):
    f = np.full(len(y), y.mean())
    for _ in range(rounds):
        f = f + rate * stump(x, f - y)
    return f


def from_zero(x, y, rounds, rate):
    f = np.zeros(len(y))
    for _ in range(rounds):
        f = f + rate * stump(x, y - f)
    return f


def shrinking_all(x, y, rounds, rate):
    f = np.full(len(y), y.mean())
    for _ in range(rounds):
        f = rate * (f + stump(x, y - f))
    return f


def test_boosting_solution():
    assert exercises.repaired_boosting.check(boosting).message == "Accepted: 4 cases."

    def by_the_book(x, y, rounds, rate):
        return boosted_scores(fit_boosting(x[:, None], y, rounds=rounds, rate=rate, max_depth=1), x[:, None])

    assert exercises.repaired_boosting.check(by_the_book).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("keep their full weight", silently_wrong),
        ("still wrong", to_the_targets),
        ("wrong sign", turned_round),
        ("best constant", from_zero),
        ("shrinks the old sum", shrinking_all),
        ("never used", lambda x, y, rounds, rate: boosting(x, y, rounds, 1.0)),
        ("residuals after each round", lambda x, y, rounds, rate: y),
    ],
)
def test_boosting_wrong(hint, attempt):
    rejected(exercises.repaired_boosting, attempt, hint)


# --- worse together


def test_together_solution():
    assert exercises.worse_together.check(exercises.worse_together.answer).message == "Accepted."
    assert exercises.worse_together.check(
        [[1, 1, 0, 0, 1, 0], [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]]
    ).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("right on only", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ("waste fewer votes", [[1, 1, 0], [1, 0, 1], [0, 1, 1]]),
        ("waste fewer votes", np.ones((3, 4))),
        ("three rows", np.ones((2, 4))),
        ("three rows", np.full((3, 4), 0.5)),
        ("three rows", np.ones((3, 13))),
    ],
)
def test_together_wrong(hint, attempt):
    rejected(exercises.worse_together, attempt, hint)
