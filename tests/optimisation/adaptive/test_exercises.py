"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.optimisation.adaptive import Momentum, exercises
from chapters_src.optimisation.stochastic import walk
from tests.verdicts import rejected


def test_largest_stable_rate():
    question = exercises.largest_stable_rate
    assert question.check(0.625).accepted
    assert not question.check(...).accepted
    rejected(question, 0.5, "plain gradient descent")
    rejected(question, 0.5625, "become real")
    rejected(question, 2.5, "divide by the curvature")
    rejected(question, 0.7, "left the unit circle")


@pytest.mark.parametrize(("eta", "diverges"), [(0.62, False), (0.63, True)])
def test_the_rate_is_the_limit_of_a_run(eta, diverges):
    path = walk(lambda t: 4 * t, np.ones(1), Momentum(eta, 0.25), 3000)
    assert (len(path) < 3001 or abs(path[-1, 0]) > 1) == diverges


def test_a_loss_times_hundred():
    question = exercises.a_loss_times_hundred
    assert question.check("c").accepted
    rejected(question, "a", "so are her steps")
    rejected(question, "b", "penalty was not")
    rejected(question, "d", "divided by what")


def test_nesterov_at_its_limit():
    question = exercises.nesterov_at_its_limit
    assert question.check("2").accepted
    for line in ("3", "4"):
        assert not question.check(line).accepted


@pytest.mark.parametrize(("eta", "diverges"), [(0.66, False), (0.67, True)])
def test_nesterov_diverges_where_the_last_line_says(eta, diverges):
    """2·1.5/(2·λ) with β = ½ and λ = 2.25 is ⅔."""
    path = walk(lambda t: 2.25 * t, np.ones(1), Momentum(eta, 0.5, nesterov=True), 3000)
    assert (len(path) < 3001 or abs(path[-1, 0]) > 1) == diverges


def adam(gradients, eta, beta1, beta2, eps):
    theta, m, v = 0.0, 0.0, 0.0
    for t, g in enumerate(gradients, start=1):
        m += (1 - beta1) * (g - m)
        v += (1 - beta2) * (g * g - v)
        theta -= eta * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
    return theta


def too_bold(gradients, eta, beta1, beta2, eps):
    theta = m = v = 0.0
    for t, g in enumerate(gradients, start=1):
        m = (beta1 * m + (1 - beta1) * g) / (1 - beta1**t)
        v = (beta2 * v + (1 - beta2) * g**2) / (1 - beta2**t)
        theta = theta - eta * m / (v**0.5 + eps)
    return theta


def never_corrected(gradients, eta, beta1, beta2, eps):
    theta = m = v = 0.0
    for g in gradients:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        theta = theta - eta * m / (v**0.5 + eps)
    return theta


def test_repaired_adam():
    question = exercises.repaired_adam
    assert question.check(adam).accepted
    assert not question.check(lambda gradients, eta, beta1, beta2, eps: ...).accepted
    rejected(question, too_bold, "corrects them again")
    rejected(question, never_corrected, "without any correction")
    rejected(question, lambda *a: -adam(*a), "uphill")
    rejected(question, lambda g, eta, b1, b2, eps: adam(g, eta, b2, b1, eps), "")


def test_far_jump():
    assert exercises.far_jump.check((0.999 / 0.9) ** np.arange(1200)).accepted
    rejected(exercises.far_jump, np.ones(50), "longest step is 1.00")
    rejected(exercises.far_jump, [0.0] * 1500 + [1.0], "longest step is")
    rejected(exercises.far_jump, np.ones((3, 3)), "in one row")
    rejected(exercises.far_jump, np.full(3, np.inf), "finite")
