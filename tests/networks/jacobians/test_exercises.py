"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.networks.autodiff import jacobian
from chapters_src.networks.jacobians import exercises, hessian_vector_product
from tests.verdicts import rejected

# --- a dual number goes through a quotient


def test_quotient_by_torch():
    x = torch.tensor(1.0, requires_grad=True)
    (1 / (x**2 + 1)).backward()
    assert exercises.slope_of_a_quotient.check(2 * x.grad.item()).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (-0.5, "moves with slope 2"),
        (1, "mind the sign"),
        (-2, "is squared"),
        (-4, "divided by"),
        (4, "one step is missing"),
        (0.5, "value of the quotient"),
        (7, "step by step"),
    ],
)
def test_quotient_wrong(value, hint):
    rejected(exercises.slope_of_a_quotient, value, hint)


# --- a long simulation


def test_long_simulation():
    assert exercises.long_simulation.check("b").accepted
    segment = np.arange(1, 5001)
    held = 1_000_000 / segment + segment
    assert segment[held.argmin()] == 1000
    assert held.min() == 2000


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "million steps"), ("c", "2,000 states"), ("d", "not exact")]
)
def test_long_simulation_wrong(letter, why):
    rejected(exercises.long_simulation, letter, why)


# --- the false line


def test_quartic_product():
    assert exercises.quartic_product.false == 3
    assert "Both factors" in exercises.quartic_product.check("3").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("4", "false as that is")],
)
def test_quartic_product_wrong(line, why):
    rejected(exercises.quartic_product, line, why)


# --- the Gauss–Newton product


def with_matrix(combine):
    def answer(residuals, theta, v):
        J = np.array(jacobian(residuals)(theta))
        return combine(J, v)

    return answer


def test_gauss_newton_solution():
    by_matrix = with_matrix(lambda J, v: J.T @ (J @ v))
    assert exercises.gauss_newton_product.check(by_matrix).message == "Accepted: 3 cases."


def test_gauss_newton_against_torch():
    theta, v = torch.tensor([0.7, 1.5], dtype=torch.float64), np.array([1.0, -2.0])

    def residuals(t):
        return torch.stack([torch.sin(t[0]) * t[1] - 0.5, t[0] + t[1] ** 2])

    J = torch.autograd.functional.jacobian(residuals, theta).numpy()
    found = exercises.gauss_newton_product.answer(exercises.swing, theta.numpy(), v)
    np.testing.assert_allclose(found, J.T @ J @ v, rtol=1e-13)


def differences(residuals, theta, v, h=1e-5):
    def loss(t):
        return np.sum(residuals(t) ** 2) / 2

    def slope(t):
        e = np.eye(len(t)) * h
        return np.array([(loss(t + row) - loss(t - row)) / (2 * h) for row in e])

    return (slope(theta + 1e-3 * v) - slope(theta - 1e-3 * v)) / 2e-3


GAUSS_NEWTON_WRONG = {
    "Pull it back": with_matrix(lambda J, v: J @ v),
    "push v forward first": with_matrix(lambda J, v: J.T @ np.resize(v, len(J))),
    "push first, then pull": with_matrix(lambda J, v: J @ (J.T @ np.resize(v, len(J)))),
    "jvp(residuals": with_matrix(lambda J, v: np.zeros(2)),
}


@pytest.mark.parametrize("hint", GAUSS_NEWTON_WRONG)
def test_gauss_newton_wrong(hint):
    rejected(exercises.gauss_newton_product, GAUSS_NEWTON_WRONG[hint], hint)


def test_gauss_newton_is_not_the_hessian():
    def by_engine(residuals, theta, v):
        return hessian_vector_product(lambda t: np.sum(residuals(t) ** 2) / 2, (theta,), v)

    rejected(exercises.gauss_newton_product, by_engine, "curvature of the residuals")
    theta, v = np.array([0.7, 1.5]), np.array([1.0, -2.0])
    np.testing.assert_allclose(
        by_engine(exercises.swing, theta, v), differences(exercises.swing, theta, v), rtol=1e-4
    )


# --- a bent arm whose hand stands still


def test_stuck_hand_solution():
    assert exercises.stuck_hand.check(([2.0, -np.pi], [-14.0, -6.0])).message == "Accepted."
    assert exercises.stuck_hand.check([np.array([0.0, 3 * np.pi]), np.array([0.7, 0.3])]).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("hand moves", ([0.3, np.pi], [1.0, 0.0])),
        ("hand moves", ([0.3, 2.0], [7.0, 3.0])),
        ("too easy", ([0.3, 0.0], [7.0, -17.0])),
        ("too easy", ([0.3, 2 * np.pi], [7.0, -17.0])),
        ("must not be zero", ([0.3, np.pi], [0.0, 0.0])),
        ("must not be zero", ([np.nan, np.pi], [7.0, 3.0])),
        ("got shapes (3,) and (2,)", ([0.3, np.pi, 1.0], [7.0, 3.0])),
        ("Give a pair", np.array([0.3])),
    ],
)
def test_stuck_hand_wrong(hint, attempt):
    rejected(exercises.stuck_hand, attempt, hint)
