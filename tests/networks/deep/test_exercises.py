"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.networks.deep import exercises
from chapters_src.networks.deep.network import deep_parameters, forward, region_limit
from chapters_src.networks.deep.regions import count_pieces
from tests.verdicts import rejected

# --- two hinges, then five


def test_thirteen_pieces_are_reached_and_accepted():
    middle = (-np.ones((2, 5)), np.array([1.5, 2.0, 2.5, 3.0, 3.5]))
    network = [([[1.0, -1.0]], [0.0, 1.0]), middle, (np.array([[1.0], [2.0], [3.0], [4.0], [5.0]]), [0.0])]
    assert count_pieces(network) == 13
    assert exercises.most_pieces.check(13).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (18, "that is the ceiling"),
        (17, "at most two joints"),
        (12, "one piece more than joints"),
        (8, "more than once"),
        (100, "is not possible"),
        (3, "side by side"),
    ],
)
def test_other_counts_are_not(answer, hint):
    rejected(exercises.most_pieces, answer, hint)


# --- twice as deep or twice as wide


def test_the_numbers_of_the_explanation():
    assert region_limit(8, 8) == region_limit(8, 4) ** 2 > region_limit(16, 4)
    assert [deep_parameters(8, 8), deep_parameters(16, 4)] == [529, 865]


def test_depth_has_the_higher_ceiling_for_less():
    assert exercises.twice_as_large.check("a").accepted
    for option, hint in (("b", "529 against 865"), ("c", "multiply their pieces"), ("d", "ceiling")):
        rejected(exercises.twice_as_large, option, hint)


# --- a product out of squares


def test_the_false_line_is_the_second():
    assert exercises.product_of_squares.check("2").accepted
    for line in ("1", "3", "4"):
        assert not exercises.product_of_squares.check(line).accepted


# --- the forward pass


def by_rows(layers, X):
    return forward(layers, X.T).T


def test_a_right_forward_pass_is_accepted():
    assert exercises.repaired_forward.check(by_rows).message == "Accepted: 4 cases."


def loop(layers, X, step, end):
    H = X
    for W, b in layers[:-1]:
        H = step(H, W, b)
    return end(H, *layers[-1])


def hinge(a):
    return np.maximum(a, 0)


def linear(H, W, b):
    return W.T @ H + b[:, None]


WRONG = {
    "two things are wrong": lambda layers, X: loop(
        layers,
        X,
        lambda H, W, b: hinge(W.T @ H) + b[:, None],
        lambda H, W, b: hinge(W.T @ H) + b[:, None],
    ),
    "the bias belongs inside": lambda layers, X: loop(
        layers, X, lambda H, W, b: hinge(W.T @ H) + b[:, None], linear
    ),
    "no hinge after the last": lambda layers, X: loop(
        layers, X, lambda H, W, b: hinge(linear(H, W, b)), lambda H, W, b: hinge(linear(H, W, b))
    ),
    "one linear map": lambda layers, X: loop(layers, X, linear, linear),
    "follow one column": lambda layers, X: loop(
        layers, X, lambda H, W, b: hinge(W.T @ H), lambda H, W, b: W.T @ H
    ),
}


@pytest.mark.parametrize("hint", WRONG)
def test_wrong_forward_passes(hint):
    rejected(exercises.repaired_forward, WRONG[hint], hint)


def test_the_stub_counts_as_not_attempted():
    assert not exercises.repaired_forward.check(lambda layers, X: ...).accepted
    assert not exercises.straight.check(...).accepted


# --- a straight line


def test_another_straight_network():
    first = (np.array([[1.0, -1.0, 2.0]]), np.zeros(3))  # φ(x), φ(−x), φ(2x) = 2φ(x)
    second = (np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]), np.zeros(2))  # 3φ(x) − φ(−x) and its mirror
    third = (np.array([[1.0], [-3.0]]), np.zeros(1))
    assert exercises.straight.check([first, second, third]).accepted


GOOD = [([[2.0, -2.0]], [0.0, 0.0]), ([[1.0, -1.0], [-1.0, 1.0]], [0.0, 0.0]), ([[3.0], [-3.0]], [1.0])]


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("2 pieces; the first joint is at x = 0", [*GOOD[:2], ([[3.0], [-1.0]], [1.0])]),
        ("hidden layers of at least two units", [GOOD[0], ([[3.0], [-3.0]], [1.0])]),
        ("weight is zero: that is too easy", [GOOD[0], (np.eye(2), [0.0, 0.0]), GOOD[2]]),
        ("output is constant", [([[1.0, 1.0]], [0.0, 0.0]), (-np.ones((2, 2)), [0.0, 0.0]), GOOD[2]]),
        ("take one input and give one output", [([[1.0, 1.0], [1.0, 2.0]], [0.0, 0.0]), *GOOD[1:]]),
        ("be a list of pairs", "a network"),
    ],
)
def test_networks_that_are_no_straight_line(hint, attempt):
    rejected(exercises.straight, attempt, hint)
