"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy import stats

from chapters_src.foundations.probability import exercises
from tests.verdicts import rejected

# --- the next toss


def test_next_toss_by_counting():
    rng = np.random.default_rng(0)
    fair = rng.random(200_000) < 0.5
    heads = rng.random((200_000, 4)) < np.where(fair, 0.5, 1.0)[:, None]
    seen = heads[:, :3].all(axis=1)
    assert exercises.next_toss.answer == pytest.approx(heads[seen, 3].mean(), abs=0.003)
    assert exercises.next_toss.check("17/18").accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (0.75, "before any toss"),
        (8 / 9, "fair one can"),
        (0.5, "which one"),
        (1.0, "only the coin"),
        (0.6, "Two steps"),
    ],
)
def test_next_toss_wrong(value, hint):
    rejected(exercises.next_toss, value, hint)


# --- praise and rebuke


def test_rebuke_by_independent_landings():
    landings = np.random.default_rng(0).normal(size=100_000)
    bad = landings[:-1] < -1.5
    assert landings[1:][bad].mean() == pytest.approx(0, abs=0.05)  # no rebuke, and yet better
    assert exercises.rebuke.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "said nothing"), ("c", "Nothing is made up"), ("d", "on the other side")]
)
def test_rebuke_wrong(letter, why):
    rejected(exercises.rebuke, letter, why)


# --- the false line


def test_two_tests():
    assert exercises.two_tests.false == 4
    assert "before the logarithm" in exercises.two_tests.check("4").message


@pytest.mark.parametrize(("line", "why"), [("1", "where the derivation starts"), ("2", ""), ("3", "")])
def test_two_tests_wrong(line, why):
    rejected(exercises.two_tests, line, why)


# --- Laplace numbers


def test_laplace_against_scipy():
    u = np.linspace(0.01, 0.99, 30)
    np.testing.assert_allclose(exercises.laplace_numbers.answer(u), stats.laplace.ppf(u))
    assert exercises.laplace_numbers.check(stats.laplace.ppf).accepted
    assert exercises.laplace_numbers.check(
        lambda u: -np.sign(u - 0.5) * np.log(1 - 2 * np.abs(u - 0.5))
    ).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (stats.expon.ppf, "exponential"),
        (lambda u: -np.log(2 - 2 * u), "above one half"),
        (lambda u: np.log(2 * u), "below one half"),
        (lambda u: -stats.laplace.ppf(u), "turned round"),
        (lambda u: stats.norm.ppf(u), "integrate the density"),
    ],
)
def test_laplace_wrong(attempt, hint):
    rejected(exercises.laplace_numbers, attempt, hint)


# --- a chain that never settles


@pytest.mark.parametrize(
    "P",
    [
        [[0, 1], [1, 0]],
        [[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]],
        np.roll(np.eye(5), 1, axis=1),
        [[0, 0, 0.3, 0.7], [0, 0, 0.9, 0.1], [1, 0, 0, 0], [0.5, 0.5, 0, 0]],
    ],
)
def test_restless_accepted(P):
    assert exercises.restless_chain.check(np.array(P, dtype=float)).accepted


@pytest.mark.parametrize(
    ("P", "hint"),
    [
        (np.eye(3), "stationary distributions"),
        (np.array([[0.1, 0.9], [0.9, 0.1]]), "the start is forgotten"),
        (np.array([[0.5, 0.6], [0.5, 0.5]]), "sum to 1"),
        (np.array([[1.0]]), "two to five"),
        (np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]), "square"),
        (np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.01, 0.99, 0.0]]) @ np.eye(3), "forgotten"),
    ],
)
def test_restless_wrong(P, hint):
    rejected(exercises.restless_chain, P, hint)


# --- stubs


@pytest.mark.parametrize("exercise", [exercises.laplace_numbers, exercises.restless_chain])
def test_a_stub_is_not_an_attempt(exercise):
    assert not exercise.check(...).attempted
