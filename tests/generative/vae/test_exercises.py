"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
from scipy.special import expit, logsumexp
from torch.distributions import Normal, kl_divergence

from chapters_src.generative.mixtures.ppca import direction_kl
from chapters_src.generative.vae import exercises
from tests.verdicts import rejected

# --- the divergence to a wide prior


def test_kl_solution():
    def by_library(mu, v, tau2):
        q = Normal(torch.tensor(mu), torch.tensor(v).sqrt())
        return kl_divergence(q, Normal(0 * q.mean, q.mean * 0 + tau2**0.5)).sum().item()

    def by_rescaling(mu, v, tau2):
        m, s2 = mu / np.sqrt(tau2), v / tau2
        return np.sum(m**2 + s2 - np.log(s2) - 1) / 2

    assert exercises.kl_to_wide_prior.check(by_rescaling).message == "Accepted: 4 cases."
    assert exercises.kl_to_wide_prior.check(by_library).accepted


KL_WRONG = {
    "before everything": lambda mu, v, t: ((mu**2 + v) / t - 1 - np.log(v) + np.log(t)).sum(),
    "not the variances alone": lambda mu, v, t: (
        v.sum() / (2 * t) + (mu @ mu) / t - len(v) - np.log(v / t).sum()
    ),
    r"where does \tau^2 come in": lambda mu, v, t: (mu @ mu + v.sum() - len(mu) - np.log(np.prod(v))) / 2,
    "compares two variances": lambda mu, v, t: ((mu @ mu + v.sum()) / t - len(mu) - np.log(v).sum()) / 2,
    "sign of the logarithm": lambda mu, v, t: ((mu @ mu + v.sum()) / t - len(mu) + np.log(v / t).sum()) / 2,
    "do not square it": lambda mu, v, t: 0.5 * ((mu**2 + v**2) / t - 1 - 2 * np.log(v) + np.log(t)).sum(),
    "the other way round": lambda mu, v, t: 0.5 * ((mu**2 + t) / v - 1 + np.log(v / t)).sum(),
    "a mean would change": lambda mu, v, t: ((mu**2 + v) / t - 1 - np.log(v / t)).mean() / 2,
    "got shape (2,)": lambda mu, v, t: ((mu**2 + v) / t - 1 - np.log(v / t)) / 2,
    "start from": lambda mu, v, t: 0.5 * ((mu**2 + v) / np.sqrt(t) - 1 - np.log(v / t)).sum(),
}


@pytest.mark.parametrize("hint", KL_WRONG)
def test_kl_wrong(hint):
    rejected(exercises.kl_to_wide_prior, KL_WRONG[hint], hint)


# --- a draw


def test_draw_solution():
    def draw(mu, log_variance, eps):
        std = np.sqrt(np.exp(log_variance))
        return eps * std + mu

    assert exercises.draw.check(draw).message == "Accepted: 3 cases."


DRAW_WRONG = {
    "take its exponential": lambda m, v, e: m + v * e,
    "that is the variance": lambda m, v, e: m + np.exp(v) * e,
    "not the other way round": lambda m, v, e: np.exp(v / 2) * m + e,
    "sign in the exponent": lambda m, v, e: m + e / np.exp(v / 2),
    "every draw is the same": lambda m, v, e: m + np.exp(v / 2),
    "belongs in the exponent": lambda m, v, e: m + np.exp(v) / 2 * e,
    "is the root of": lambda m, v, e: m,
}


@pytest.mark.parametrize("hint", DRAW_WRONG)
def test_draw_wrong(hint):
    rejected(exercises.draw, DRAW_WRONG[hint], hint)


# --- the importance-weighted bound


def test_bound_solution():
    def by_library(log_w):
        return logsumexp(log_w, axis=0) - np.log(log_w.shape[0])

    assert exercises.weighted_bound.check(by_library).message == "Accepted: 4 cases."


BOUND_WRONG = {
    "is the ELBO": lambda w: np.mean(w, axis=0),
    r"subtract \log K": lambda w: logsumexp(w, axis=0),
    "draws are rows": lambda w: logsumexp(w, axis=1) - np.log(w.shape[1]),
    "largest weight alone": lambda w: w.max(0),
    "not their mean": lambda w: np.mean(logsumexp(w, axis=0) - np.log(len(w))),
    "logarithm is missing": lambda w: np.exp(w).mean(axis=0),
    "every weight is 0": lambda w: np.log(np.mean(np.exp(w), axis=0)),
}


@pytest.mark.parametrize("hint", BOUND_WRONG)
def test_bound_wrong(hint):
    rejected(exercises.weighted_bound, BOUND_WRONG[hint], hint)


