"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy.special import softmax

from chapters_src.sequences.attention import exercises
from tests.verdicts import rejected

# --- the score for half of the attention


def test_score_solution():
    assert exercises.score_for_half.check(np.log(999)).accepted
    assert exercises.score_for_half.check("6.91").accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (999, "not by s"),
        ("3", "natural logarithm"),
        (np.log2(999), "natural logarithm"),
        (np.log(999 / 2), "a third"),
        (0, "a thousandth"),
        ("1/2", "which score has it"),
        (5.0, "other 999 together"),
    ],
)
def test_score_wrong(value, hint):
    rejected(exercises.score_for_half, value, hint)


# --- what the weights do not notice


def test_the_change_that_is_not_seen():
    assert exercises.unseen.check("c").accepted
    for letter, hint in {"a": "from key to key", "b": "more decided", "d": "are not their mean"}.items():
        rejected(exercises.unseen, letter, hint)


def test_unseen_is_so():
    rng = np.random.default_rng(0)
    Q, K, c = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=3)
    weights = softmax(Q @ K.T, axis=1)
    assert np.allclose(softmax(Q @ (K + c).T, axis=1), weights)
    turned = c - (c @ Q.mean(0)) / (Q.mean(0) @ Q.mean(0)) * Q.mean(0)
    moved = K + np.outer([0, 0, 1, 0, 0], turned)
    for other in (softmax((Q + c) @ K.T, axis=1), softmax(2 * Q @ K.T, axis=1), softmax(Q @ moved.T, axis=1)):
        assert abs(other - weights).max() > 1e-3


# --- do they look back?


def test_the_false_line():
    assert exercises.looking_back.check("3").accepted
    for line in "124":
        assert not exercises.looking_back.check(line).accepted


def test_one_matrix_makes_scores_symmetric_and_weights_not():
    B = np.random.default_rng(0).normal(size=(4, 2))
    A = softmax(B @ B.T, axis=1)
    assert np.allclose(B @ B.T, (B @ B.T).T)
    assert abs(A - A.T).max() > 0.05


# --- a mean that holds far away


def far_away(x, points, values, h):
    u = ((x - points) / h) ** 2 / 2
    a = np.exp(u.min() - u)
    return a @ values / a.sum()


def test_repaired_solution():
    assert exercises.repaired_mean.check(far_away).message == "Accepted: 4 cases."

    def by_scipy(x, points, values, h):
        return float(softmax(-((x - points) ** 2) / (2 * h * h)) @ values)

    assert exercises.repaired_mean.check(by_scipy).accepted
    assert not exercises.repaired_mean.check(lambda x, points, values, h: ...).attempted


def bare(x, points, values, h, tiny=0.0):
    with np.errstate(all="ignore"):
        a = np.exp(-(((x - points) / h) ** 2) / 2)
        return a @ values / (a.sum() + tiny)


MEAN_WRONG = {
    "the tiny number wins": lambda x, points, values, h: bare(x, points, values, h, 1e-12),
    "what is added to all its scores": lambda x, points, values, h: bare(x, points, values, h),
    "the 2 below is gone": lambda x, points, values, h: far_away(x, points, values, h / 2**0.5),
    "The square of h": lambda x, points, values, h: far_away(x, points, values, h**0.5),
    "the limit far away": lambda x, points, values, h: values[np.argmin(abs(points - x))],
    "it is a softmax": lambda x, points, values, h: values.mean(),
}


@pytest.mark.parametrize("hint", MEAN_WRONG)
def test_repaired_wrong(hint):
    assert hint.lower() in exercises.repaired_mean.check(MEAN_WRONG[hint]).message.lower()
    assert not exercises.repaired_mean.check(MEAN_WRONG[hint]).accepted


def test_the_tiny_number_in_the_page_is_rejected():
    """The function that the page prints."""

    def silently_wrong(x, points, values, h):
        weights = np.exp(-((x - points) ** 2) / (2 * h**2))
        return weights @ values / (weights.sum() + 1e-12)

    rejected(exercises.repaired_mean, silently_wrong, "the tiny number wins")


# --- a nearest key that is not heard


def test_loud_solution():
    assert exercises.loud_key.check((np.array([2.0, 0.0]), np.array([[2.0, 0.0], [4.0, 0.0]]))).accepted
    assert exercises.loud_key.check(([0.0, 2.0], [[0.1, 2.0], [0.0, 5.0], [3.0, 3.0]])).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (([1.0, 0.0], [[1.0, 0.0], [-3.0, 0.0]]), "gets 98.2 % of the weight"),
        (([0.0, 0.0], [[1.0, 0.0], [3.0, 0.0]]), "it gets 50 % of the weight"),
        (([1.0, 0.0], [[1.0, 0.0], [5.0, 0.0]]), "three times as long"),
        (([1.0, 0.0], [[0.5, 0.0], [1.5, 0.0]]), "equally near"),
        (([1.0, 0.0], np.ones((6, 2))), "at most five rows"),
        (([1.0, 0.0, 0.0], np.ones((2, 3))), "Q has shape (2,)"),
        (([np.nan, 0.0], np.ones((2, 2))), "Finite numbers"),
        (np.ones(3), "a pair"),
    ],
)
def test_loud_wrong(attempt, hint):
    rejected(exercises.loud_key, attempt, hint)
