"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.networks.shallow import Network, exercises
from chapters_src.networks.shallow.arrangement import count_cells
from tests.verdicts import rejected

# --- five lines


def test_five_lines_by_looking_and_by_counting():
    """Sign patterns on a fine grid beside the line through no grid point, and the exact count."""
    W = np.array([[1.0, 1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, -1.0]])
    b = np.array([0.0, -1.0, 0.0, -1.0, 0.0])
    x = np.arange(-3, 3, 0.1) + 0.013
    X = np.stack(np.meshgrid(x, x + 0.031), axis=-1).reshape(-1, 2)
    assert len(np.unique(X @ W + b > 0, axis=0)) == count_cells(W, b) == exercises.five_lines.answer
    assert exercises.five_lines.check(12).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (16, "the most five lines"),
        (14, "corners"),
        (13, "as well"),
        (9, "the diagonal adds"),
        (32, "patterns of on and off"),
        (6, "one input"),
        (20, "at most 16"),
        (3, "five parallel lines"),
    ],
)
def test_five_lines_wrong(answer, hint):
    rejected(exercises.five_lines, answer, hint)


# --- a unit with all signs turned


def test_turned_unit():
    w, b, v = 1.5, -0.6, 0.8
    x = np.linspace(-2, 2, 41)[:, None]
    before, after = (Network([[s * w]], [s * b], [[s * v]], [0.0]) for s in (1, -1))
    np.testing.assert_allclose(after(x) - before(x), -v * np.abs(w * x + b), atol=1e-12)
    assert exercises.turned_unit.check("c").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "odd"), ("b", "quotient"), ("d", "turned alone")])
def test_turned_unit_wrong(letter, why):
    rejected(exercises.turned_unit, letter, why)


# --- the larger of two


def test_larger_of_two():
    assert exercises.larger_of_two.false == 3
    assert "straight half" in exercises.larger_of_two.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", "is right"), ("4", "follows from line 2")]
)
def test_larger_of_two_wrong(line, why):
    rejected(exercises.larger_of_two, line, why)


# --- units of one slope


def network(w, b, v, c):
    return Network(np.reshape(w, (1, -1)), b, np.reshape(v, (-1, 1)), [c])


def in_a_loop(w, b, v, c):
    units = []
    for one in zip(w, b, v, strict=True):
        if one[0]:
            units.append((np.sign(one[0]), one[1] / abs(one[0]), one[2] * abs(one[0])))
        else:
            c += one[2] * max(0.0, one[1])
    return (*(np.array(part) for part in zip(*units, strict=True)), c)


def test_unit_speed_solution_is_the_same_function():
    assert exercises.unit_speed.check(in_a_loop).accepted
    x = np.linspace(-3, 3, 61)[:, None]
    for case in exercises.unit_speed.cases:
        after = in_a_loop(**case)
        np.testing.assert_allclose(network(*after)(x), network(**case)(x), atol=1e-12)
        assert set(np.abs(after[0])) == {1.0}


UNIT_SPEED_WRONG = {
    "facing left": lambda w, b, v, c: (np.abs(np.sign(w[w != 0])), *in_a_loop(w, b, v, c)[1:]),
    "joints have moved": lambda w, b, v, c: (
        np.sign(w[w != 0]),
        b[w != 0],
        *in_a_loop(w, b, v, c)[2:],
    ),
    "multiplied outside": lambda w, b, v, c: (
        *in_a_loop(w, b, v, c)[:2],
        v[w != 0],
        in_a_loop(w, b, v, c)[3],
    ),
    "adds a constant": lambda w, b, v, c: (*in_a_loop(w, b, v, c)[:3], c),
    "off everywhere": lambda w, b, v, c: (*in_a_loop(w, b, v, c)[:3], c + v[w == 0] @ b[w == 0]),
    "take the size of w": lambda w, b, v, c: (
        *in_a_loop(w, b, v, c)[:2],
        (v * w)[w != 0],
        in_a_loop(w, b, v, c)[3],
    ),
}


@pytest.mark.parametrize("hint", UNIT_SPEED_WRONG)
def test_unit_speed_wrong(hint):
    rejected(exercises.unit_speed, UNIT_SPEED_WRONG[hint], hint)


def test_stubs_are_not_attempts():
    assert not exercises.unit_speed.check(lambda w, b, v, c: ...).attempted
    assert not exercises.jointless.check(...).attempted


# --- four units without a joint


def test_jointless_solution():
    two = np.array([2.0, -2.0])
    attempt = np.append(two, -3 * two), np.array([1.0, -1.0, 0.0, 0.0]), np.array([1.0, -1.0, 0.5, -0.5]), 3
    assert exercises.jointless.check(attempt).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("There is a joint at -3", ([1, 1, 1, 1], [0, 1, 2, 3], [1, 1, 1, 1], 0)),
        ("changes by 2", ([1, -1, 2, -2], [0, 0, 1, -1], [1, 1, 1, -1], 0)),
        ("differ from zero", ([1, -1, 1, 0], [0, 0, 1, 1], [1, -1, 1, 1], 0)),
        ("differ from zero", ([1, -1, 1, 2], [0, 0, 1, 1], [1, -1, 0, 0], 0)),
        ("alike", ([1, 1, -1, -1], [0, 0, 0, 0], [1, 1, -1, -1], 0)),
        ("constant", ([1, 2, 1, 3], [0, 0, 1, 3], [2, -1, 3, -1], 0)),
        ("four things", ([1, -1], [0, 0])),
        ("got (2,), (2,), (2,), ()", ([1, -1], [0, 0], [1, -1], 0)),
        ("finite", ([1, -1, np.inf, 1], [0, 0, 1, 1], [1, -1, 1, 1], 0)),
        ("could not be checked", ("w", "b", "v", "c")),
    ],
)
def test_jointless_wrong(hint, attempt):
    rejected(exercises.jointless, attempt, hint)
