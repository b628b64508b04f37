"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.evaluation.generalisation import exercises
from tests.verdicts import rejected

# --- half the mean


def test_half_the_mean_by_drawing():
    rng = np.random.default_rng(0)
    draws = 1 + 2 * rng.normal(size=(400_000, 5))
    counted = np.mean((draws[:, 4] - 0.5 * draws[:, :4].mean(axis=1)) ** 2)
    assert abs(counted - 4.5) < 0.03
    assert exercises.half_the_mean.check("4.5").accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (4 + 1, "the mean itself"),
        (0.25 + 0.25, "noise of its own"),
        (4 + 0.25 + 0.5, "with the square"),
        (4 + 0.25 + 1, "a quarter of it"),
        (4 + 0.25, "one of them is missing"),
        (4 + 0.5 + 1, "enters squared"),
        (17, "Three numbers"),
    ],
)
def test_half_the_mean_wrong(value, hint):
    rejected(exercises.half_the_mean, value, hint)


# --- two equal errors


def test_two_equal_errors():
    assert "About 0.25 is left" in exercises.two_equal_errors.check("c").message


@pytest.mark.parametrize(("letter", "why"), [("a", "hardly any"), ("b", "large already"), ("d", "a sixth")])
def test_two_equal_errors_wrong(letter, why):
    rejected(exercises.two_equal_errors, letter, why)


# --- the false line


def test_false_line():
    assert exercises.variance_left_over.false == 2
    assert "two mixed terms" in exercises.variance_left_over.check("2").message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1", "where the derivation starts"),
        ("3", "from line 2, false as that is (a trace is linear"),
        ("4", "from line 3, false as that is (A is a projection"),
    ],
)
def test_false_line_wrong(line, why):
    rejected(exercises.variance_left_over, line, why)


# --- the bias of few fits


def test_bias_of_few_fits():
    def solution(predictions, truth):
        m = len(predictions)
        squares = [
            np.mean((predictions[i] - truth) * (predictions[j] - truth))
            for i in range(m)
            for j in range(m)
            if i != j
        ]
        return np.mean(squares)  # two different fits are independent: no variance in their product

    assert exercises.bias_of_few_fits.check(solution).accepted


def test_bias_of_few_fits_is_right_on_average():
    rng = np.random.default_rng(1)
    estimates = [
        exercises.bias_of_few_fits.answer(rng.normal(1.5, 1, (3, 40)), np.ones(40)) for _ in range(4000)
    ]
    assert np.mean(estimates) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (lambda p, t: np.mean((p.mean(0) - t) ** 2), "still has the variance"),
        (lambda p, t: np.mean((p.mean(0) - t) ** 2) - p.var(0, ddof=1).mean(), "varies less than one fit"),
        (lambda p, t: np.mean((p.mean(0) - t) ** 2) - p.var(0).mean() / len(p), "too small a variance"),
        (
            lambda p, t: np.mean((p.mean(0) - t) ** 2) - p.var(0, ddof=1).mean() / (len(p) - 1),
            "divided by m",
        ),
        (lambda p, t: np.mean((p.mean(0) - t) ** 2) + p.var(0, ddof=1).mean() / len(p), "subtract"),
        (lambda p, t: np.mean((p - t) ** 2), "average the fits before squaring"),
        (lambda p, t: 0.0, "variance of the average"),
    ],
)
def test_bias_of_few_fits_wrong(attempt, hint):
    rejected(exercises.bias_of_few_fits, attempt, hint)


# --- a peak of one's own


def test_own_peak():
    X = np.eye(5)
    X[:, 4] = [0.5, 0.5, 0.5, 0.5, 1e-4]  # nearly the mean of the others, twice over
    assert exercises.own_peak.check(X).message == "Accepted."
    waves = np.cos(np.outer(np.arange(5), [0, 1, 2, 3, 1.0001]))  # two frequencies that nearly agree
    assert exercises.own_peak.check(waves).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (np.eye(5), "not yet a million"),
        (
            np.eye(5) + 0.99999 * np.outer(np.eye(5)[0], np.eye(5)[1]) - np.diag([0, 0.9999, 0, 0, 0]),
            "four columns",
        ),
        (np.diag([1.0, 1.0, 1.0, 1.0, 1e-3]), "shorter than ½"),
        (np.ones((5, 5)), "dependent"),
        (np.eye(4), "shape (4, 4)"),
        (5 * np.eye(5), "from −1 to 1"),
        ("a matrix", "could not be checked"),
    ],
)
def test_own_peak_wrong(attempt, hint):
    rejected(exercises.own_peak, attempt, hint)
