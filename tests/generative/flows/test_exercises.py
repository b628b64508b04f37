"""Answers as a student would write them, right and wrong."""

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from chapters_src.generative.flows import bits_per_dimension, exercises, straight_velocity, trajectory
from tests.verdicts import rejected

# --- negative bits


def test_negative_bits_by_the_package():
    found = bits_per_dimension(torch.tensor([3.5]), 1, 256).item()
    assert exercises.negative_bits.check(found).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (-5.05, "negative length"),
        (4.5, "nats"),
        (13.05, "which sign"),
        (5.05, "still missing"),
        (-1, "negative"),
    ],
)
def test_negative_bits_wrong(wrong, hint):
    rejected(exercises.negative_bits, wrong, hint)


# --- one step after all


def test_one_step_after_all():
    z = torch.linspace(-2.5, 2.5, 41, dtype=torch.float64)[:, None]
    first = straight_velocity(torch.tensor([[-2.0], [-1.0], [0.5], [2.0]], dtype=torch.float64))
    x = trajectory(first, z, 100, "midpoint", 0.0, 0.99)[-1]
    for t in (0.0, 0.3, 0.6, 0.9):  # ways between pairs in one order stay in that order: none cross
        assert ((1 - t) * z + t * x).diff(dim=0).min() > 0
    assert exercises.one_step_after_all.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "How many partners"), ("b", "can they cross"), ("d", "no randomness")]
)
def test_one_step_after_all_wrong(letter, why):
    rejected(exercises.one_step_after_all, letter, why)


# --- two pushes


def test_two_pushes():
    assert exercises.two_pushes.check("4").accepted


@pytest.mark.parametrize("line", ["1", "2", "3", "5"])
def test_two_pushes_wrong(line):
    assert not exercises.two_pushes.check(line).accepted


# --- the density of a squashed number


def from_scratch(y, mu, s):
    a = np.log(y / (1 - y))
    return -0.5 * ((a - mu) / s) ** 2 - np.log(s) - 0.5 * math.log(2 * math.pi) - np.log(y * (1 - y))


def gaussian(a, mu, s):
    return from_scratch(1 / (1 + np.exp(-a)), mu, s) - np.log(2 + np.exp(a) + np.exp(-a))


WRONG = {
    "the sign of the logarithm": lambda y, a, mu, s: gaussian(a, mu, s) + np.log(y - y**2),
    "without the stretching": lambda y, a, mu, s: gaussian(a, mu, s),
    "not by doing it again": lambda y, a, mu, s: gaussian(1 / (1 + np.exp(-y)), mu, s) - np.log(y - y**2),
    "in the Gaussian density already": lambda y, a, mu, s: from_scratch(y, mu, s) - np.log(s),
    "not the variance": lambda y, a, mu, s: from_scratch(y, mu, s * s),
    "that is the density": lambda y, a, mu, s: np.exp(from_scratch(y, mu, s)),
}


def test_squashed_density_solution():
    assert quad(lambda y: np.exp(from_scratch(y, 0.4, 1.5)), 0, 1)[0] == pytest.approx(1)
    assert exercises.squashed_density.check(from_scratch).accepted


@pytest.mark.parametrize("hint", WRONG)
def test_squashed_density_wrong(hint):
    rejected(exercises.squashed_density, lambda y, mu, s: WRONG[hint](y, np.log(y / (1 - y)), mu, s), hint)


# --- a push that folds


@pytest.mark.parametrize("answer", [(-2.0, 0.0, 1.91501), (-2.0, -1.91501, 1.91501), [-3, 0, 2.98470]])
def test_folded(answer):
    assert exercises.folded.check(answer).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("slope 1 + u(1 − tanh²) is positive", (-0.5, 0.0, 1.0)),
        ("images are 0.523 apart", (-2.0, 0.0, 1.0)),
        ("at least 0.5 apart", (-2.0, 0.0, 0.1)),
        ("got shape (2,)", (-2.0, 0.0)),
        ("between −10 and 10", (-50.0, 0.0, 3.0)),
        ("could not be checked", "fold"),
    ],
)
def test_folded_wrong(hint, attempt):
    rejected(exercises.folded, attempt, hint)
