"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy import optimize, stats

from chapters_src.foundations.likelihood import exercises
from tests.verdicts import rejected

# --- how many buses


def test_fleet_by_trying_every_number():
    seen = exercises.seen_buses
    likelihood = {N: np.prod([(b <= N) / N for b in seen]) for N in range(1, 500)}
    assert exercises.fleet.check(max(likelihood, key=likelihood.get)).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (2 * np.mean(exercises.seen_buses) - 1, "makes the mean number fit"),
        (61 + 61 / 5 - 1, "less biased"),
        (np.mean(exercises.seen_buses), "impossible"),
        (5, "how many you saw"),
        (100, "what is the probability"),
    ],
)
def test_fleet_wrong(answer, hint):
    assert "61 the" not in rejected(exercises.fleet, answer, hint).message


# --- metres and kilometres


def test_kilometres():
    y, mean, spread = np.array([900.0, 1200.0]), np.array([1000.0, 1100.0]), np.array([50.0, 80.0])
    metres = -stats.norm(mean, spread).logpdf(y).mean()
    kilometres = -stats.norm(mean / 1000, spread / 1000).logpdf(y / 1000).mean()
    assert kilometres == pytest.approx(metres - np.log(1000))
    assert 2.1 - np.log(1000) == pytest.approx(-4.8, abs=0.05)
    assert 2.1 + np.log(1000) == pytest.approx(9.0, abs=0.05)
    assert exercises.kilometres.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "unit"), ("c", "larger"), ("d", "logarithm")])
def test_kilometres_wrong(letter, why):
    rejected(exercises.kilometres, letter, why)


# --- the false line


def test_laplace_scale():
    assert exercises.laplace_scale.false == 3
    assert "drops out" in exercises.laplace_scale.check("3").message
    y = np.array([1.0, -2.0, 0.5, 4.0])
    best = optimize.minimize_scalar(
        lambda b: -stats.laplace(0, b).logpdf(y).sum(), bounds=(0.1, 10), method="bounded"
    ).x
    assert best == pytest.approx(np.abs(y).mean(), rel=1e-4)


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "Line 2 is right"), ("4", "false as that is")],
)
def test_laplace_scale_wrong(line, why):
    rejected(exercises.laplace_scale, line, why)


# --- waiting times


def by_distributions(minutes, arrived, rate):
    wait = stats.expon(scale=1 / rate)
    return -sum(wait.logpdf(t) if came else wait.logsf(t) for t, came in zip(minutes, arrived, strict=True))


def test_waiting_solution():
    assert exercises.waiting_nll.check(by_distributions).message == "Accepted: 4 cases."
    assert not exercises.waiting_nll.check(lambda minutes, arrived, rate: ...).attempted


def summed(term):
    return lambda minutes, arrived, rate: (
        -sum(term(stats.expon(scale=1 / rate), t, came) for t, came in zip(minutes, arrived, strict=True))
    )


WAITING_WRONG = {
    "as if the bus had come": summed(lambda wait, t, came: wait.logpdf(t)),
    "buses are slow": summed(lambda wait, t, came: wait.logpdf(t) if came else 0.0),
    "minus that": lambda minutes, arrived, rate: -by_distributions(minutes, arrived, rate),
    "not the mean": lambda minutes, arrived, rate: by_distributions(minutes, arrived, rate) / len(minutes),
    "came before": summed(lambda wait, t, came: wait.logpdf(t) if came else wait.logcdf(t)),
    "counts with its density": lambda minutes, arrived, rate: rate * np.sum(minutes),
}


@pytest.mark.parametrize("hint", WAITING_WRONG)
def test_waiting_wrong(hint):
    rejected(exercises.waiting_nll, WAITING_WRONG[hint], hint)


# --- numbers that a Gaussian fits badly


def test_heavy_tails_solution_by_fitting_both():
    y = np.array([50.0, *np.linspace(-0.1, 0.1, 19)])
    gap = stats.laplace(*stats.laplace.fit(y)).logpdf(y) - stats.norm(*stats.norm.fit(y)).logpdf(y)
    assert gap.mean() >= 1
    assert exercises.heavy_tails.check(y).accepted
    assert exercises.heavy_tails.check([0.0] * 17 + [9.0]).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("a difference of", np.linspace(-1, 1, 20)),
        ("a difference of", [0.0] * 9 + [1.0]),
        ("a difference of", [0.0] * 16 + [-5.0, 5.0, 5.0]),
        ("2 to 20 finite numbers", [0.0] * 40 + [1.0]),
        ("2 to 20 finite numbers", np.zeros((3, 3))),
        ("2 to 20 finite numbers", [np.inf, 0.0, 0.0]),
        ("all the numbers are equal", [3.0, 3.0, 3.0]),
        ("could not be checked", "heavy"),
    ],
)
def test_heavy_tails_wrong(hint, attempt):
    verdict = exercises.heavy_tails.check(attempt)
    assert not verdict.accepted and verdict.attempted
    assert hint.lower() in verdict.message.lower(), verdict.message
