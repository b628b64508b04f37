"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.generative.neighbours import exercises, neighbours_kept, perplexities
from tests.verdicts import rejected


def test_perplexity_by_running_it():
    assert exercises.half_and_quarters.check(perplexities([[0.5, 0.25, 0.25]])[0]).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [(3, "equally likely"), (1.5, "bits"), (1.0397, "nats"), (2.667, "squares"), (2, "fair choice")],
)
def test_perplexity_wrong(wrong, hint):
    rejected(exercises.half_and_quarters, wrong, hint)


def test_what_may_be_read():
    assert exercises.what_may_be_read.check("c").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "bandwidth"), ("b", "start"), ("d", "islands")])
def test_what_may_be_read_wrong(letter, why):
    rejected(exercises.what_may_be_read, letter, why)


def test_false_line():
    assert exercises.at_least_one.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.at_least_one.check(line).accepted


def test_kept_by_the_package():
    assert exercises.kept.check(lambda X, Y, k: neighbours_kept(X, Y, k).mean()).accepted


def nearest(Z, k, first):
    away = ((Z[:, None] - Z) ** 2).sum(axis=2)
    return away.argsort(axis=1)[:, first : first + k]


def with_itself(X, Y, k):
    return np.mean([len({*a} & {*b}) / k for a, b in zip(nearest(X, k, 0), nearest(Y, k, 0), strict=True)])


def one_more(X, Y, k):
    lists = zip(nearest(X, k + 1, 0), nearest(Y, k + 1, 0), strict=True)
    return np.mean([len({*a} & {*b}) / k for a, b in lists])


def in_order(X, Y, k):
    return np.mean(nearest(X, k, 1) == nearest(Y, k, 1))


def of_either(X, Y, k):
    share = np.mean([len({*a} & {*b}) / k for a, b in zip(nearest(X, k, 1), nearest(Y, k, 1), strict=True)])
    return share * k / (2 * k - share * k)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (with_itself, "its own nearest"),
        (one_more, "still in both"),
        (in_order, "order among"),
        (of_either, "by k"),
    ],
)
def test_kept_wrong(wrong, hint):
    rejected(exercises.kept, wrong, hint)


def test_a_tetrahedron():
    assert exercises.all_alike.check(np.vstack([np.zeros(3), 1 - np.eye(3)])).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "six distances"),
        ([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]], "the same"),
        ([[0, 0], [1, 0], [0, 1], [1, 1]], "three finite coordinates"),
    ],
)
def test_a_tetrahedron_wrong(wrong, hint):
    rejected(exercises.all_alike, np.array(wrong, dtype=float), hint)
