"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.generative.diffusion import exercises
from chapters_src.generative.diffusion.optimal import mixture_denoiser
from chapters_src.generative.diffusion.schedule import NoiseSchedule, linear_schedule, noised
from chapters_src.generative.samplers.sampling import generalised_step
from tests.verdicts import rejected

# --- the best guess of two points


def test_best_guess_solution():
    def by_bayes(x_t, alpha_bar_t):
        plus, minus = (
            np.exp(-((x_t - s * alpha_bar_t**0.5) ** 2) / (2 * (1 - alpha_bar_t))) for s in (1, -1)
        )
        return (plus - minus) / (plus + minus)

    assert exercises.best_guess.check(by_bayes).message == "Accepted: 5 cases."

    def by_package(x_t, alpha_bar_t):
        schedule = NoiseSchedule([1 - alpha_bar_t], device="cpu", dtype=torch.float64)
        x = torch.tensor([[x_t]], dtype=torch.float64)
        eps = mixture_denoiser(schedule, np.array([[-1.0], [1.0]]))(x, 1)
        return ((x - schedule.noise[1] * eps) / schedule.signal[1]).item()

    assert exercises.best_guess.check(by_package).accepted


GUESS_WRONG = {
    "the likelier of the two": lambda x_t, alpha_bar_t: 1.0 if x_t > 0 else -1.0,
    "as if there were no noise": lambda x_t, alpha_bar_t: x_t * alpha_bar_t**-0.5,
    "standard normal data": lambda x_t, alpha_bar_t: alpha_bar_t**0.5 * x_t,
    r"stand at \pm\sqrt": lambda x_t, alpha_bar_t: np.tanh(x_t / (1 - alpha_bar_t)),
    "not its root": lambda x_t, alpha_bar_t: np.tanh((alpha_bar_t / (1 - alpha_bar_t)) ** 0.5 * x_t),
    "the 2 cancels": lambda x_t, alpha_bar_t: np.tanh(alpha_bar_t**0.5 * x_t / (1 - alpha_bar_t) / 2),
    "probability of +1": lambda x_t, alpha_bar_t: (
        (1 + np.tanh(alpha_bar_t**0.5 * x_t / (1 - alpha_bar_t))) / 2
    ),
    "Bayes' rule": lambda x_t, alpha_bar_t: 0.3,
}


@pytest.mark.parametrize("hint", GUESS_WRONG)
def test_best_guess_wrong(hint):
    rejected(exercises.best_guess, GUESS_WRONG[hint], hint)


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


# --- the variance halfway


def test_variance_by_simulation():
    rng = np.random.default_rng(0)
    x = np.sqrt(0.5) * 2 * rng.standard_normal(400_000) + np.sqrt(0.5) * rng.standard_normal(400_000)
    assert x.var() == pytest.approx(exercises.variance_halfway.answer, rel=0.01)
    assert exercises.variance_halfway.check(5 / 2).message == "Accepted."


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, "only for data of variance 1"),
        (2.0, "the noise adds its own"),
        (4.5, "shrunk as well"),
        (4, "does not keep a variance of 4"),
        (1.5811, "standard deviation"),
        (3.3284, "before its variance"),
        (1.5, "did you use the standard deviation"),
        (7, "variances of independent parts add"),
    ],
)
def test_variance_wrong(value, hint):
    rejected(exercises.variance_halfway, value, hint)


# --- one step of the generalised sampler


