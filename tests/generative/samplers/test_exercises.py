"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.generative.diffusion import NoiseSchedule, gaussian_denoiser
from chapters_src.generative.samplers import exercises, sample, walk_back
from tests.verdicts import rejected

# --- two steps


def test_two_steps_by_running_it():
    schedule = NoiseSchedule(np.array([0.5, 1 - 1e-9]), dtype=torch.float64)  # ᾱ: 1, ½, almost 0
    plain = gaussian_denoiser(schedule, np.zeros(1), np.eye(1))
    x = sample(plain, schedule, torch.ones(1, 1, dtype=torch.float64), 2)
    assert exercises.two_steps.check(x.item() ** 2).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [(1, "variance of the data"), (0.5, "two steps"), (0, "90°"), (0.7071, "multiplies"), (0.75, "add up")],
)
def test_two_steps_wrong(wrong, hint):
    rejected(exercises.two_steps, wrong, hint)


# --- there and back


def test_there_and_back():
    assert exercises.there_and_back.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "thousand draws"), ("c", "mean of the data"), ("d", "taken out")]
)
def test_there_and_back_wrong(letter, why):
    rejected(exercises.there_and_back, letter, why)


# --- the false line


def test_false_line():
    assert exercises.lost_variance.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.lost_variance.check(line).accepted


# --- Adams and Bashforth


def by_integration(x, eps, c, c_s, eps_u, c_u):
    """The line through both slopes, integrated exactly from c to c_s."""
    rise, start = np.polyfit([c_u, c], np.stack([eps_u, eps]), 1)
    return x + rise * (c_s**2 - c**2) / 2 + start * (c_s - c)


ADAMS = {
    "equal length": lambda x, e, c, s, o, u: x + (s - c) * (3 * e - o) / 2,
    "end of the step": lambda x, e, c, s, o, u: x + (s - c) * (e + (s - c) * (e - o) / (c - u)),
    "taken already": lambda x, e, c, s, o, u: x + (s - c) * np.mean([e, o], axis=0),
    "goes back": lambda x, e, c, s, o, u: x + (s - c) * (e - (s - c) / 2 * (e - o) / (c - u)),
    "Euler": lambda x, e, c, s, o, u: x - (c - s) * e,
}


def test_adams_solution():
    assert exercises.adams_step.check(by_integration).accepted


@pytest.mark.parametrize("hint", ADAMS)
def test_adams_wrong(hint):
    wrong = ADAMS[hint]
    rejected(exercises.adams_step, lambda x, eps, c, c_s, eps_u, c_u: wrong(x, eps, c, c_s, eps_u, c_u), hint)


# --- a clipped step


def by_the_package(x_t, eps, bar_t, bar_s):
    schedule = NoiseSchedule(np.array([1 - bar_s, 1 - bar_t / bar_s]), dtype=torch.float64)
    walk = walk_back(lambda x, t: torch.tensor(eps)[None], schedule, torch.tensor(x_t)[None], 2, clip=1.0)
    return list(walk)[1].x[0].numpy()


def guess(x, e, a):
    return (x - (1 - a) ** 0.5 * e) / a**0.5


CLIPPED = {
    "is no longer": lambda x, e, a, b: b**0.5 * np.clip(guess(x, e, a), -1, 1) + (1 - b) ** 0.5 * e,
    "no limits": lambda x, e, a, b: (
        b**0.5 * np.clip(guess(x, e, a), -1, 1) + (1 - b) ** 0.5 * np.clip(e, -1, 1)
    ),
    "nothing is clipped": lambda x, e, a, b: b**0.5 * guess(x, e, a) + (1 - b) ** 0.5 * e,
    "not the noisy": lambda x, e, a, b: np.clip(
        b**0.5 * np.clip(guess(x, e, a), -1, 1) + (1 - b) ** 0.5 * e, -1, 1
    ),
}


def test_clipped_solution():
    assert exercises.clipped_step.check(by_the_package).accepted


@pytest.mark.parametrize("hint", CLIPPED)
def test_clipped_wrong(hint):
    wrong = CLIPPED[hint]
    rejected(exercises.clipped_step, lambda x_t, eps, bar_t, bar_s: wrong(x_t, eps, bar_t, bar_s), hint)
