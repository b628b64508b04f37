"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.generative.autoencoder import exercises
from tests.verdicts import rejected


def test_the_error_left_by_trying_weights():
    a = np.linspace(0, 1, 1001)
    assert exercises.shrunk.check(np.min(4 * (1 - a) ** 2 + a**2)).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (1, "hands the noise on"),
        (4, "answering 0"),
        (0, "no weight"),
        (0.2, "falls short"),
        (0.64, "shrunk"),
        (0.16, "the noise contributes too"),
    ],
)
def test_the_error_left_wrong(wrong, hint):
    rejected(exercises.shrunk, wrong, hint)


def test_the_same_loss():
    assert exercises.same_loss.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "doubled"), ("c", "every drawing"), ("d", "alike")])
def test_the_same_loss_wrong(letter, why):
    rejected(exercises.same_loss, letter, why)


def test_false_line():
    assert exercises.linear_denoiser.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.linear_denoiser.check(line).accepted


def right(z, D):
    norms = np.sqrt((D * D).sum(axis=1))
    norms[norms == 0] = 1
    return z * norms[None, :], (D.T / norms).T


def wrong_axis(z, D):
    return z, D / np.linalg.norm(D, axis=0)


def forgets_the_codes(z, D):
    norms = np.sqrt((D * D).sum(axis=1, keepdims=True))
    return z, D / norms


def divides_both(z, D):
    norms = np.linalg.norm(D, axis=1)
    return z / norms, D / norms[:, None]


def no_root(z, D):
    squares = (D**2).sum(axis=1)
    return z * squares, D / squares[:, None]


def one_for_all(z, D):
    return z * np.linalg.norm(D), D / np.linalg.norm(D)


def test_unit_features():
    assert exercises.unit_features.check(right).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (wrong_axis, "columns"),
        (forgets_the_codes, "have changed"),
        (divides_both, "larger code"),
        (no_root, "root"),
        (one_for_all, "of its own"),
    ],
)
def test_unit_features_wrong(wrong, hint):
    rejected(exercises.unit_features, wrong, hint)


def test_a_feature_of_length_zero_must_survive():
    def divides(z, D):
        norms = np.linalg.norm(D, axis=1)
        return z * norms, D / norms[:, None]

    assert not exercises.unit_features.check(divides).accepted


def test_a_hole_with_straight_pieces():
    places, heights = np.arange(0, 3.5, 0.5), [0, 40, 1, 40, 2, 40, 3]
    assert exercises.a_hole.check([lambda x: 1.0 * x, lambda z: np.interp(z, places, heights)]).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ([lambda x: x, lambda z: z], "only 0.5 away"),
        ([lambda x: x, lambda z: z + 20], "not zero"),
        ([lambda x: x, lambda z: np.where(z % 1 == 0, z, 99)], "jumps"),
        ([lambda x: 0 * x, lambda z: z], "not zero"),
        (3, "two functions"),
        ([lambda x: x[:2], lambda z: z], "four finite codes"),
        ([lambda x: x, lambda z: z if len(z) == 4 else np.full(3, 50.0)], "every code between"),
    ],
)
def test_a_hole_wrong(wrong, hint):
    rejected(exercises.a_hole, wrong, hint)
