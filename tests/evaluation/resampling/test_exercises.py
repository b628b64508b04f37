"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from chapters_src.evaluation.resampling import exercises, mcnemar
from tests.verdicts import rejected

# --- not a single mistake


def test_no_mistake_by_scipy():
    level = 2 * stats.norm.cdf(2) - 1
    high = stats.binomtest(0, 36).proportion_ci(level, method="wilson").high
    assert exercises.no_mistake.check(high).accepted
    assert exercises.no_mistake.check("1/10").accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("0", "Wald"),
        ("0.111", "divide by"),
        ("0.05", "the middle"),
        ("10", "between 0 and 1"),
        ("0.9", "other end"),
        ("0.5", "hardly"),
        ("-1", "at least 0"),
    ],
)
def test_no_mistake_wrong(answer, hint):
    rejected(exercises.no_mistake, answer, hint)


# --- the same disagreements


def test_more_images():
    answers = np.repeat([True, False], [4, 12])
    for agreed in (84, 9984):
        a, b = np.append(answers, np.ones(agreed, bool)), np.append(~answers, np.ones(agreed, bool))
        assert mcnemar(a, b).p_value == pytest.approx(0.077, abs=0.0005)
    assert exercises.more_images.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "nearly the same factor"), ("b", "agree"), ("d", "equally for both")]
)
def test_more_images_wrong(letter, why):
    rejected(exercises.more_images, letter, why)


# --- many seeds


def test_many_seeds():
    assert exercises.many_seeds.false == 3
    assert exercises.many_seeds.check("3").accepted


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("4", "false as that is")],
)
def test_many_seeds_wrong(line, why):
    rejected(exercises.many_seeds, line, why)


# --- sign flips


def by_hand(differences):
    further = 0
    patterns = list(product([1, -1], repeat=len(differences)))
    for signs in patterns:
        total = sum(s * d for s, d in zip(signs, differences, strict=True))
        further += abs(total) >= abs(sum(differences))
    return further / len(patterns)


def test_sign_flips():
    def with_scipy(differences):
        found = stats.permutation_test(
            (differences,), np.sum, permutation_type="samples", vectorized=False, n_resamples=np.inf
        )
        return found.pvalue

    assert exercises.sign_flips.check(by_hand).accepted
    assert exercises.sign_flips.check(with_scipy).accepted
    assert not exercises.sign_flips.check(...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda differences: stats.ttest_1samp(differences, 0).pvalue, "that is the t-test"),
        (lambda differences: by_hand(np.sign(differences)), "keep the sizes"),
        (lambda differences: 1.0, "change the signs"),
        (
            lambda differences: np.mean(
                [
                    np.dot(signs, differences) >= sum(differences)
                    for signs in product([1, -1], repeat=len(differences))
                ]
            ),
            "absolute values",
        ),
        (
            lambda differences: np.mean(
                [
                    abs(np.dot(signs, differences)) > abs(sum(differences))
                    for signs in product([1, -1], repeat=len(differences))
                ]
            ),
            "at least",
        ),
    ],
)
def test_sign_flips_wrong(wrong, hint):
    rejected(exercises.sign_flips, wrong, hint)


# --- hidden by pooling


def test_hidden_by_pooling():
    assert exercises.hidden_by_pooling.check((140, 0, 10, 50)).accepted
    assert exercises.hidden_by_pooling.check([100, 9, 0, 80]).accepted
    assert not exercises.hidden_by_pooling.check(...).attempted


@pytest.mark.parametrize(
    ("attempt", "complaint"),
    [
        ((140, 3, 10, 47), "below 0.01"),
        ((0, 0, 150, 50), "above 0.2"),
        ((300, 0, 10, 50), "at most 200"),
        ((140, 0, 10), "four whole numbers"),
        ((140, 0.5, 10, 50), "four whole numbers"),
        (("many", 0, 10, 50), "four counts"),
        ((100, 0, 0, 50), "below 0.01"),
        ((200, 0, 0, 0), "do not differ"),
    ],
)
def test_hidden_by_pooling_wrong(attempt, complaint):
    rejected(exercises.hidden_by_pooling, attempt, complaint)
