"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.generative.variational import correlated_mean_field, exercises, hamiltonian_walk
from tests.verdicts import rejected

# --- how much of the variance is left


def test_share_by_the_package():
    S = np.linalg.inv([[4.0, 3.0], [3.0, 4.0]])
    variances, _ = correlated_mean_field(S)
    assert exercises.share_of_the_variance.check(variances[0] / S[0, 0]).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (0.25, "divide it by"),
        (0.571, "true variance"),
        (0.661, "standard deviations"),
        (2.286, "upside down"),
        (0.5625, "what is lost"),
        (0.75, "correlation"),
    ],
)
def test_share_wrong(wrong, hint):
    rejected(exercises.share_of_the_variance, wrong, hint)


# --- the false line


def test_false_line():
    assert exercises.a_baseline.check("2").accepted


@pytest.mark.parametrize("line", ["1", "3", "4"])
def test_false_line_wrong(line):
    assert not exercises.a_baseline.check(line).accepted


# --- a narrow direction


def test_narrow_by_running_it():
    narrow = np.array([1.0, 1e-4])
    rng = np.random.default_rng(0)
    start = rng.standard_normal((50, 2)) * np.sqrt(narrow)
    with np.errstate(all="ignore"):
        chain = hamiltonian_walk(
            lambda z: -0.5 * (z**2 / narrow).sum(axis=1), lambda z: -z / narrow, start, 0.05, 20, 20, rng
        )
    assert chain.acceptance < 0.01
    assert exercises.narrow_and_wide.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "narrowest"), ("c", "tuned"), ("d", "The narrow one")])
def test_narrow_wrong(letter, why):
    rejected(exercises.narrow_and_wide, letter, why)


# --- a walk in a row


def proposed(i, move, w):
    return i + move if 0 <= i + move < len(w) else i - move


def ways(i, w):
    return 1 if i in (0, len(w) - 1) else 2


def right_walk(w, start, moves, uniforms):
    visited = [start]
    for move, u in zip(moves, uniforms, strict=True):
        i = visited[-1]
        j = proposed(i, move, w)
        visited.append(j if w[j] / ways(j, w) > u * w[i] / ways(i, w) else i)
    return visited[1:]


def as_given(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = i + move if 0 <= i + move < len(w) else i - move
        if u < w[j] / w[i]:
            i = j
        visited.append(i)
    return np.array(visited)


def turned(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = proposed(i, move, w)
        if u < w[j] * ways(j, w) / (w[i] * ways(i, w)):
            i = j
        visited.append(i)
    return np.array(visited)


def only_out(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = proposed(i, move, w)
        ratio = w[j] / w[i]
        if i in (0, len(w) - 1):
            ratio /= 2
        if u < ratio:
            i = j
        visited.append(i)
    return np.array(visited)


def only_in(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = proposed(i, move, w)
        ratio = w[j] / w[i]
        if j in (0, len(w) - 1):
            ratio *= 2
        if u < ratio:
            i = j
        visited.append(i)
    return np.array(visited)


def without_refused(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = proposed(i, move, w)
        if u < w[j] * ways(i, w) / (w[i] * ways(j, w)):
            i = j
            visited.append(i)
    return np.array(visited)


def stopped_at_the_ends(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = i + move
        if 0 <= j < len(w) and u < w[j] / w[i]:
            i = j
        visited.append(i)
    return np.array(visited)


def test_walk_in_a_row():
    assert exercises.walk_in_a_row.check(right_walk).accepted


@pytest.mark.parametrize(("walk", "wanted"), [(right_walk, [3, 4, 2, 3]), (as_given, [1.5, 4, 2, 1.5])])
def test_frequencies_of_the_walks(walk, wanted):
    rng, steps = np.random.default_rng(0), 60_000
    visited = walk([3.0, 4.0, 2.0, 3.0], 0, rng.choice([-1, 1], steps), rng.random(steps))
    shares = np.bincount(visited, minlength=4) / steps
    np.testing.assert_allclose(shares, np.array(wanted) / sum(wanted), atol=0.015)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (as_given, "does not cancel"),
        (turned, "upside down"),
        (only_out, "only moves away"),
        (only_in, "only moves to an end"),
        (without_refused, "a sample too"),
        (stopped_at_the_ends, "turned round"),
    ],
)
def test_walk_in_a_row_wrong(wrong, hint):
    rejected(exercises.walk_in_a_row, wrong, hint)


# --- a diagnostic that looks at means

DRAWS = np.random.default_rng(3).standard_normal((400, 4))


@pytest.mark.parametrize("widths", [[1, 1, 1, 12], [0.05, 1, 1, 1], [1, 20, 1, 20]])
def test_unequal_spread(widths):
    assert exercises.unequal_spread.check(DRAWS * np.array(widths)).accepted


def test_unequal_spread_without_chance():
    swing = np.where(np.arange(400) % 2, 1.0, -1.0)
    assert exercises.unequal_spread.check(np.outer(swing, [1, 1, 1, 10])).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (DRAWS, "times as wide"),
        (DRAWS * np.array([1, 1, 1, 9]), "times as wide"),
        (DRAWS * np.array([1, 1, 1, 12]) + np.array([0, 9, -9, 0]), "gives it away"),
        (DRAWS * np.array([0, 1, 1, 1]), "must vary"),
        (DRAWS.T, "400 rows"),
        (DRAWS * np.inf, "finite"),
    ],
)
def test_unequal_spread_wrong(wrong, hint):
    rejected(exercises.unequal_spread, wrong, hint)
