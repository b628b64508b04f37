"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import scipy.special
import torch

from chapters_src.models.generalised import POISSON, fit_glm
from chapters_src.models.generalised.perceptron import fit_perceptron
from chapters_src.models.logistic import exercises
from chapters_src.models.logistic.regression import fit_logistic
from chapters_src.studio.oracle import autograd_gradient
from tests.verdicts import rejected

# --- the gradient at a temperature


def test_tempered_gradient_solution():
    def student(a, y, tau):
        weights = [np.exp(v / tau) for v in a]
        total = sum(weights)
        return np.array([(w / total - (k == y)) / tau for k, w in enumerate(weights)])

    assert exercises.tempered_gradient.check(student).accepted


def test_tempered_gradient_is_autograds():
    for case in exercises.tempered_gradient.cases:
        y, tau = case["y"], case["tau"]
        loss = autograd_gradient(lambda a, y=y, tau=tau: -torch.log_softmax(a / tau, 0)[y], case["a"])
        np.testing.assert_allclose(exercises.tempered_gradient.answer(**case), loss, rtol=1e-10)


def test_tempered_gradient_mistakes():
    softmax = scipy.special.softmax
    hot = lambda a, y: np.eye(len(a))[y]  # noqa: E731
    exercise = exercises.tempered_gradient
    rejected(exercise, lambda a, y, tau: softmax(a / tau) - hot(a, y), "inner derivative")
    rejected(exercise, lambda a, y, tau: (softmax(a) - hot(a, y)) / tau, "at temperature")
    rejected(exercise, lambda a, y, tau: (hot(a, y) - softmax(a / tau)) / tau, "downhill")
    rejected(exercise, lambda a, y, tau: softmax(a / tau) / tau, "one-hot")
    rejected(exercise, lambda a, y, tau: -1 / tau, "expected shape")


# --- log-softmax


def test_log_softmax_solution():
    assert exercises.log_softmax.check(lambda a: a - scipy.special.logsumexp(a)).accepted
    assert exercises.log_softmax.check(scipy.special.log_softmax).accepted


def test_log_softmax_mistakes():
    exercise = exercises.log_softmax
    rejected(exercise, lambda a: np.log(np.exp(a) / np.exp(a).sum()), "overflow")
    rejected(exercise, lambda a: a - np.log(sum(np.exp(v) for v in a)), "overflow")
    rejected(exercise, lambda a: np.exp(a) / np.exp(a).sum(), "logarithm is asked for")
    rejected(exercise, lambda a: a - max(a), "not normalised")
    rejected(exercise, lambda a: np.log(scipy.special.softmax(a)), "rounded to 0")
    rejected(exercise, lambda a: -scipy.special.log_softmax(a), "sign")


# --- a temperature


def test_temperature_solution():
    tau = exercises.temperature_for_nine_tenths.answer
    assert scipy.special.softmax(np.array([2.0, 0.0]) / tau)[0] == pytest.approx(0.9)
    assert exercises.temperature_for_nine_tenths.check(0.910).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (np.log(9) / 2, "upside down"),
        (2 / np.log10(9), "natural"),
        (0.4551, "difference"),
        (1.0, "difference"),
    ],
)
def test_temperature_mistakes(attempt, hint):
    rejected(exercises.temperature_for_nine_tenths, attempt, hint)


# --- a Newton step


def test_poisson_step_solution():
    def student(X, y, theta):
        mu = np.exp(X @ theta)
        response = X @ theta + (y - mu) / mu
        root = np.sqrt(mu)
        return np.linalg.lstsq(X * root[:, None], response * root, rcond=None)[0]

    assert exercises.poisson_step.check(student).accepted


def test_poisson_step_leads_to_the_fit():
    case = exercises.poisson_step.cases[0]
    theta = case["theta"]
    for _ in range(20):
        theta = exercises.poisson_step.answer(case["X"], case["y"], theta)
    np.testing.assert_allclose(theta, fit_glm(case["X"], case["y"].astype(float), POISSON).theta, atol=1e-8)


def test_poisson_step_mistakes():
    exercise = exercises.poisson_step
    mean = lambda X, t: np.exp(X @ t)  # noqa: E731
    solve = np.linalg.solve
    rejected(exercise, lambda X, y, t: t + solve(X.T @ X, X.T @ (y - mean(X, t))), "variances")
    rejected(
        exercise,
        lambda X, y, t: t - solve((X.T * mean(X, t)) @ X, X.T @ (y - mean(X, t))),
        "against the gradient",
    )
    rejected(exercise, lambda X, y, t: t + solve((X.T * mean(X, t)) @ X, X.T @ (y - X @ t)), "the mean is")
    rejected(
        exercise, lambda X, y, t: solve((X.T * mean(X, t)) @ X, X.T @ (y - mean(X, t))), "that is the step"
    )
    rejected(exercise, lambda X, y, t: t + X.T @ (y - mean(X, t)), "curvature")


# --- a pass of the perceptron


def test_perceptron_solution():
    assert exercises.perceptron_pass.check(
        lambda X, y: fit_perceptron(X, y.astype(float), passes=1).theta
    ).accepted


def student_perceptron(update, judge=lambda first, now: now):
    def run(X, y):
        theta = np.zeros(X.shape[1])
        for x, label in zip(X, y, strict=True):
            guess = 1 if judge(np.zeros_like(theta), theta) @ x > 0 else -1
            theta = theta + update(x, label, guess)
        return theta

    return run


def test_perceptron_mistakes():
    exercise = exercises.perceptron_pass
    right = lambda x, y, guess: y * x * (guess != y)  # noqa: E731
    assert exercise.check(student_perceptron(right)).accepted
    rejected(exercise, student_perceptron(right, lambda first, now: first), "of this moment")
    rejected(exercise, student_perceptron(lambda x, y, guess: y * x), "on mistakes only")
    rejected(exercise, student_perceptron(lambda x, y, guess: x * (guess != y)), "push the other way")
    rejected(exercise, student_perceptron(lambda x, y, guess: (y - guess) * x), "labels")
    rejected(exercise, student_perceptron(lambda x, y, guess: y * x * (guess == y)), "not on right answers")


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
