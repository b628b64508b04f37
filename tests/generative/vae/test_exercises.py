"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
from torch.distributions import Bernoulli, Normal, kl_divergence

from chapters_src.core import device
from chapters_src.generative.vae import VAE, elbo, exercises
from tests.verdicts import rejected

# --- a silent β


def test_silent_beta_by_running_it():
    """R/784 − KL/16 and R − βKL, divided by 784, are the same for two unrelated pairs."""
    (r1, k1), (r2, k2) = (-92.0, 22.0), (-143.0, 6.0)
    beta = -784 * ((r1 / 784 - k1 / 16) - (r2 / 784 - k2 / 16) - (r1 - r2) / 784) / (k1 - k2)
    assert exercises.silent_beta.check(beta).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (784, "divided as well"),
        (16 / 784, "upside down"),
        (1, "balance"),
        (12544, "weigh less"),
        (1 / 16, "too"),
    ],
)
def test_silent_beta_wrong(wrong, hint):
    rejected(exercises.silent_beta, wrong, hint)


# --- silent dimensions


def test_a_decoder_given_pure_noise_learns_to_ignore_it():
    """Least squares of a picture on a code that carries it and one that is noise: the second weight is 0."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(20_000)
    Z = np.column_stack([x + 0.1 * rng.standard_normal(20_000), rng.standard_normal(20_000)])
    weights = np.linalg.lstsq(Z, x, rcond=None)[0]
    assert abs(weights[1]) < 0.01 < abs(weights[0])
    assert exercises.silent_dimensions.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "gain by"), ("c", "disturbed"), ("d", "0 nats")])
def test_silent_dimensions_wrong(letter, why):
    rejected(exercises.silent_dimensions, letter, why)


# --- the false line


def test_false_line():
    assert exercises.two_parts.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.two_parts.check(line).accepted


# --- the repaired bound


def by_torch(x, mu, log_var, eps, W, b):
    x, mu, log_var, eps, W, b = map(torch.tensor, (x, mu, log_var, eps, W, b))
    q = Normal(mu, torch.exp(log_var / 2))
    logs = Bernoulli(logits=(q.mean + q.stddev * eps) @ W + b).log_prob(x).sum(1)
    return (logs - kl_divergence(q, Normal(0.0, 1.0)).sum(1)).numpy()


def test_the_repaired_bound():
    assert exercises.bound_of_a_batch.check(by_torch).accepted
    assert not exercises.bound_of_a_batch.check(lambda x, mu, log_var, eps, W, b: ...).attempted


def kl(mu, log_var):
    return (mu**2 / 2 + np.exp(log_var) / 2 - 0.5 - log_var / 2).sum(1)


def pixels(x, z, W, b):
    p = 1 / (1 + np.exp(-(z @ W + b)))
    return x * np.log(p) + (1 - x) * np.log(1 - p)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (
            lambda x, mu, log_var, eps, W, b: (
                pixels(x, mu + np.exp(log_var) * eps, W, b).mean(1) - kl(mu, log_var)
            ),
            "as it was given",
        ),
        (
            lambda x, mu, log_var, eps, W, b: (
                pixels(x, mu + np.exp(log_var) * eps, W, b).sum(1) - kl(mu, log_var)
            ),
            "multiplies the noise",
        ),
        (
            lambda x, mu, log_var, eps, W, b: (
                pixels(x, mu + np.exp(log_var / 2) * eps, W, b).mean(1) - kl(mu, log_var)
            ),
            "balance",
        ),
        (
            lambda x, mu, log_var, eps, W, b: (
                pixels(x, mu + np.exp(log_var / 2) * eps, W, b).sum(1) - kl(mu, log_var)
            ).mean(),
            "per example",
        ),
    ],
)
def test_the_repaired_bound_wrong(wrong, hint):
    rejected(exercises.bound_of_a_batch, wrong, hint)


# --- the weighted bound


def test_weighted_bound():
    def log_mean(log_w):
        return (torch.logsumexp(torch.tensor(log_w), dim=0) - np.log(len(log_w))).numpy()

    assert exercises.weighted_bound.check(log_mean).accepted
    assert not exercises.weighted_bound.check(lambda log_w: ...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda log_w: np.mean(log_w, axis=0), "mean of logarithms"),
        (lambda log_w: np.logaddexp.reduce(log_w, axis=0), "not a sum"),
        (lambda log_w: np.max(log_w, axis=0), "largest weight alone"),
        (lambda log_w: np.exp(log_w).mean(axis=0), "logarithm is missing"),
        (lambda log_w: np.log(np.exp(log_w).mean(axis=0)), "weight is 0"),
    ],
)
def test_weighted_bound_wrong(wrong, hint):
    with np.errstate(all="ignore"):
        rejected(exercises.weighted_bound, wrong, hint)


def test_the_given_bound_is_what_the_package_computes():
    """The reader's formula, for a linear decoder, is `elbo` with the same noise."""
    model = VAE(4, 2, generator=device.seed(0)).double()
    X = torch.randint(0, 2, (5, 4), generator=device.seed(1)).double()
    eps = torch.randn(5, 2, generator=device.seed(2), dtype=torch.float64)
    mu, log_var = (part.detach().numpy() for part in model.encode(X))
    W, b = model.decoder[0].weight.detach().numpy().T, model.decoder[0].bias.detach().numpy()
    ours = by_torch(X.numpy(), mu, log_var, eps.numpy(), W, b)
    np.testing.assert_allclose(elbo(model, X, device.seed(2)).detach(), ours, rtol=1e-10)
