"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy import integrate, stats

from chapters_src.foundations.bayes import (
    exercises,
    posterior_predictive,
    posterior_weights,
    regression_posterior,
)
from tests.verdicts import rejected

# --- two in a row


def test_two_in_a_row_by_quadrature():
    squared = integrate.quad(lambda t: t**2 * stats.beta(4, 1).pdf(t), 0, 1)[0]
    assert exercises.two_in_a_row.check(squared).accepted
    assert exercises.two_in_a_row.check("2/3").accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("maximum likelihood", 1.0),
        ("you squared", 0.64),
        ("asks for two", 0.8),
        ("not one to each", 9 / 16),
        ("before any was read", 0.5),
        ("one at a time", 0.3),
    ],
)
def test_two_in_a_row_wrong(hint, value):
    rejected(exercises.two_in_a_row, value, hint)


# --- ten times the data


def test_ten_times_the_data():
    """The minimiser of mean + λ‖θ‖² is the posterior mean if λ = σ²/(nτ²), for n and for ten times n."""
    for n in (8, 80):
        rng = np.random.default_rng(n)
        X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
        lam = 0.5 / (n * 2.0)
        penalised = np.linalg.solve(X.T @ X / n + lam * np.eye(2), X.T @ y / n)
        np.testing.assert_allclose(penalised, regression_posterior(X, y, 0.5, 2.0).mean, atol=1e-10)
    assert exercises.ten_times_the_data.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"),
    [("a", "if the loss were the sum"), ("b", "fixed number of examples"), ("d", "zero for no")],
)
def test_ten_times_the_data_wrong(letter, why):
    rejected(exercises.ten_times_the_data, letter, why)


# --- the false line


def test_log_posterior():
    assert exercises.log_posterior.false == 2
    assert "added once" in exercises.log_posterior.check("2").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("3", "false as that is"), ("4", "false as that is")],
)
def test_log_posterior_wrong(line, why):
    rejected(exercises.log_posterior, line, why)


# --- draws from the prior


def test_weighted_draws_solution():
    def by_counting(log_likelihood, probabilities, drawn):
        counts = np.bincount(drawn, minlength=len(log_likelihood))
        weights, _ = posterior_weights(counts / len(drawn), log_likelihood)
        return posterior_predictive(weights, probabilities)

    assert exercises.weighted_draws.check(by_counting).message == "Accepted: 3 cases."


def test_weighted_draws_approach_the_posterior_predictive():
    prior, p = np.array([0.3, 0.7]), np.array([[0.8, 0.2], [0.3, 0.7]])
    log_likelihood = 3 * np.log(p[:, 0])
    exact = posterior_predictive(posterior_weights(prior, log_likelihood)[0], p)
    drawn = np.random.default_rng(5).choice(2, size=40_000, p=prior)
    estimate = exercises.weighted_draws.answer(log_likelihood, p, drawn)
    np.testing.assert_allclose(estimate, exact, atol=0.005)
    assert abs(p[drawn].mean(axis=0)[0] - exact[0]) > 0.2


def weighing(weights_of):
    """An answer that weighs each draw by some function of its log-likelihood, divided by their sum."""

    def answer(log_likelihood, probabilities, drawn):
        weights = weights_of(log_likelihood[drawn])
        with np.errstate(invalid="ignore"):
            return weights @ probabilities[drawn] / weights.sum()

    return answer


DRAWS_WRONG = {
    "predicts from the prior alone": weighing(np.ones_like),
    "divide by the sum": lambda log_likelihood, probabilities, drawn: np.mean(
        [np.exp(log_likelihood[i]) * probabilities[i] for i in drawn], axis=0
    ),
    "logarithms of likelihoods": weighing(lambda logs: logs),
    "use the draws": lambda log_likelihood, probabilities, drawn: (
        posterior_weights(np.full(len(log_likelihood), 1 / len(log_likelihood)), log_likelihood)[0]
        @ probabilities
    ),
    "If you get nan": weighing(np.exp),
    "the draws take care": weighing(lambda logs: np.exp(2 * (logs - logs.max()))),
}


@pytest.mark.parametrize("hint", DRAWS_WRONG)
def test_weighted_draws_wrong(hint):
    rejected(exercises.weighted_draws, DRAWS_WRONG[hint], hint)


# --- one more row


def by_precisions(mean, covariance, x, y, variance):
    precision = np.linalg.inv(covariance) + np.outer(x, x) / variance
    old = np.linalg.solve(covariance, mean)
    return np.linalg.solve(precision, old + x * y / variance), np.linalg.inv(precision)


def with_gain(noise=1.0, less=1.0, surprise=True):
    def update(mean, covariance, x, y, variance):
        K = covariance @ x[:, None] / (x @ covariance @ x + noise * variance)
        new = mean + K[:, 0] * (y - surprise * (x @ mean))
        return new, covariance - less * K @ x[None, :] @ covariance

    return update


def test_one_more_row_solution():
    assert exercises.one_more_row.check(by_precisions).message == "Accepted: 3 cases."
    assert exercises.one_more_row.check(with_gain()).accepted


def from_zero(mean, covariance, x, y, variance):
    return by_precisions(0 * mean, covariance, x, y, variance)


ROW_WRONG = {
    "the output has noise too": with_gain(noise=0.0),
    "makes the belief narrower": with_gain(less=0.0),
    "the covariance grew": with_gain(less=-1.0),
    "moves by its surprise": with_gain(surprise=False),
    "forgets the old mean": from_zero,
    "precisions add": lambda mean, covariance, x, y, variance: (mean, covariance),
    "expected 2 values": lambda mean, covariance, x, y, variance: mean,
}


@pytest.mark.parametrize("hint", ROW_WRONG)
def test_one_more_row_wrong(hint):
    rejected(exercises.one_more_row, ROW_WRONG[hint], hint)