def test_sampler_step_agrees_with_the_package():
    """The same step by `generalised_step`, with its noise taken out by drawing it first."""
    schedule = linear_schedule(50, 1e-3, 0.3, device="cpu", dtype=torch.float64)
    x, eps = torch.randn(2, 6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    z = torch.randn(6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    ours = generalised_step(schedule, x, eps, 30, 12, 0.7, torch.Generator().manual_seed(1))
    bars = schedule.alpha_bar[30].item(), schedule.alpha_bar[12].item()
    theirs = exercises.sampler_step.answer(x.numpy(), eps.numpy(), *bars, 0.7, z.numpy())
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def step(root=True, divide=True, keep=True, sigma=True, eta2=True, factor=True, signal=True, noise=True):
    def sampler_step(x_t, eps, alpha_bar_t, alpha_bar_s, eta, z):
        rest = 1 - alpha_bar_t
        x_0 = x_t - (np.sqrt(rest) if root else rest) * eps
        x_0 = x_0 / np.sqrt(alpha_bar_t) if divide else x_0
        variance = (eta**2 if eta2 else eta) * (1 - alpha_bar_t / alpha_bar_s)
        variance = variance * (1 - alpha_bar_s) / rest if factor else variance
        old = np.sqrt(max(1 - alpha_bar_s - (variance if keep else 0), 0)) * eps
        new = (np.sqrt(variance) if sigma else variance) * z
        return (np.sqrt(alpha_bar_s) if signal else alpha_bar_s) * x_0 + old + (new if noise else 0)

    return sampler_step


def test_sampler_step_solution():
    assert exercises.sampler_step.check(step()).message == "Accepted: 4 cases."


STEP_WRONG = {
    "where is the root": "root",
    "the signal in x_t is shrunk": "divide",
    "old noise goes out": "keep",
    "the root of": "sigma",
    "so the variance has": "eta2",
    "as well": "factor",
    "the signal at step s": "signal",
    "where is the fresh noise": "noise",
}


@pytest.mark.parametrize("hint", STEP_WRONG)
def test_sampler_step_wrong(hint):
    rejected(exercises.sampler_step, step(**{STEP_WRONG[hint]: False}), hint)


# --- data that outlast the schedule


@pytest.mark.parametrize(
    "attempt", [[1e4, -1e4], [100.0], np.array([[-300.0, 300.0]]), 200.0, range(100, 110)]
)
def test_stubborn_solution(attempt):
    assert exercises.stubborn_data.check(attempt).message == "Accepted."


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ([-1.0, 1.0], "noise enough"),
        ([10.0, -10.0], "noise enough"),
        ([0.0], "what does the schedule assume"),
        (list(range(11)), "at most ten numbers"),
        ([np.inf], "inite numbers"),
        ("data", "could not be checked"),
    ],
)
def test_stubborn_wrong(attempt, hint):
    verdict = exercises.stubborn_data.check(attempt)
    assert not verdict.accepted
    assert hint.lower() in verdict.message.lower()


def test_the_schedule_of_the_checker_is_the_published_one():
    schedule = linear_schedule(1000, device="cpu", dtype=torch.float64)
    np.testing.assert_allclose(exercises.PUBLISHED, schedule.alpha_bar, rtol=1e-10)


# --- the simplified loss


def test_simple_loss_solution():
    def in_torch(x_0, eps, t, alpha_bar, guess):
        beta = 1 - alpha_bar[1:] / alpha_bar[:-1]
        schedule = NoiseSchedule(beta, device="cpu", dtype=torch.float64)
        x_t = noised(schedule, torch.tensor(x_0), torch.tensor(t), torch.tensor(eps)).numpy()
        return float(((eps - guess(x_t, t)) ** 2).mean())

    assert exercises.simple_loss.check(in_torch).message == "Accepted: 3 cases."

    def row_by_row(x_0, eps, t, alpha_bar, guess):
        misses = []
        for x, e, k in zip(x_0, eps, t, strict=True):
            mixed = alpha_bar[k] ** 0.5 * x + (1 - alpha_bar[k]) ** 0.5 * e
            misses.append(np.mean((e - guess(mixed[None], np.array([k]))[0]) ** 2))
        return np.mean(misses)

    assert exercises.simple_loss.check(row_by_row).accepted


def loss(mix, miss):
    def simple_loss(x_0, eps, t, alpha_bar, guess):
        a = alpha_bar[t].reshape(-1, 1)
        return miss(x_0, eps, guess(mix(x_0, eps, a), t))

    return simple_loss


right = lambda x, e, a: a**0.5 * x + (1 - a) ** 0.5 * e  # noqa: E731
squares = lambda x, e, g: ((e - g) ** 2).mean()  # noqa: E731
LOSS_WRONG = {
    "both factors": loss(lambda x, e, a: a * x + (1 - a) * e, squares),
    "its factor is the root": loss(lambda x, e, a: a**0.5 * x + (1 - a) * e, squares),
    "the data are shrunk": loss(lambda x, e, a: x + (1 - a) ** 0.5 * e, squares),
    "not of the data": loss(right, lambda x, e, g: ((x - g) ** 2).mean()),
    "you summed over coordinates": loss(right, lambda x, e, g: ((e - g) ** 2).sum(axis=1).mean()),
    "misses are squared": loss(right, lambda x, e, g: np.abs(e - g).mean()),
    "exchanged": loss(lambda x, e, a: (1 - a) ** 0.5 * x + a**0.5 * e, squares),
    "average the squared misses": loss(right, lambda x, e, g: 0.1),
}


@pytest.mark.parametrize("hint", LOSS_WRONG)
def test_simple_loss_wrong(hint):
    rejected(exercises.simple_loss, LOSS_WRONG[hint], hint)
