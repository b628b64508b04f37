"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from chapters_src.generative.mixtures import exercises, log_likelihood, mixture, responsibilities
from tests.verdicts import rejected

# --- equal claims


def test_equal_claims_by_running_it():
    model = mixture([0.8, 0.2], [[0.0], [2.0]], np.ones((2, 1, 1)))
    x = np.linspace(0, 3, 3001)
    r = responsibilities(model, x[:, None])[:, 0]
    assert exercises.equal_claims.check(x[np.abs(r - 0.5).argmin()]).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (1, "equal weights"),
        (0.307, "direction"),
        (2.386, "multiplied"),
        (0.4, "whole mixture"),
        (1.6, "divide"),
    ],
)
def test_equal_claims_wrong(wrong, hint):
    rejected(exercises.equal_claims, wrong, hint)


# --- half an M step


def test_half_an_m_step():
    x = np.random.default_rng(0).normal(size=(30, 1)) * 2
    model = mixture([0.5, 0.5], [[-3.0], [0.5]], np.ones((2, 1, 1)))
    totals = []
    for _ in range(20):
        totals.append(log_likelihood(model, x).sum())
        r = responsibilities(model, x)
        model = mixture(model.weights, r.T @ x / r.sum(axis=0)[:, None], model.covariances)
    assert (np.diff(totals) > -1e-9).all() and totals[-1] > totals[0]
    assert exercises.half_an_m_step.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "Which of the two"), ("c", "starting values"), ("d", "closes the gap")]
)
def test_half_an_m_step_wrong(letter, why):
    rejected(exercises.half_an_m_step, letter, why)


# --- the false line


def test_false_line():
    assert exercises.spread_around.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.spread_around.check(line).accepted


# --- one variance for all


def by_search(x, r):
    """The variance that a numerical search finds to be the best for the bound."""
    means = np.array([np.average(x, weights=column) for column in r.T])
    squares = sum(r[i, k] * (x[i] - means[k]) ** 2 for i in range(len(x)) for k in range(len(means)))
    best = minimize_scalar(lambda u: 0.5 * len(x) * u + 0.5 * squares * np.exp(-u), options={"xtol": 1e-13}).x
    return r.mean(axis=0), means, np.exp(best)


def weights_and_means(x, r):
    return r.sum(axis=0) / len(x), x @ r / r.sum(axis=0)


def squares_of(x, r):
    return (x[:, None] - weights_and_means(x, r)[1]) ** 2


WRONG = {
    "plain mean": lambda x, r: np.mean((r * squares_of(x, r)).sum(0) / r.sum(0)),
    "not one each": lambda x, r: (r * squares_of(x, r)).sum(0) / r.sum(0),
    "mean of all data": lambda x, r: np.mean((x - np.mean(x)) ** 2),
    "with its responsibility": lambda x, r: np.mean(squares_of(x, r)),
    "standard deviation": lambda x, r: ((r * squares_of(x, r)).sum() / len(x)) ** 0.5,
    "not to nK": lambda x, r: np.mean(r * squares_of(x, r)),
}


def test_shared_variance_solution():
    assert exercises.shared_variance.check(by_search).accepted


@pytest.mark.parametrize("hint", WRONG)
def test_shared_variance_wrong(hint):
    rejected(exercises.shared_variance, lambda x, r: (*weights_and_means(x, r), WRONG[hint](x, r)), hint)


# --- a start from which EM gets stuck


def test_stuck_solution():
    assert exercises.stuck_start.check([-4.5, -3.5, 2.0]).message == "Accepted."
    assert exercises.stuck_start.check(np.array([3.5, 4.5, -2.0])).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("ends 0.0 nats below", [-4.0, 0.0, 4.0]),
        ("ends 0.0 nats below", [-1.0, 0.0, 1.0]),
        ("got shape (2,)", [-4.0, 4.0]),
        ("three different means", [0.0, 0.0, 4.0]),
        ("between −20 and 20", [0.0, np.nan, 4.0]),
        ("between −20 and 20", [0.0, 1e6, 4.0]),
        ("could not be checked", "left"),
    ],
)
def test_stuck_wrong(hint, attempt):
    rejected(exercises.stuck_start, attempt, hint)
