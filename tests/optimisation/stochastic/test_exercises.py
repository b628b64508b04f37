"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.optimisation.stochastic import exercises
from tests.verdicts import rejected


def test_correction():
    def by_running(betas):
        m = 0.0
        for beta in betas:
            m = beta * m + (1 - beta) * 1.0
        return m

    assert exercises.correction.check(by_running).message == "Accepted: 5 cases."
    wrong = {
        "still belongs to": lambda betas: np.prod(betas),
        "each step has its own": lambda betas: 1 - betas[-1] ** betas.size,
        "their mean will not do": lambda betas: 1 - betas.mean() ** betas.size,
        "after one step": lambda betas: 1 - betas[-1],
        "weight with which step": lambda betas: (1 - betas).prod(),
        "asked for is the divisor": lambda betas: 1 / (1 - betas.prod()),
    }
    for hint, attempt in wrong.items():
        rejected(exercises.correction, attempt, hint)


def test_adam_step_as_torch_takes_it():
    def torch_step(theta, g, m, v, t, eta, beta1, beta2, eps):
        point = torch.tensor(theta, requires_grad=True)
        adam = torch.optim.Adam([point], lr=eta, betas=(beta1, beta2), eps=eps)
        point.grad = torch.tensor(g)
        adam.state[point] = {
            "step": torch.tensor(float(t - 1)),
            "exp_avg": torch.tensor(m),
            "exp_avg_sq": torch.tensor(v),
        }
        adam.step()
        state = adam.state[point]
        return point.detach().numpy(), state["exp_avg"].numpy(), state["exp_avg_sq"].numpy()

    assert exercises.adam_step.check(torch_step).message == "Accepted: 4 cases."


def adam_with(step, first=0, second=1):
    def attempt(theta, g, m, v, t, eta, beta1, beta2, eps):
        b = (beta1, beta2)
        m = b[first] * m + (1 - b[first]) * g
        v = b[second] * v + (1 - b[second]) * g * g
        return theta - eta * step(m, v, t, b[first], b[second], eps), m, v

    return attempt


ADAM_WRONG = {
    "where is the power": lambda m, v, t, a, b, e: m / (1 - a) / (np.sqrt(v / (1 - b)) + e),
    "v is to be corrected too": lambda m, v, t, a, b, e: m / (1 - a) / (np.sqrt(v) + e),
    "without its bias corrections": lambda m, v, t, a, b, e: m / (v**0.5 + e),
    "not under it": lambda m, v, t, a, b, e: m / (1 - a**t) / (v / (1 - b**t) + e) ** 0.5,
    "divide by the root": lambda m, v, t, a, b, e: m / (1 - a**t) / (v / (1 - b**t) + e),
    "uphill": lambda m, v, t, a, b, e: -m / (1 - a**t) / ((v / (1 - b**t)) ** 0.5 + e),
    "has already seen": lambda m, v, t, a, b, e: (
        m / (1 - a ** (t - 1)) / ((v / (1 - b ** (t - 1))) ** 0.5 + e)
    ),
}


@pytest.mark.parametrize("hint", ADAM_WRONG)
def test_adam_wrong(hint):
    rejected(exercises.adam_step, adam_with(ADAM_WRONG[hint]), hint)


def test_adam_with_the_betas_swapped():
    right = lambda m, v, t, a, b, e: m / (1 - a**t) / ((v / (1 - b**t)) ** 0.5 + e)  # noqa: E731
    assert exercises.adam_step.check(adam_with(right)).accepted
    rejected(exercises.adam_step, adam_with(right, 1, 0), "belongs to m")


def nesterov_with(ahead):
    def attempt(H, theta, u, eta, beta):
        u = beta * u + H @ ahead(theta, u, eta, beta)
        return theta - eta * u, u

    return attempt


NESTEROV_WRONG = {
    "look-ahead subtracts": lambda theta, u, eta, beta: theta + eta * beta * u,
    "plain momentum": lambda theta, u, eta, beta: theta,
    r"that is \betau, not u": lambda theta, u, eta, beta: theta - eta * u,
    "times as long": lambda theta, u, eta, beta: theta - beta * u,
}


@pytest.mark.parametrize("hint", NESTEROV_WRONG)
def test_nesterov_wrong(hint):
    verdict = exercises.nesterov_step.check(nesterov_with(NESTEROV_WRONG[hint]))
    assert not verdict.accepted and verdict.attempted
    known = [m.hint for m in exercises.nesterov_step.mistakes]
    assert verdict.hint == known[list(NESTEROV_WRONG).index(hint)]


def test_nesterov_more():
    right = nesterov_with(lambda theta, u, eta, beta: theta - eta * beta * u)
    assert exercises.nesterov_step.check(right).accepted

    def from_the_point_ahead(H, theta, u, eta, beta):
        ahead = theta - eta * beta * u
        u = beta * u + H @ ahead
        return ahead - eta * u, u

    rejected(exercises.nesterov_step, from_the_point_ahead, "the step starts from")

    def averaged(H, theta, u, eta, beta):
        u = beta * u + (1 - beta) * (H @ (theta - eta * beta * u))
        return theta - eta * u, u

    rejected(exercises.nesterov_step, averaged, "average convention")


def test_long_run_step():
    u = 0.0
    for _ in range(300):
        u = 0.9 * u + 2
    assert exercises.long_run_step.check(0.01 * u).accepted
    for wrong, hint in ((0.02, "10 gradients"), (0.1, "is 2, not 1"), (0.01, "Adam's"), (20, "that is u")):
        rejected(exercises.long_run_step, wrong, hint)
