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


# --- a walk on a ring


def right_walk(w, start, moves, uniforms):
    visited = [start]
    for move, u in zip(moves, uniforms, strict=True):
        i = visited[-1]
        j = (i + move) % len(w)
        visited.append(j if w[j] > u * w[i] else i)
    return visited[1:]


def as_given(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = (i + move) % len(w)
        if u < w[j] / w[i]:
            i = j
            visited.append(i)
    return np.array(visited)


def proposals(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = (i + move) % len(w)
        visited.append(j)
        if u < w[j] / w[i]:
            i = j
    return np.array(visited)


def turned(w, start, moves, uniforms):
    visited, i = [], start
    for move, u in zip(moves, uniforms, strict=True):
        j = (i + move) % len(w)
        if u < w[i] / w[j]:
            i = j
        visited.append(i)
    return np.array(visited)


def climber(w, start, moves, uniforms):
    visited, i = [], start
    for move in moves:
        j = (i + move) % len(w)
        if w[j] >= w[i]:
            i = j
        visited.append(i)
    return np.array(visited)


def test_ring_walk():
    assert exercises.ring_walk.check(right_walk).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (as_given, "a sample too"),
        (proposals, "not what was proposed"),
        (turned, "upside down"),
        (climber, "only climbs"),
    ],
)
def test_ring_walk_wrong(wrong, hint):
    rejected(exercises.ring_walk, wrong, hint)


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