# --- nats above the water


def test_nats_solution():
    assert exercises.nats_in_the_code.check(direction_kl(exercises.spectrum, 0.5).sum()).accepted
    assert exercises.nats_in_the_code.check(2.079).accepted
    assert not exercises.nats_in_the_code.check(2.1).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("half the logarithm", np.sum(np.log(np.array([8.0, 4.0, 2.0])))),
        ("below the noise", 0.5 * np.sum(np.log(exercises.spectrum / 0.5))),
        ("in bits", 0.5 * np.sum(np.log2(np.array([8.0, 4.0, 2.0])))),
        ("over noise", 0.5 * np.log(8.0)),
        ("has the noise in it", 0.5 * np.sum(np.log1p(np.array([8.0, 4.0, 2.0])))),
        ("not squared", 0.5 * np.log(4 * 2 * 1 * 4.0**3)),
        ("above the noise", 7.0),
    ],
)
def test_nats_wrong(hint, value):
    verdict = rejected(exercises.nats_in_the_code, value, hint)
    assert "2.07" not in verdict.message


# --- the silent β


def test_beta_solution():
    assert exercises.silent_beta.check(49).accepted
    assert exercises.silent_beta.check(784 / 16).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("divided as well", 784),
        ("upside down", 16 / 784),
        ("the balance changes", 1),
        ("less, not more", 784 * 16),
        ("divided too", 0.0625),
        ("bring", 28),
    ],
)
def test_beta_wrong(hint, value):
    rejected(exercises.silent_beta, value, hint)


# --- what the slip likes best


def test_favourite_solution():
    assert exercises.favourite.check((np.zeros(2), [2.0, 2.0])).message == "Accepted."
    assert exercises.favourite.check([[1e-5, 0.0], [2.0001, 2.0]]).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("the prior itself", (np.zeros(2), np.ones(2))),
        ("closer to 0", (np.array([0.5, 0.0]), np.full(2, 2.0))),
        ("larger variances", (np.zeros(2), np.full(2, 1.5))),
        ("lower", (np.zeros(2), np.full(2, 4.0))),
        ("positive", (np.zeros(2), np.array([2.0, -2.0]))),
        ("got shapes (3,) and (2,)", (np.zeros(3), np.full(2, 2.0))),
        ("give a pair", np.full(3, 2.0)),
        ("could not be checked", ("mu", "v")),
    ],
)
def test_favourite_wrong(hint, attempt):
    verdict = exercises.favourite.check(attempt)
    assert not verdict.accepted and hint.lower() in verdict.message.lower(), verdict.message


# --- the score function of a coin


def test_coin_solution():
    def coin_gradient(a, z, values, baseline):
        total = 0.0
        for s in range(len(z)):
            total += (values[s] - baseline) * (1 - expit(a) if z[s] == 1 else -expit(a))
        return total / len(z)

    assert exercises.coin_gradient.check(coin_gradient).message == "Accepted: 3 cases."


@pytest.mark.parametrize("baseline", [0.0, 2.0])
def test_coin_answer_is_unbiased(baseline):
    """Over all 2³ outcomes the expectation is d/da [σ(a) f(1) + (1 − σ(a)) f(0)]."""
    a, f = 0.4, np.array([1.0, 3.5])
    p, total = expit(a), 0.0
    for bits in np.ndindex(2, 2, 2):
        z = np.array(bits, dtype=float)
        estimate = exercises.coin_gradient.answer(a, z, f[list(bits)], baseline)
        total += np.prod(np.where(z == 1, p, 1 - p)) * estimate
    assert total == pytest.approx(p * (1 - p) * (f[1] - f[0]))


COIN_WRONG = {
    "without the baseline": lambda a, z, f, b: np.mean(f * (z - expit(a))),
    "before the score": lambda a, z, f, b: np.mean(f * (z - expit(a))) - b,
    r"which is z-\sigma(a)": lambda a, z, f, b: np.mean((f - b) * z),
    r"is \sigma(a), not a": lambda a, z, f, b: np.mean((f - b) * (z - a)),
    "the sign is turned": lambda a, z, f, b: np.mean((f - b) * (expit(a) - z)),
    "not their sum": lambda a, z, f, b: np.sum((f - b) * (z - expit(a))),
    "by the probability": lambda a, z, f, b: np.mean((f - b) * (z / expit(a) - (1 - z) / (1 - expit(a)))),
    "differentiate it": lambda a, z, f, b: 0.0,
}


@pytest.mark.parametrize("hint", COIN_WRONG)
def test_coin_wrong(hint):
    rejected(exercises.coin_gradient, COIN_WRONG[hint], hint)
