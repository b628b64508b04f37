"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.foundations.information import multivariate_gaussian_kl
from chapters_src.generative.elbo import exercises
from chapters_src.generative.elbo.bounds import elbo, linear_gaussian
from chapters_src.generative.mixtures.gaussian_mixture import maximised
from chapters_src.generative.variational.mean_field import correlated_mean_field
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


# --- the M step


def test_m_step_solution():
    def by_the_book(x, r):
        model = maximised(x[:, None], r, floor=0.0)
        return model.weights, model.means[:, 0], model.covariances[:, 0, 0]

    assert exercises.m_step.check(by_the_book).message == "Accepted: 4 cases."

    def with_loops(x, r):
        rows = []
        for k in range(r.shape[1]):
            mean = np.average(x, weights=r[:, k])
            rows.append((r[:, k].mean(), mean, np.average((x - mean) ** 2, weights=r[:, k])))
        return tuple(np.array(rows).T)

    assert exercises.m_step.check(with_loops).accepted


def answer(x, r):
    N = r.sum(axis=0)
    mean = x @ r / N
    return N / len(x), mean, ((x[:, None] - mean) ** 2 * r).sum(0) / N


def hard(x, r):
    parts = [x[r.argmax(axis=1) == k] for k in range(r.shape[1])]
    return (
        np.array([len(p) / len(x) for p in parts]),
        np.array([p.mean() for p in parts]),
        np.array([p.var() for p in parts]),
    )


M_WRONG = {
    "divide the means": lambda x, r: (r.mean(0), (r * x[:, None]).mean(0), answer(x, r)[2]),
    "divide the variances": lambda x, r: (
        *answer(x, r)[:2],
        (r * (x[:, None] - answer(x, r)[1]) ** 2).mean(0),
    ),
    "the weights are shares": lambda x, r: (r.sum(0), *answer(x, r)[1:]),
    "around its own mean": lambda x, r: (
        *answer(x, r)[:2],
        ((x - np.mean(x)) ** 2 @ r) / r.sum(0),
    ),
    "not standard deviations": lambda x, r: (*answer(x, r)[:2], answer(x, r)[2] ** 0.5),
    "not squared itself": lambda x, r: (
        *answer(x, r)[:2],
        ((r * (x[:, None] - answer(x, r)[1])) ** 2).sum(0) / r.sum(0),
    ),
    "do not round": hard,
    "expected 3 values": lambda x, r: answer(x, r)[1],
}


@pytest.mark.parametrize("hint", M_WRONG)
def test_m_step_wrong(hint):
    rejected(exercises.m_step, M_WRONG[hint], hint)


# --- what mean field reports


def test_reported_solution():
    variances, _ = correlated_mean_field([[1.0, 0.8], [0.8, 1.0]])
    assert exercises.reported_sd.check(variances[0] ** 0.5).accepted
    assert exercises.reported_sd.check(0.6).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("that is the variance", 1 - 0.8**2),
        ("the forward KL would keep", 1),
        ("look at the diagonal", 1 - 0.8),
        ("the correlation itself", 0.8),
        ("upside down", 1 / 0.6),
        ("under the root", (1 - 0.8) ** 0.5),
        ("held still", 0.5),
    ],
)
def test_reported_wrong(hint, value):
    verdict = rejected(exercises.reported_sd, value, hint)
    assert "0.6 " not in verdict.message


# --- the acceptance probability


def test_acceptance_solution():
    def log_acceptance(log_p_here, log_p_there, log_g_there, log_g_back):
        return np.minimum(0, (log_p_there + log_g_back) - (log_p_here + log_g_there))

    assert exercises.log_acceptance.check(log_acceptance).message == "Accepted: 5 cases."


ACCEPT_WRONG = {
    "right for symmetric proposals only": lambda h, t, gt, gb: min(0.0, t - h),
    "the correction is upside down": lambda h, t, gt, gb: min(0.0, t - h + gt - gb),
    "leave out the exponential": lambda h, t, gt, gb: min(1.0, np.exp(t - h + gb - gt)),
    "the new place stands above": lambda h, t, gt, gb: h - t + gt - gb,
    "take the minimum with 0": lambda h, t, gt, gb: max(0.0, t - h + gb - gt),
    "logarithm is at most 0": lambda h, t, gt, gb: t - h + gb - gt,
}


@pytest.mark.parametrize("hint", ACCEPT_WRONG)
def test_acceptance_wrong(hint):
    rejected(exercises.log_acceptance, ACCEPT_WRONG[hint], hint)


# --- a start from which EM gets stuck


def test_stuck_solution():
    assert exercises.stuck_start.check([-4.5, -3.5, 2.0]).message == "Accepted."
    assert exercises.stuck_start.check(np.array([3.5, 4.5, -2.0])).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("ends 0.0 nats below", [-4.0, 0.0, 4.0]),
        ("ends 0.0 nats below", [-1.0, 0.0, 1.0]),
        ("got shape (2,)", [-4.0, 4.0]),
        ("three different means", [0.0, 0.0, 4.0]),
        ("between −20 and 20", [0.0, np.nan, 4.0]),
        ("between −20 and 20", [0.0, 1e6, 4.0]),
        ("could not be checked", "left"),
    ],
)
def test_stuck_wrong(hint, attempt):
    rejected(exercises.stuck_start, attempt, hint)
