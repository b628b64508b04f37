"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.foundations.tensors import exercises, naive_variance, running_moments
from tests.verdicts import rejected

# --- the price of all pairs


def test_all_pairs_by_looking_at_a_smaller_table():
    X = np.zeros((100, 50))
    assert exercises.all_pairs.answer == (X[:, None] - X).nbytes * 10**2 / 1e6
    assert exercises.all_pairs.check("400").accepted
    assert exercises.all_pairs.check(400).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (0.4, "that is `X` itself"),
        (8, "keeps all its columns"),
        (50, "eight bytes"),
        (20, "align the shapes"),
        (3, "align it"),
    ],
)
def test_all_pairs_wrong(wrong, hint):
    assert hint.lower() in rejected(exercises.all_pairs, wrong, "").message.lower()


# --- perfect, and yet


def test_column_against_row_by_running_it():
    y = np.random.default_rng(0).normal(size=40)
    assert np.mean((y - y[:, None]) ** 2) == pytest.approx(2 * y.var())
    assert exercises.column_against_row.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "diagonal"), ("b", "predicting the mean"), ("d", "nothing complains")]
)
def test_column_against_row_wrong(letter, why):
    rejected(exercises.column_against_row, letter, why)


# --- the mirror


def test_mirror():
    assert exercises.mirror.false == 3
    assert "was lost" in exercises.mirror.check("3").message


@pytest.mark.parametrize(("line", "why"), [("1", "starts"), ("2", ""), ("4", "false as that is")])
def test_mirror_wrong(line, why):
    rejected(exercises.mirror, line, why)


# --- take one out


def by_the_book(n, mean, S, x):
    before = mean - (x - mean) / (n - 1)
    return n - 1, before, S - n / (n - 1) * (x - mean) ** 2


def test_without_one_solution():
    assert exercises.without_one.check(by_the_book).message == "Accepted: 4 cases."
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    n, mean, S = by_the_book(*map(float, running_moments(values)), 5.0)
    np.testing.assert_allclose([n, mean, S], [float(v) for v in running_moments(values[:-1])], rtol=1e-12)


def with_squares(change):
    def answer(n, mean, S, x):
        before = (n * mean - x) / (n - 1)
        return n - 1, before, S - change(x, mean, before)

    return answer


WITHOUT_WRONG = {
    "use the mean with x in it": with_squares(lambda x, mean, before: (x - mean) ** 2),
    "use the mean of the rest": with_squares(lambda x, mean, before: (x - before) ** 2),
    "has to shrink": with_squares(lambda x, mean, before: 0),
    "solve that": lambda n, mean, S, x: (
        n - 1,
        mean - (x - mean) / n,
        S - (x - mean) * (x - mean + (x - mean) / n),
    ),
    "solve them for what was before": lambda n, mean, S, x: (n - 1, mean, S),
}


@pytest.mark.parametrize("hint", WITHOUT_WRONG)
def test_without_one_wrong(hint):
    rejected(exercises.without_one, WITHOUT_WRONG[hint], hint)


# --- a negative variance


def test_negative_variance_solution():
    assert naive_variance(1e10 + np.arange(6.0)) < 0
    assert exercises.negative_variance.check(1e10 + np.arange(6.0)).message == "Accepted."
    assert exercises.negative_variance.check([1e8, 1e8 + 0.1, 1e8 + 0.2]).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("which is not negative", [1.0, 2.0, 3.0]),
        ("which is not negative", [1e8, 1e8 + 1, 1e8 + 2]),
        ("must differ", [0.1, 0.1, 0.1]),
        ("two to ten numbers", [1.0]),
        ("two to ten numbers", np.arange(11.0)),
        ("two to ten numbers", np.eye(2)),
        ("inite numbers", [1.0, np.nan]),
        ("below 1e100", [1e200, 2e200]),
        ("could not be checked", "numbers"),
    ],
)
def test_negative_variance_wrong(hint, attempt):
    rejected(exercises.negative_variance, attempt, hint)
