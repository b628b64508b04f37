"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.optimisation.adaptive import Adam, Momentum, exercises
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


def adam(gradients, eta, betas, beta2, eps):
    """With the weights of the present mean written out."""
    theta = 0.0
    for t in range(1, len(gradients) + 1):
        kept = np.append(np.cumprod(betas[1:t][::-1])[::-1], 1.0)
        weights = (1 - betas[:t]) * kept
        squares = beta2 ** np.arange(t)[::-1]
        mean, square = (
            np.average(gradients[:t], weights=weights),
            np.average(gradients[:t] ** 2, weights=squares),
        )
        theta -= eta * mean / (np.sqrt(square) + eps)
    return theta


def with_left(left):
    """Adam that takes ``left(betas so far)`` for what the start still weighs."""

    def run(gradients, eta, betas, beta2, eps):
        theta, m, v = 0.0, 0.0, 0.0
        for t, g in enumerate(gradients, start=1):
            m += (1 - betas[t - 1]) * (g - m)
            v += (1 - beta2) * (g * g - v)
            theta -= eta * m / (1 - left(betas[:t])) / (np.sqrt(v / (1 - beta2**t)) + eps)
        return theta

    return run


def too_bold(gradients, eta, betas, beta2, eps):
    theta = m = v = 0.0
    left = 1.0
    for t, (g, beta) in enumerate(zip(gradients, betas, strict=True), start=1):
        left *= beta
        m = (beta * m + (1 - beta) * g) / (1 - left)
        v = beta2 * v + (1 - beta2) * g**2
        theta = theta - eta * m / ((v / (1 - beta2**t)) ** 0.5 + eps)
    return theta


def test_repaired_adam():
    question = exercises.repaired_adam
    assert question.check(adam).accepted
    assert question.check(with_left(np.prod)).accepted
    assert not question.check(lambda gradients, eta, betas, beta2, eps: ...).accepted
    rejected(question, with_left(lambda betas: betas[-1] ** len(betas)), "as given")
    rejected(question, with_left(lambda betas: 0.0), "without any correction")
    rejected(question, with_left(lambda betas: betas[0] ** len(betas)), "each step has its own")
    rejected(question, with_left(lambda betas: np.mean(betas) ** len(betas)), "power of a mean")
    rejected(
        question, with_left(lambda betas: np.prod(betas[:-1]) if len(betas) > 1 else betas[0]), "product"
    )
    rejected(question, too_bold, "corrects it again")
    rejected(question, lambda *a: -adam(*a), "uphill")
    rejected(question, lambda g, eta, betas, b2, eps: adam(g, eta, betas[::-1], b2, eps), "print m and m_hat")


def test_with_one_beta_it_is_the_adam_of_the_chapter():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=40)
    rest = iter(draws)
    path = walk(lambda theta: [next(rest)], np.zeros(1), Adam(0.1), 40)
    ours = exercises.repaired_adam.answer(draws, 0.1, np.full(40, 0.9), 0.999, 1e-8)
    np.testing.assert_allclose(ours, path[-1, 0], rtol=1e-10)


def test_torch_takes_the_power_of_the_present_beta():
    """What the solution says of PyTorch: with betas changed on the way it steps as the function given."""
    betas = np.array([0.5, 0.9, 0.8])
    theta = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([theta], lr=0.1, eps=1e-8)
    for beta in betas:
        optimiser.param_groups[0]["betas"] = (float(beta), 0.999)
        theta.grad = torch.ones_like(theta)
        optimiser.step()
    as_given = with_left(lambda betas: betas[-1] ** len(betas))
    np.testing.assert_allclose(theta.item(), as_given(np.ones(3), 0.1, betas, 0.999, 1e-8), rtol=1e-12)


@given(st.lists(st.floats(0, 0.99), min_size=1, max_size=20))
def test_under_a_constant_gradient_every_step_has_the_rate(betas):
    count = len(betas)
    ours = exercises.repaired_adam.answer(np.ones(count), 0.1, np.array(betas), 0.9, 0.0)
    np.testing.assert_allclose(ours, -0.1 * count, rtol=1e-9)


def test_far_jump():
    assert exercises.far_jump.check((0.999 / 0.9) ** np.arange(1200)).accepted
    rejected(exercises.far_jump, np.ones(50), "longest step is 1.00")
    rejected(exercises.far_jump, [0.0] * 1500 + [1.0], "longest step is")
    rejected(exercises.far_jump, np.ones((3, 3)), "in one row")
    rejected(exercises.far_jump, np.full(3, np.inf), "finite")
