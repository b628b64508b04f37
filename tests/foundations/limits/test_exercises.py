"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy import stats

from chapters_src.foundations.limits import exercises
from tests.verdicts import rejected

# --- four times as exact


def test_smaller_error():
    spread = np.sqrt(0.8 * 0.2)
    assert spread / np.sqrt(400) == pytest.approx(0.02)
    assert spread / np.sqrt(exercises.smaller_error.answer) == pytest.approx(0.005)
    assert exercises.smaller_error.check("6400").accepted


@pytest.mark.parametrize(
    ("hint", "answer"),
    [
        ("halved", 1600),
        ("do not even halve", 800),
        ("to add", 6000),
        ("factor of 400", 160_000),
        ("more images", 100),
        ("stays as it is", 5000),
    ],
)
def test_smaller_error_wrong(hint, answer):
    rejected(exercises.smaller_error, answer, hint)


# --- a very sure mean


def test_sure_mean():
    assert exercises.sure_mean.check("b").accepted
    rng = np.random.default_rng(0)
    waited = rng.normal(0, 10, size=(3_000, 1)) + rng.normal(0, 30, size=(3_000, 400))
    assert waited.std(axis=1).mean() == pytest.approx(30, rel=0.01)  # within one Monday
    assert waited.mean(axis=1).std() == pytest.approx(10, rel=0.05)  # between Mondays
    assert np.corrcoef(waited[:, 0], waited[:, 1])[0, 1] == pytest.approx(0.1, abs=0.06)


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "a hundredth"), ("c", "error of 0.3"), ("d", "smaller still")]
)
def test_sure_mean_wrong(letter, why):
    rejected(exercises.sure_mean, letter, why)


# --- the false line


def test_fourth_powers():
    assert exercises.fourth_powers.false == 2
    assert "middle term" in exercises.fourth_powers.check("2").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("3", "false as that is"), ("4", "false as that is")],
)
def test_fourth_powers_wrong(line, why):
    rejected(exercises.fourth_powers, line, why)


# --- couples of answers


def test_paired_error():
    assert exercises.paired_error.check(lambda a, b: stats.sem(a - b)).message == "Accepted: 3 cases."

    def by_covariance(a, b):
        (va, c), (_, vb) = np.cov(a, b)
        return np.sqrt((va + vb - 2 * c) / len(a))

    assert exercises.paired_error.check(by_covariance).accepted


PAIRED_WRONG = {
    "come in couples": lambda a, b: np.hypot(stats.sem(a), stats.sem(b)),
    "counts twice": lambda a, b: np.sqrt(
        (np.var(a, ddof=1) + np.var(b, ddof=1) - np.cov(a, b)[0, 1]) / len(a)
    ),
    "error of a sum": lambda a, b: stats.sem(a + b),
    "spread of one difference": lambda a, b: (a - b).std(ddof=1),
    "divide by n-1": lambda a, b: (a - b).std() / np.sqrt(len(b)),
    "take the root": lambda a, b: stats.sem(a - b) ** 2,
    "to each question": lambda a, b: 0.0,
}


@pytest.mark.parametrize("hint", PAIRED_WRONG)
def test_paired_error_wrong(hint):
    rejected(exercises.paired_error, PAIRED_WRONG[hint], hint)


# --- thirty is not enough


def test_stubborn_draw():
    assert exercises.stubborn_draw.check(([0, 1], [0.99, 0.01])).message == "Accepted."
    assert exercises.stubborn_draw.check(([5, 100, 5], [0.5, 0.005, 0.495])).accepted
    gap = stats.binom(30, 0.01).pmf(0) - stats.norm.cdf(-0.3 / np.sqrt(30 * 0.01 * 0.99))
    assert gap > exercises.GAP


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("is 0.07", ([0, 1], [0.5, 0.5])),
        ("very rarely", ([1, 2, 3, 4, 5, 6], [1 / 6] * 6)),
        ("sum to 1; yours sum to 1.5", ([0, 1], [0.5, 1.0])),
        ("whole numbers from 0 to 100", ([0, 0.5], [0.5, 0.5])),
        ("whole numbers from 0 to 100", ([0, 1000], [0.99, 0.01])),
        ("no variance", ([0, 1], [1.0, 0.0])),
        ("Two to 10 values", (list(range(11)), [1 / 11] * 11)),
        ("Give a pair", [0.99]),
        ("could not be checked", ("x", "y")),
    ],
)
def test_stubborn_draw_wrong(hint, attempt):
    rejected(exercises.stubborn_draw, attempt, hint)
