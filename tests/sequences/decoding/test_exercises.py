"""Answers as a student would write them, right and wrong."""

import heapq
from itertools import pairwise, product

import numpy as np
import pytest

from chapters_src.sequences.decoding import exercises
from tests.verdicts import rejected


def test_kept_by_both_by_the_definition():
    q = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625]) ** 0.5
    q /= q.sum()
    assert exercises.kept_by_both.check(int((q >= 0.3 * q.max()).sum())).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [(2, "at temperature 1"), (3, "compare ratios"), (1, "more alike"), (4, "equal"), (0, "ratio of two")],
)
def test_kept_by_both_wrong(value, hint):
    rejected(exercises.kept_by_both, value, hint)


def by_beam(table, width, T):
    """The probability of what a beam finds, if each word depends on the one before; row -1 is the start."""
    kept = [((-1,), 1.0)]
    for _ in range(T):
        longer = [((*words, w), p * q) for words, p in kept for w, q in enumerate(table[words[-1]])]
        kept = heapq.nlargest(width, longer, key=lambda one: one[1])
    return kept[0][1]


def test_wider_beam_each_option_by_trying():
    """V = 4: the right option holds for all tables that are tried, and each wrong one fails somewhere."""
    fails = {"b": 0, "c": 0, "d": 0}
    for seed in range(150):
        table = np.random.default_rng(seed).dirichlet(np.full(4, 0.3), 5)
        greedy, two, three, full, best = (by_beam(table, width, 4) for width in (1, 2, 3, 4**3, 4**4))
        fails["b"] += full < best - 1e-12
        fails["c"] += greedy < best / 4
        fails["d"] += abs(two - three) < 1e-12 and three < best - 1e-12
    assert fails.pop("b") == 0 and min(fails.values()) > 0, fails
    # Three children of the third word fill the wider beam; what the narrow one keeps goes on for certain.
    flat, third = [0.25] * 4, [1 / 3, 1 / 3, 1 / 3, 0]
    table = [flat, [0.24, 0.24, 0.24, 0.28], third, [1, 0, 0, 0], [0.34, 0.335, 0.325, 0]]
    assert by_beam(table, 2, 3) == pytest.approx(0.335 * 0.28)
    assert by_beam(table, 3, 3) == pytest.approx(0.325 / 9)
    assert exercises.wider_beam.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "push out"), ("c", "not the likeliest"), ("d", "first step")]
)
def test_wider_beam_wrong(letter, why):
    rejected(exercises.wider_beam, letter, why)


def test_rejected_draft():
    assert exercises.rejected_draft.check("2").accepted


@pytest.mark.parametrize("line", ["1", "3", "4"])
def test_rejected_draft_wrong(line):
    verdict = exercises.rejected_draft.check(line)
    assert verdict.attempted and not verdict.accepted


# --- one step of a beam search


def by_heap(log_p, next_log_p, width):
    table = {(i, w): a + b for i, a in enumerate(log_p) for w, b in enumerate(next_log_p[i])}
    return heapq.nlargest(width, table, key=table.get)


def test_one_step():
    assert exercises.one_step.check(by_heap).accepted
    assert not exercises.one_step.check(lambda log_p, next_log_p, width: ...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda a, b, width: [(i, int(row.argmax())) for i, row in enumerate(b)][:width], "on its own"),
        (
            lambda a, b, width: sorted(
                [(i, int(row.argmax())) for i, row in enumerate(b)], key=lambda x: -(a[x[0]] + b[x])
            )[:width],
            "one word per sequence",
        ),
        (lambda a, b, width: by_heap(0 * a, b, width), "add log_p"),
        (lambda a, b, width: by_heap(-a, -b, width), "the worst"),
        (
            lambda a, b, width: [divmod(i * b.shape[1] + w, len(a)) for i, w in by_heap(a, b, width)],
            "number of columns",
        ),
        (lambda a, b, width: by_heap(a, b, width)[::-1], "whole table"),
    ],
)
def test_one_step_wrong(wrong, hint):
    rejected(exercises.one_step, wrong, hint)


# --- the first word, given the grammar


def by_listing(p, P, A, T):
    total = np.zeros(len(p))
    for words in product(range(len(p)), repeat=T):
        pairs = list(pairwise(words))
        total[words[0]] += p[words[0]] * np.prod([P[i, j] * A[i, j] for i, j in pairs])
    return total / total.sum()


def test_first_word():
    assert exercises.first_word.check(by_listing).accepted
    assert not exercises.first_word.check(lambda p, P, A, T: ...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda p, P, A, T: p * A.any(1) / (p * A.any(1)).sum(), "the mask"),
        (lambda p, P, A, T: by_listing(p, P, A, min(T, 2)), "one word ahead"),
        (lambda p, P, A, T: by_listing(p, P, A, T + 1), "one step too many"),
        (lambda p, P, A, T: p[::-1], "backwards"),
    ],
)
def test_first_word_wrong(wrong, hint):
    rejected(exercises.first_word, wrong, hint)
