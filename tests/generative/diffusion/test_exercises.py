"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

from chapters_src.generative.diffusion import exercises
from chapters_src.generative.diffusion.optimal import gaussian_noise_left
from chapters_src.generative.diffusion.schedule import NoiseSchedule, linear_schedule, posterior
from tests.verdicts import rejected

# --- fewer steps


def test_fewer_steps_by_search():
    def left(T, last):
        return linear_schedule(T, 1e-4, last, dtype=torch.float64).alpha_bar[-1].item()

    exact = brentq(lambda last: left(250, last) - left(1000, 0.02), 0.03, 0.15)
    assert exercises.fewer_steps.check(exact).accepted
    assert exercises.fewer_steps.check(0.08).accepted  # the rule of thumb


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (0.02, "a quarter"),
        (0.005, "not less"),
        (0.04, "must stay"),
        (0.32, "not squared"),
        (0.9, "pure noise"),
    ],
)
def test_fewer_steps_wrong(wrong, hint):
    rejected(exercises.fewer_steps, wrong, hint)


# --- a loss that stays


def test_a_loss_that_stays():
    floor = gaussian_noise_left(linear_schedule(1000), np.eye(2))[1:].mean()
    assert 0.2 < floor < 0.4  # for standard normal data too, much of the noise cannot be known
    assert exercises.a_loss_that_stays.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "twice as long"), ("b", "held-out points"), ("d", "does not notice")]
)
def test_a_loss_that_stays_wrong(letter, why):
    rejected(exercises.a_loss_that_stays, letter, why)


# --- the false line


def test_false_line():
    assert exercises.data_from_v.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.data_from_v.check(line).accepted


# --- from step s to step t


def test_jump_solution():
    def by_ratio(beta, s, t):
        bar = np.cumprod(1 - beta)
        return (bar[t] / bar[s]) ** 0.5, 1 - bar[t] / bar[s]

    assert exercises.jump_between.check(by_ratio).message == "Accepted: 4 cases."

    def step_by_step(beta, s, t):
        c, v = 1.0, 0.0
        for k in range(s + 1, t + 1):
            c, v = c * np.sqrt(1 - beta[k]), v * (1 - beta[k]) + beta[k]
        return c, v

    assert exercises.jump_between.check(step_by_step).accepted


def _bar(beta):
    return np.cumprod(1 - beta)


JUMP_WRONG = {
    "jumps from x_0": lambda beta, s, t: (_bar(beta)[t] ** 0.5, 1 - _bar(beta)[t]),
    "the factor has a root": lambda beta, s, t: (
        np.prod((1 - beta)[s + 1 : t + 1]),
        1 - np.prod((1 - beta)[s + 1 : t + 1]),
    ),
    "not the standard deviation": lambda beta, s, t: (
        (_bar(beta)[t] / _bar(beta)[s]) ** 0.5,
        (1 - _bar(beta)[t] / _bar(beta)[s]) ** 0.5,
    ),
    "shrinks too": lambda beta, s, t: (
        (_bar(beta)[t] / _bar(beta)[s]) ** 0.5,
        (1 - _bar(beta)[t]) - (1 - _bar(beta)[s]),
    ),
    "you took s,": lambda beta, s, t: (np.prod(1 - beta[s:t]) ** 0.5, 1 - np.prod(1 - beta[s:t])),
    "begin with s+1": lambda beta, s, t: (
        np.prod(1 - beta[s : t + 1]) ** 0.5,
        1 - np.prod(1 - beta[s : t + 1]),
    ),
    "do not add up": lambda beta, s, t: (
        (_bar(beta)[t] / _bar(beta)[s]) ** 0.5,
        beta[s + 1 : t + 1].sum(),
    ),
    "expected 2 values": lambda beta, s, t: _bar(beta)[t] / _bar(beta)[s],
}


@pytest.mark.parametrize("hint", JUMP_WRONG)
def test_jump_wrong(hint):
    rejected(exercises.jump_between, JUMP_WRONG[hint], hint)


# --- an ancestral step that blurs


def by_package(x_t, eps, z, beta, t):
    """Through the estimate of the data and the posterior, one particle at a time."""
    schedule, result = NoiseSchedule(beta[1:], dtype=torch.float64), []
    for x, e, fresh, step in zip(x_t, eps, z, t, strict=True):
        now, bar = torch.tensor([[x]]), np.prod(1 - beta[: step + 1])
        x_0 = (now - np.sqrt(1 - bar) * e) / np.sqrt(bar)
        mean = posterior(schedule, x_0, now, int(step))[0].item()
        result.append(mean if step == 1 else mean + beta[step] ** 0.5 * fresh)
    return np.array(result)


def mean_of(x_t, eps, beta, t):
    bar = np.array([np.prod(1 - beta[: k + 1]) for k in range(len(beta))])
    return (x_t - beta[t] * eps / (1 - bar[t]) ** 0.5) / (1 - beta[t]) ** 0.5


STEP_WRONG = {
    "both are still there": lambda x, e, z, b, t: mean_of(x, e, b, t) + b[t] ** 0.25 * z,
    "where t is 1, add nothing": lambda x, e, z, b, t: mean_of(x, e, b, t) + np.sqrt(b[t]) * z,
    "z needs its root": lambda x, e, z, b, t: mean_of(x, e, b, t) + (t > 1) * b[t] ** 0.25 * z,
    "the standard deviation": lambda x, e, z, b, t: mean_of(x, e, b, t) + (t != 1) * b[t] * z,
    "root is missing, and the last": lambda x, e, z, b, t: mean_of(x, e, b, t) + b[t] * z,
    "do draw noise": lambda x, e, z, b, t: mean_of(x, e, b, t),
    "which standard deviation": lambda x, e, z, b, t: x - e,
}


def test_repaired_step_solution():
    assert exercises.repaired_step.check(by_package).message == "Accepted: 3 cases."


@pytest.mark.parametrize("hint", STEP_WRONG)
def test_repaired_step_wrong(hint):
    rejected(exercises.repaired_step, STEP_WRONG[hint], hint)
