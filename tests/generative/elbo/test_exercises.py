"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.foundations.information import multivariate_gaussian_kl
from chapters_src.generative.elbo import exercises
from chapters_src.generative.elbo.bounds import elbo, linear_gaussian
from tests.verdicts import rejected

# --- KL to the standard Gaussian


def test_kl_solution():
    def by_matrices(mean, log_variance):
        d = len(mean)
        return multivariate_gaussian_kl(mean, np.diag(np.exp(log_variance)), np.zeros(d), np.eye(d))

    def by_torch(mean, log_variance):
        q = torch.distributions.Normal(torch.tensor(mean), torch.tensor(np.exp(log_variance / 2)))
        p = torch.distributions.Normal(torch.zeros(len(mean)).double(), torch.ones(len(mean)).double())
        return torch.distributions.kl_divergence(q, p).sum()

    assert exercises.kl_to_standard.check(by_matrices).message == "Accepted: 4 cases."
    assert exercises.kl_to_standard.check(by_torch).accepted


KL_WRONG = {
    "not the trace alone": lambda m, lv: 0.5 * np.exp(lv).sum() + m @ m - len(m) - lv.sum(),
    "before the bracket": lambda m, lv: np.exp(lv).sum() + m @ m - len(m) - lv.sum(),
    "never negative": lambda m, lv: 0.5 * (1 + lv - m**2 - np.exp(lv)).sum(),
    "determinant is subtracted": lambda m, lv: 0.5 * (np.exp(lv) + m**2 - 1 + lv).sum(),
    "log-determinant is missing": lambda m, lv: 0.5 * (np.exp(lv).sum() + m @ m - len(m)),
    "subtract 1 for every dimension": lambda m, lv: 0.5 * (np.exp(lv).sum() + m @ m - lv.sum()),
    "divides by d": lambda m, lv: -0.5 * np.mean(1 + lv - m**2 - np.exp(lv)),
    "sum over the dimensions": lambda m, lv: -0.5 * (1 + lv - m**2 - np.exp(lv)),
    "already, not of the standard deviation": lambda m, lv: 0.5 * np.sum(np.exp(lv) ** 2 + m**2 - 1 - 2 * lv),
    "the other way round": lambda m, lv: 0.5 * np.sum((1 + m**2) * np.exp(-lv) - 1 + lv),
    "raised": lambda m, lv: m @ np.ones(17),
}


@pytest.mark.parametrize("hint", KL_WRONG)
def test_kl_wrong(hint):
    rejected(exercises.kl_to_standard, KL_WRONG[hint], hint)


# --- the ELBO of a linear-Gaussian model


def test_linear_elbo_solution():
    def by_the_book(x, w, v, m, s2):
        return elbo(linear_gaussian([[w]], [0.0], v), [x], [m], [[s2]]).forms[2]

    assert exercises.linear_elbo.check(by_the_book).message == "Accepted: 4 cases."


def log_n(e2, v):
    return -0.5 * np.log(2 * np.pi * v) - e2 / (2 * v)


def kl(m, s2):
    return 0.5 * (s2 + m**2 - 1 - np.log(s2))


ELBO_WRONG = {
    "adds w^2s^2": lambda x, w, v, m, s2: log_n((x - w * m) ** 2, v) - kl(m, s2),
    "the factor is squared": lambda x, w, v, m, s2: log_n((x - w * m) ** 2 + abs(w) * s2, v) - kl(m, s2),
    "to the prior is subtracted": lambda x, w, v, m, s2: log_n((x - w * m) ** 2 + w**2 * s2, v) + kl(m, s2),
    "reconstruction alone": lambda x, w, v, m, s2: log_n((x - w * m) ** 2 + w**2 * s2, v),
    "what one maximises": lambda x, w, v, m, s2: kl(m, s2) - log_n((x - w * m) ** 2 + w * w * s2, v),
    "has a normaliser": lambda x, w, v, m, s2: -((x - w * m) ** 2 + w * w * s2) / (2 * v) - kl(m, s2),
    "entropy of q is missing": lambda x, w, v, m, s2: (
        log_n((x - w * m) ** 2 + w * w * s2, v) + log_n(m**2 + s2, 1)
    ),
    "itself; the bound is below it": lambda x, w, v, m, s2: log_n(x**2, w**2 + v),
    "then subtract the KL of exercise 1": lambda x, w, v, m, s2: 0.0,
}


@pytest.mark.parametrize("hint", ELBO_WRONG)
def test_linear_elbo_wrong(hint):
    rejected(exercises.linear_elbo, ELBO_WRONG[hint], hint)
