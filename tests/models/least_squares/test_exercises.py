"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.models.least_squares import exercises, fit_gradient_descent, least_squares, step_size_bound
from chapters_src.models.least_squares.exact import exact_least_squares, right_digits
from tests.verdicts import rejected

# --- the largest learning rate

ROWS = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, -1.0]])  # those of the question


def test_learning_rate_solution_by_running_descent():
    X = ROWS
    y = X @ np.array([1.0, 1.0])
    bound = exercises.largest_learning_rate.answer
    assert fit_gradient_descent(X, y, 0.99 * bound).converged
    assert not fit_gradient_descent(X, y, 1.01 * bound).converged
    hessian = 2 / len(X) * X.T @ X
    assert exercises.largest_learning_rate.check(2 / np.linalg.eigvalsh(hessian).max()).accepted
    assert exercises.largest_learning_rate.check(0.333).accepted
    assert exercises.largest_learning_rate.check(0.33).accepted is False


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("twice as much", lambda X, n: n / (2 * np.linalg.norm(X, 2) ** 2)),
        ("Hessian of the mean", lambda X, n: 2 / np.linalg.eigvalsh(X.T @ X).max()),
        ("sum of squares", lambda X, n: 1 / np.linalg.eigvalsh(X.T @ X).max()),
        ("keeps its factor 2", lambda X, n: 2 * n / np.linalg.eigvalsh(X.T @ X).max()),
        ("diagonal", lambda X, n: n / (X**2).sum(axis=0).max()),
        ("not the smallest", lambda X, n: n / np.linalg.eigvalsh(X.T @ X).min()),
        ("is multiplied by", lambda X, n: 0.1),
    ],
)
def test_learning_rate_wrong(hint, value):
    X = ROWS
    verdict = rejected(exercises.largest_learning_rate, value(X, len(X)), hint)
    assert "0.33" not in verdict.message


# --- every patient twice


def test_twice_the_patients():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    twice = np.vstack([X, X])
    np.testing.assert_allclose(least_squares(twice, np.tile(y, 2)), least_squares(X, y), atol=1e-12)
    assert np.linalg.matrix_rank(twice) == 3
    assert step_size_bound(twice) == pytest.approx(step_size_bound(X))
    assert exercises.twice_the_patients.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "is halved"), ("c", "the 2 cancels"), ("d", "Repeated columns")]
)
def test_twice_the_patients_wrong(letter, why):
    rejected(exercises.twice_the_patients, letter, why)


# --- the false line


def test_weighted_gradient():
    assert exercises.weighted_gradient.false == 2
    assert "squared after" in exercises.weighted_gradient.check("2").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("3", "false as that is"), ("4", "false as that is")],
)
def test_weighted_gradient_wrong(line, why):
    rejected(exercises.weighted_gradient, line, why)


# --- descent that keeps w as a column


def broken(X, y, learning_rate, steps):
    w = np.zeros((X.shape[1], 1))
    for _ in range(steps):
        w = w - learning_rate * 2 / len(y) * X.T @ (X @ w - y)
    return w


def with_factor(factor):
    def descend(X, y, learning_rate, steps):
        w = np.zeros(X.shape[1])
        for _ in range(steps):
            w = w + learning_rate * factor(len(y)) * (y - X @ w) @ X
        return w

    return descend


def test_repaired_descent_solution():
    assert exercises.repaired_descent.check(with_factor(lambda n: 2 / n)).message == "Accepted: 4 cases."

    def as_columns(X, y, learning_rate, steps):
        return broken(X, y[:, None], learning_rate, steps)[:, 0]

    assert exercises.repaired_descent.check(as_columns).accepted

    def by_the_book(X, y, learning_rate, steps):
        return fit_gradient_descent(X, y, learning_rate, steps, tolerance=0.0).theta

    assert exercises.repaired_descent.check(by_the_book).accepted


REPAIRED_WRONG = {
    "expected shape (2,), got shape (2, 3)": broken,
    "do not cut the answer": lambda X, y, learning_rate, steps: broken(X, y, learning_rate, steps)[:, 0],
    "where did 1/n go": with_factor(lambda n: 2),
    "has the factor 2/n": with_factor(lambda n: 1),
    "brings down a 2": with_factor(lambda n: 1 / n),
    "walks uphill": with_factor(lambda n: -2 / n),
    "print the shape": lambda X, y, learning_rate, steps: np.zeros(X.shape[1]),
}


@pytest.mark.parametrize("hint", REPAIRED_WRONG)
def test_repaired_descent_wrong(hint):
    rejected(exercises.repaired_descent, REPAIRED_WRONG[hint], hint)


# --- data that break the normal equations


def test_fragile_data_solution():
    gap = 1e-7
    X = np.array([[1, 1], [1, 1 + gap], [1, 1 - gap]])
    assert exercises.fragile_data.check((X, [1.0, 2.0, 4.0])).message == "Accepted."
    t = np.linspace(1000, 1001, 9)  # a polynomial far from its origin
    assert exercises.fragile_data.check([np.vander(t, 3), np.sin(t)]).accepted
    lauchli = np.array([[1, 1], [1e-9, 0], [0, 1e-9]])  # XᵀX is singular in float64
    assert exercises.fragile_data.check((lauchli, np.array([1.0, 4.0, 9.0]))).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("still has", (np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 2.0, 4.0]))),
        ("still has", (1e-9 * np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 2.0, 4.0]))),
        ("rank 1 in float64 and 2 columns", (np.ones((4, 2)), np.arange(4.0))),
        ("no digits to lose", (np.array([[1, 1], [1, 1 + 1e-7]]), np.zeros(2))),
        ("At most 10 rows", (np.ones((11, 1)), np.ones(11))),
        ("no more columns than rows", (np.ones((2, 3)), np.ones(2))),
        ("got shapes (2, 2) and (2, 1)", (np.eye(2), np.ones((2, 1)))),
        ("finite numbers", (np.array([[1.0], [np.nan]]), np.ones(2))),
        ("Give a pair", np.eye(2)),
        ("could not be checked", ("X", "y")),
    ],
)
def test_fragile_data_wrong(hint, attempt):
    rejected(exercises.fragile_data, attempt, hint)


def test_too_fragile():
    X = np.array([[1.0, 1.0], [1.0, 1.0 + 4e-15], [1.0, 1.0]])
    rejected(exercises.fragile_data, (X, np.array([0.1, 0.7, 0.2])), "too close")


def test_exact_solution():
    theta = exact_least_squares(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 4.0]))
    assert [str(value) for value in theta] == ["5/6", "3/2"]
    assert exact_least_squares(np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([3.0, 4.0])) == [2, 3]
    assert right_digits(np.array([5 / 6 * (1 + 1e-5), 1.5]), theta) == pytest.approx(5.25, abs=0.05)
    assert right_digits(np.array([100.0, 1.5]), theta) == 0
