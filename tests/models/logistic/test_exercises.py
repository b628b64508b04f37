"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.models.logistic import exercises, fit_logistic, fit_logistic_descent, sigmoid, softplus
from tests.verdicts import rejected

# --- the odds of smokers


def test_odds_of_smokers_by_fitting():
    (ill, well), (others_ill, others_well) = exercises.smokers
    x = np.repeat([1.0, 1.0, 0.0, 0.0], [ill, well, others_ill, others_well])
    y = np.repeat([1.0, 0.0, 1.0, 0.0], [ill, well, others_ill, others_well])
    factor = float(np.exp(fit_logistic(np.column_stack([np.ones(len(x)), x]), y).theta[1]))
    assert factor == pytest.approx(exercises.odds_of_smokers.answer, rel=1e-8)
    assert exercises.odds_of_smokers.check(factor).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ((30 / 60) / (20 / 100), "ratio of the probabilities"),
        (1 / 4, "upside down"),
        (np.log(4), "itself; its exponential"),
        (30 / 20, "differ in size"),
        (30 / 60 - 20 / 100, "difference"),
        (30 / 30, "odds of the smokers"),
        (-1.386, "positive"),
        (240, "in each group"),
        (3.0, "two parameters"),
    ],
)
def test_odds_of_smokers_wrong(value, hint):
    rejected(exercises.odds_of_smokers, value, hint)


# --- the rare gene


def test_the_rare_gene_by_running_descent():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = (rng.random(500) < sigmoid(x)).astype(float)
    gene = np.arange(500) < 3
    y[gene] = 1
    X = np.column_stack([np.ones(500), x, gene])
    alone = fit_logistic(X[3:, :2], y[3:])
    assert alone.converged
    early, late = (fit_logistic_descent(X, y, 2.0, steps=steps) for steps in (1000, 10_000))
    assert late.theta[2] > early.theta[2] + 2  # about log 10 per factor 10
    np.testing.assert_allclose(late.theta[:2], alone.theta, atol=0.01)
    assert late.losses[-1] > 0.4
    assert not fit_logistic(X, y).converged
    assert exercises.rare_gene.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "hurts nobody"), ("b", "surer of the wrong answer"), ("d", "does not touch")]
)
def test_rare_gene_wrong(letter, why):
    rejected(exercises.rare_gene, letter, why)


# --- the false line


def test_signed_labels():
    assert exercises.signed_labels.false == 3
    assert "own side" in exercises.signed_labels.check("3").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("4", "false as that is")],
)
def test_signed_labels_wrong(line, why):
    rejected(exercises.signed_labels, line, why)


# --- the repaired loss


def right_loss(a, y, miss=10, alarm=1):
    yes, no = np.maximum(-a, 0), np.maximum(a, 0)  # far out; the rest is the same for both
    rest = np.log1p(np.exp(-np.abs(a)))
    return miss * y * (yes + rest) + alarm * (1 - y) * (no + rest)


def test_rounded_loss_solution():
    assert exercises.rounded_loss.check(right_loss).accepted

    def by_the_chapter(a, y):
        return 10 * y * softplus(-a) + (1 - y) * softplus(a)

    assert exercises.rounded_loss.check(by_the_chapter).accepted


def test_rounded_loss_is_torchs():
    ten = torch.tensor(10.0, dtype=torch.float64)
    for case in exercises.rounded_loss.cases:
        a, y = torch.tensor(case["a"]), torch.tensor(case["y"], dtype=torch.float64)
        theirs = torch.nn.functional.binary_cross_entropy_with_logits(a, y, reduction="none", pos_weight=ten)
        np.testing.assert_allclose(exercises.rounded_loss.answer(**case), theirs.numpy(), rtol=1e-12)


def student_clipped(least):
    def loss(a, y):
        p = np.clip(sigmoid(a), least, 1 - least)
        return -(10 * y * np.log(p) + (1 - y) * np.log(1 - p))

    return loss


def by_probability(a, y):
    p = sigmoid(a)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -(10 * y * np.log(p) + (1 - y) * np.log(1 - p))


def overflowing(a, y):
    with np.errstate(over="ignore", invalid="ignore"):
        return 10 * y * np.log(1 + np.exp(-a)) + (1 - y) * np.log(1 + np.exp(a))


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (student_clipped(1e-7), "no mistake costs more"),
        (student_clipped(1e-15), "smaller cut"),
        (by_probability, "do not compute p"),
        (overflowing, "overflowing"),
        (lambda a, y: softplus(a) - y * a, "no more than a false alarm"),
        (lambda a, y: softplus(a) - 10 * y * a, "add up to 1"),
        (lambda a, y: right_loss(a, y, 1, 10), "belongs to the misses"),
        (lambda a, y: 10 * (softplus(a) - y * a), "one of the two terms"),
        (lambda a, y: (1 + 9 * y) * (softplus(a) - y * a), "not for both"),
        (lambda a, y: right_loss(a, 1 - y), "exchanged"),
        (lambda a, y: -right_loss(a, y), "sign is off"),
        (lambda a, y: np.mean(right_loss(a, y)), "one loss per example"),
        (lambda a, y: right_loss(a, y) / np.log(2), "bits"),
        (lambda a, y: np.where(a > 0, (1 - y) * a, -10 * y * a), "right far out"),
        (lambda a, y: np.where(y == 1, right_loss(a, 1), right_loss(a, 0)), "is not a no"),
        (lambda a, y: np.where(y > 0, 1 + 9 * y, 1) * softplus((1 - 2 * y) * a), "is a sign for them"),
    ],
)
def test_rounded_loss_wrong(attempt, hint):
    rejected(exercises.rounded_loss, attempt, hint)


# --- data that least squares gets wrong


def test_awkward_solution():
    x, y = np.array([-2.0, -1.0, 1.0, 2.0, 60.0]), np.array([0, 0, 1, 1, 1])
    assert exercises.awkward_data.check((x, y)).accepted
    assert exercises.awkward_data.check((-x, y)).accepted
    assert exercises.awkward_data.check(([-2, -1, 1, 2, 60], [0, 0, 1, 1, 1])).accepted
    fit = fit_logistic(np.column_stack([np.ones(5), x]), y.astype(float))
    assert not fit.converged  # logistic regression separates them, and so has no minimum


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (([-1.0, 1.0], [0, 1]), "gets all 2 right"),
        (([-1.0, 1.0, 0.0], [0, 1, 2]), "0 and 1"),
        (([1.0, 2.0, 3.0], [0, 1, 0]), "overlap"),
        ((np.arange(11.0), np.arange(11) > 5), "Between 2 and 10"),
        ((np.ones((2, 2)), [0, 1]), "shape"),
        (3, "Give a pair"),
        (([1.0, np.inf], [0, 1]), "finite"),
    ],
)
def test_awkward_mistakes(attempt, words):
    rejected(exercises.awkward_data, attempt, words)
