"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.optimisation.descent import convergence_factor, exercises
from chapters_src.optimisation.descent.landscapes import quadratic
from chapters_src.optimisation.descent.walks import backtracking, descend
from chapters_src.optimisation.newton import exact, newton
from chapters_src.studio.exercise import Exercise
from tests.verdicts import rejected

# --- two rates in turn


def test_pair_solutions():
    def by_matrix(H, eta_1, eta_2):
        I = np.eye(len(H))
        return np.linalg.norm((I - eta_1 * H) @ (I - eta_2 * H), 2)

    assert exercises.pair_factor.check(by_matrix).message == "Accepted: 5 cases."


def test_a_pair_can_beat_the_best_single_rate():
    H = np.diag([1.0, 9.0])
    single = min(convergence_factor(H, eta) for eta in np.linspace(0.15, 0.25, 101)) ** 2
    assert exercises.pair_factor.answer(H, 1.0, 1 / 9) < 1e-12 < single


PAIR_WRONG = {
    "multiply first": lambda H, a, b: convergence_factor(H, a) * convergence_factor(H, b),
    "absolute value": lambda H, a, b: max((1 - a * c) * (1 - b * c) for c in np.linalg.eigvalsh(H)),
    "in the middle": lambda H, a, b: max(
        abs((1 - a * c) * (1 - b * c))
        for c in (np.linalg.norm(H, 2), 1 / np.linalg.norm(np.linalg.inv(H), 2))
    ),
    "factors multiply": lambda H, a, b: convergence_factor(H, a + b),
    "not their mean, twice": lambda H, a, b: convergence_factor(H, (a + b) / 2) ** 2,
    "diagonal": lambda H, a, b: np.max(np.abs((1 - a * np.diag(H)) * (1 - b * np.diag(H)))),
    "eigenvectors of H": lambda H, a, b: 0.5,
}


@pytest.mark.parametrize("hint", PAIR_WRONG)
def test_pair_wrong(hint):
    rejected(exercises.pair_factor, PAIR_WRONG[hint], hint)


# --- backtracking


def test_backtrack_solutions():
    def by_values(H, theta):
        def f(t):
            return 0.5 * t @ H @ t

        g, eta = H @ theta, 1.0
        while f(theta - eta * g) > f(theta) - 0.5 * eta * g @ g:
            eta /= 2
        return eta

    def by_the_book(H, theta):
        f, g = quadratic(H), H @ theta
        return backtracking(f, theta, g, -g, share=0.5)

    assert exercises.backtrack.check(by_values).accepted
    assert exercises.backtrack.check(by_the_book).accepted


def halving(H, theta, ok):
    g, eta = H @ theta, 1.0
    f = quadratic(H).value
    while not ok(f(theta - eta * g), f(theta), eta, g @ g):
        eta /= 2
    return eta


BACKTRACK_WRONG = {
    "any fall will do": lambda H, theta: halving(H, theta, lambda new, old, eta, gg: new < old),
    "exact line search": lambda H, theta: exact(quadratic(H), theta, H @ theta, -H @ theta),
    "without the eigenvalues": lambda H, theta: 1 / np.linalg.norm(H, 2),
    "before you return": lambda H, theta: 1,
    "once too often": lambda H, theta: (
        0.5 * halving(H, theta, lambda new, old, eta, gg: new <= old - eta / 2 * gg)
    ),
    "compare f(": lambda H, theta: 0.3,
}


@pytest.mark.parametrize("hint", BACKTRACK_WRONG)
def test_backtrack_wrong(hint):
    exercise = Exercise(  # the same, a little more lenient, so that a searched rate is recognised
        "lenient",
        answer=exercises.backtrack.answer,
        cases=exercises.backtrack.cases,
        mistakes=exercises.backtrack.mistakes,
        hint=exercises.backtrack.hint,
        within=1e-6,
    )
    rejected(exercise, BACKTRACK_WRONG[hint], hint)


# --- Newton's step, downhill


def test_downhill_solutions():
    from scipy.linalg import sqrtm

    def by_root(H, g):  # |H| = √(H²)
        return -np.linalg.solve(np.real(sqrtm(H @ H)), g)

    assert exercises.downhill_step.check(by_root).accepted


DOWNHILL_WRONG = {
    "plain Newton": lambda H, g: newton(quadratic(H), np.zeros(len(g)), g),
    "goes uphill": lambda H, g: -np.asarray(exercises.downhill_step.answer(H, g)),
    "not of the entries": lambda H, g: -np.linalg.inv(abs(H)) @ g,
    "gradient descent": lambda H, g: -1 * g,
    "np.linalg.eigh": lambda H, g: g * 0,
    "got shape (2, 1)": lambda H, g: -g[:, None],
}


@pytest.mark.parametrize("hint", DOWNHILL_WRONG)
def test_downhill_wrong(hint):
    rejected(exercises.downhill_step, DOWNHILL_WRONG[hint], hint)


# --- predictions


def test_steps_needed_by_running():
    f = quadratic(np.diag([1.0, 99.0]))
    walk = descend(f, [1.0, 1.0], 0.02, steps=1000, tolerance=0.0)
    left = np.linalg.norm(walk.path, axis=1) / np.linalg.norm([1.0, 1.0])
    assert int(np.argmax(left <= 1e-6)) == exercises.steps_needed.answer
    assert exercises.steps_needed.check(684).accepted
    assert exercises.steps_needed.check(683.8).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [(1361, "twice as large"), (342, "height"), (114, "six"), (297, "logarithms"), (50, "keeps")],
)
def test_steps_needed_wrong(value, hint):
    rejected(exercises.steps_needed, value, hint)


def test_after_two_by_running():
    x = 1.0
    for _ in range(2):
        x = x - 4 * x**3 / (12 * x**2)
    assert exercises.after_two.check(x).accepted


@pytest.mark.parametrize(
    ("value", "hint"), [(2 / 3, "one step"), (0, "not one"), (8 / 27, "three"), (0.5, "f'")]
)
def test_after_two_wrong(value, hint):
    rejected(exercises.after_two, value, hint)


# --- a zigzag


def test_zigzag_solutions():
    assert exercises.zigzag.check((np.diag([1.0, 50.0]), np.array([50.0, 1.0]))).accepted
    turned = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2)
    H = turned @ np.diag([1.0, 40.0]) @ turned.T
    assert exercises.zigzag.check((H.tolist(), turned @ [40.0, -1.0])).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (np.eye(2), "Give a pair"),
        ((np.eye(3), np.ones(3)), "got shapes (3, 3)"),
        ((np.array([[1.0, 2.0], [0.0, 1.0]]), np.ones(2)), "not symmetric"),
        ((np.diag([1.0, -1.0]), np.ones(2)), "not positive definite"),
        ((np.diag([1.0, 80.0]), np.array([80.0, 1.0])), "at most 50"),
        ((np.diag([1.0, 50.0]), np.zeros(2)), "already"),
        ((np.diag([1.0, 10.0]), np.array([10.0, 1.0])), "reached in step"),
        ((np.diag([1.0, 50.0]), np.array([1.0, 0.0])), "reached in step 1."),
        ((np.diag([1.0, np.inf]), np.ones(2)), "Finite"),
    ],
)
def test_zigzag_wrong(attempt, hint):
    rejected(exercises.zigzag, attempt, hint)
