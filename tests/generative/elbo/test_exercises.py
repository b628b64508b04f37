"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import entropy, norm

from chapters_src.generative.elbo import exercises
from tests.verdicts import rejected

# --- equal shares


def test_equal_shares_by_trying_every_set():
    joint = np.array([0.3, 0.2, 0.01])
    gaps = []
    for chosen in range(1, 8):
        inside = np.array([chosen >> k & 1 for k in range(3)])
        gaps.append(entropy(inside / inside.sum(), joint / joint.sum()))
    assert exercises.equal_shares.check(min(gaps)).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (0.7009, "all three"),
        (0.5306, "first value alone"),
        (0.7136, "minus the best bound"),
        (0.6733, "log evidence"),
        (-0.0402, "below"),
    ],
)
def test_equal_shares_wrong(wrong, hint):
    rejected(exercises.equal_shares, wrong, hint)


# --- two bounds


def test_two_bounds():
    assert exercises.two_bounds.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "gap of 10"), ("c", "unknown"), ("d", "no upper limit")])
def test_two_bounds_wrong(letter, why):
    rejected(exercises.two_bounds, letter, why)


# --- the false line


def test_false_line():
    assert exercises.prior_as_guess.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.prior_as_guess.check(line).accepted


# --- the bound from a batch


def by_integrals(x, n, m, s2):
    q = norm(m, s2**0.5)
    ends = m - 12 * s2**0.5, m + 12 * s2**0.5
    fit = quad(lambda z: q.pdf(z) * norm.logpdf(x, z).sum(), *ends)[0]
    kl = quad(lambda z: q.pdf(z) * (q.logpdf(z) - norm.logpdf(z)), *ends)[0]
    return n / len(x) * fit - kl


def pieces(x, m, s2):
    fit = -0.5 * np.sum(np.log(2 * np.pi) + (x - m) ** 2 + s2)
    return fit, 0.5 * (s2 + m**2 - 1 - np.log(s2))


def as_given(x, n, m, s2):
    fit, kl = pieces(x, m, s2)
    return n / len(x) * (fit - kl)


def the_batch_alone(x, n, m, s2):
    fit, kl = pieces(x, m, s2)
    return fit - kl


def paid_by_everyone(x, n, m, s2):
    fit, kl = pieces(x, m, s2)
    return n * (fit / len(x) - kl)


def per_example(x, n, m, s2):
    fit, kl = pieces(x, m, s2)
    return (fit - kl) / len(x)


def added(x, n, m, s2):
    fit, kl = pieces(x, m, s2)
    return n / len(x) * fit + kl


def without_spread(x, n, m, s2):
    return n / len(x) * norm.logpdf(x, m).sum() - pieces(x, m, s2)[1]


def test_from_a_batch():
    assert exercises.from_a_batch.check(by_integrals).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (as_given, "paid once"),
        (the_batch_alone, "batch alone"),
        (paid_by_everyone, "counted n times"),
        (per_example, "per example"),
        (added, "subtracted"),
        (without_spread, "spread of q"),
    ],
)
def test_from_a_batch_wrong(wrong, hint):
    rejected(exercises.from_a_batch, wrong, hint)


def test_from_a_batch_not_attempted():
    assert not exercises.from_a_batch.check(lambda x, n, m, s2: ...).attempted


# --- up and down


def test_up_and_down():
    assert exercises.up_and_down.check(((0.8, 0.0001), (0.1, 0.1), (0.4, 0.6))).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (((0.2, 0.2), (0.3, 0.3), (0.5, 0.5)), "log p(x)$ by +0.405"),
        (((0.4, 0.4), (0.2, 0.1), (0.5, 0.5)), "bound changes by -1.0"),
        (((0.6, 0.001), (0.15, 0.15), (0.5, 0.6)), "the sum 1"),
        (((0.6, 0.5), (0.15, 0.15), (0.5, 0.5)), "at most 1"),
        (((0.6, 0.1, 0.1), (0.15, 0.15), (0.5, 0.5)), "pair of finite numbers"),
        ([1, 2, 3], "(before, after, q)"),
    ],
)
def test_up_and_down_wrong(wrong, hint):
    rejected(exercises.up_and_down, wrong, hint)
