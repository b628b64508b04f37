"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.generative.clusters import exercises, fit_k_means, groups_below, merges
from tests.verdicts import rejected

# --- a rectangle


def test_rectangle_by_running_it():
    X = [[0.0, 0.0], [0.0, 2.0], [5.0, 0.0], [5.0, 2.0]]
    fit = fit_k_means(X, [[2.5, 0.0], [2.5, 2.0]])
    assert exercises.stuck_on_a_rectangle.check(fit.losses[-1]).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"), [(4, "least possible"), (10, "squares"), (12.5, "two pairs"), (6.25, "one point")]
)
def test_rectangle_wrong(wrong, hint):
    rejected(exercises.stuck_on_a_rectangle, wrong, hint)


# --- a bridge


def test_bridge_by_running_it():
    rng = np.random.default_rng(0)
    crowds = [rng.normal([x, 0.0], 0.3, (100, 2)) for x in (0.0, 8.0)]
    X = np.vstack([*crowds, np.column_stack([np.arange(0.6, 7.5, 0.12), np.zeros(58)])])
    for name, split in (("single", False), ("ward", True)):
        joins = merges(X, name)
        z = groups_below(joins, (joins[-2, 2] + joins[-1, 2]) / 2)
        apart = np.bincount(z[:100]).argmax() != np.bincount(z[100:200]).argmax()
        assert apart == split
    assert exercises.a_bridge.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "cheapest"), ("c", "comes last"), ("d", "ideal cut")])
def test_bridge_wrong(letter, why):
    rejected(exercises.a_bridge, letter, why)


# --- the false line


def test_false_line():
    assert exercises.pairs_in_a_cluster.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.pairs_in_a_cluster.check(line).accepted


# --- one round


def right_round(X, C):
    groups = [[] for _ in C]
    for x in X:
        groups[min(range(len(C)), key=lambda k: np.linalg.norm(x - C[k]))].append(x)
    return np.array([np.mean(g, axis=0) if g else c for g, c in zip(groups, C, strict=True)])


def as_given(X, C):
    z = np.abs((X[:, None] - C).sum(axis=2)).argmin(axis=1)
    return np.array([X[z == k].mean(axis=0) if (z == k).any() else C[k] for k in range(len(C))])


def to_the_origin(X, C):
    z = ((X[:, None] - C) ** 2).sum(axis=2).argmin(axis=1)
    return np.array([X[z == k].sum(axis=0) / max(1, (z == k).sum()) for k in range(len(C))])


def by_streets(X, C):
    z = np.abs(X[:, None] - C).sum(axis=2).argmin(axis=1)
    return np.array([X[z == k].mean(axis=0) if (z == k).any() else C[k] for k in range(len(C))])


def by_medians(X, C):
    z = ((X[:, None] - C) ** 2).sum(axis=2).argmin(axis=1)
    return np.array([np.median(X[z == k], axis=0) if (z == k).any() else C[k] for k in range(len(C))])


def test_one_round():
    assert exercises.one_round.check(right_round).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [(as_given, "cancel"), (to_the_origin, "origin"), (by_streets, "adds squares"), (by_medians, "median")],
)
def test_one_round_wrong(wrong, hint):
    rejected(exercises.one_round, wrong, hint)


# --- a start that ends badly


def test_bad_start():
    assert exercises.bad_start.check(([0, 1, 50, 51, 80, 81], [0, 1, 80])).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (([0, 1, 10, 11, 20, 21], [0, 10, 20]), "1.0 times"),
        (([0, 1, 10, 11, 20, 21], [0, 0, 20]), "must be different"),
        (([0, 1, 10, 11, 20, 21], [0, 5, 20]), "among the six"),
        (([0, 1, 2], [0, 1, 2]), "six finite numbers"),
        (([1, 1, 2, 2, 3, 3], [1, 2, 3]), "least cost is 0"),
        ([1, 2, 3], "(numbers, starts)"),
    ],
)
def test_bad_start_wrong(wrong, hint):
    rejected(exercises.bad_start, wrong, hint)
