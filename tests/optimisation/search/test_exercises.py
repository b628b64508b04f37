"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.optimisation.search import exercises
from tests.verdicts import rejected

# --- both in the best tenth


def trials(p, chance=0.5):
    return int(np.ceil(np.log(1 - chance) / np.log(1 - p)))


def test_both_solution_by_the_formula_and_by_counting():
    n = trials(0.01)
    assert 1 - 0.99 ** (n - 1) < 0.5 <= 1 - 0.99**n
    assert exercises.both_in_the_best_tenth.check(n).accepted
    good = (np.random.default_rng(0).random((20_000, n, 2)) < 0.1).all(axis=2).any(axis=1)
    assert good.mean() == pytest.approx(0.5, abs=0.015)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("for one hyper-parameter", trials(0.1)),
        ("both must be good together", trials(1 - 0.9**2)),
        ("do not add up", 0.5 / 0.01),
        ("still a little above", trials(0.01) - 1),
        ("mean waiting time", 1 / 0.01),
        ("95 %", trials(0.01, 0.95)),
        ("do not make one trial", 2 * trials(0.1)),
        ("at least 1", 0),
        ("even for 95 %", 1000),
        ("a single trial", 80),
    ],
)
def test_both_wrong(hint, value):
    rejected(exercises.both_in_the_best_tenth, value, hint)


# --- fifty against one


def test_fifty_solution_by_simulation():
    """Fifty settings and the old one, all wrong on 6 % of new examples: the winner's score is too good."""
    rng = np.random.default_rng(0)
    winners = rng.binomial(100, 0.06, (4000, 50)).min(axis=1)
    old = rng.binomial(100, 0.06, 4000)
    assert winners.mean() < 3 and old.mean() == pytest.approx(6, abs=0.2)
    assert exercises.fifty_against_one.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"),
    [("a", "do not undo the choice"), ("b", "is unbiased"), ("d", "begins with the second")],
)
def test_fifty_wrong(letter, why):
    rejected(exercises.fifty_against_one, letter, why)


# --- the false line


def test_twice_the_trials():
    assert exercises.twice_the_trials.false == 3
    assert exercises.twice_the_trials.check("3").accepted


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", "follows from line 1"), ("5", "line 4")]
)
def test_twice_the_trials_wrong(line, why):
    rejected(exercises.twice_the_trials, line, why)


# --- repair


def expected_loss(validation, test):
    winners = validation.argmin(axis=1)
    return test[np.arange(len(test)), winners].mean()


def test_report_solution_and_stub():
    assert exercises.honest_report.check(expected_loss).accepted
    assert not exercises.honest_report.check(lambda validation, test: ...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda validation, test: validation.min(axis=1).mean(), "its choice has made too good"),
        (lambda validation, test: test.min(axis=1).mean(), "the test set chooses"),
        (lambda validation, test: test[:, validation.mean(axis=0).argmin()].mean(), "on each split anew"),
        (lambda validation, test: np.minimum(validation, test).min(axis=1).mean(), "was to be repaired"),
        (
            lambda validation, test: np.median(test[np.arange(len(test)), validation.argmin(axis=1)]),
            "a mean over the splits",
        ),
        (lambda validation, test: test.mean(), "which array may decide"),
    ],
)
def test_report_wrong(wrong, hint):
    rejected(exercises.honest_report, wrong, hint)


# --- break


def crossing(late=0.1):
    curves = np.full((9, 9), 0.5)
    curves[8] = [1, 1, 1] + [late] * 6
    return curves


def test_crossing_solution_and_stub():
    assert exercises.crossing_curves.check(crossing()).accepted
    assert not exercises.crossing_curves.check(...).attempted


@pytest.mark.parametrize(
    ("curves", "finding"),
    [
        (np.ones((9, 8)), "shape (9, 9)"),
        (-crossing(), "positive and finite"),
        (crossing()[:, ::-1], "may rise"),
        (crossing(0.3), "not yet twice"),
        (np.full((9, 9), 0.5), "not yet twice"),
    ],
)
def test_crossing_wrong(curves, finding):
    verdict = exercises.crossing_curves.check(curves)
    assert verdict.attempted and not verdict.accepted
    assert finding in verdict.message
