"""Newton's method on functions whose minimum is known."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.core.newton import minimise_newton


def test_a_parabola_takes_one_step():
    H, b = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])

    def loss(x):
        return float(0.5 * x @ H @ x - b @ x)

    fit = minimise_newton(loss, lambda x: (loss(x), H @ x - b, H), np.array([9.0, -9.0]), 20, 1e-10)
    np.testing.assert_allclose(fit.theta, np.linalg.solve(H, b), atol=1e-12)
    assert fit.converged
    assert fit.steps == 2  # one to get there, one to see that nothing moves any more


def test_a_step_too_far_is_halved():
    """On √(1 + x²) plain Newton diverges from |x| > 1: x becomes −x³."""

    def loss(x):
        return float(np.sqrt(1 + x @ x))

    def expansion(x):
        return (loss(x), x / loss(x), np.eye(1) / loss(x) ** 3)

    fit = minimise_newton(loss, expansion, np.array([3.0]), 60, 1e-10)
    assert fit.converged
    np.testing.assert_allclose(fit.theta, 0, atol=1e-7)
    assert (np.diff(fit.losses) <= 0).all()


def test_a_loss_without_a_minimum_never_comes_to_rest():

    def loss(x):
        return float(np.exp(-x[0]))

    def expansion(x):
        return (loss(x), -np.exp(-x), np.exp(-x)[:, None])

    fit = minimise_newton(loss, expansion, np.zeros(1), 30, 1e-8)
    assert not fit.converged
    assert fit.steps == 30
    np.testing.assert_allclose(fit.theta, 30)  # every step is 1


def test_a_singular_hessian_takes_the_shortest_step():
    H = np.array([[1.0, 1.0], [1.0, 1.0]])

    def loss(x):
        return float(0.5 * (x.sum() - 2) ** 2)

    fit = minimise_newton(loss, lambda x: (loss(x), H @ x - 2, H), np.zeros(2), 20, 1e-9)
    np.testing.assert_allclose(fit.theta, [1, 1], atol=1e-9)
    assert fit.converged


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_a_parameter_does_not_matter(scale):
    """A parameter of 10⁻⁹ has not come to rest because it moves by less than 10⁻⁸."""

    def expansion(x):
        u = x * scale
        return (float(np.exp(u[0]) - 2 * u[0]), (np.exp(u) - 2) * scale, np.exp(u)[:, None] * scale**2)

    fit = minimise_newton(lambda x: expansion(x)[0], expansion, np.zeros(1), 30, 1e-8)
    assert fit.converged
    np.testing.assert_allclose(fit.theta * scale, np.log(2), rtol=1e-12)


def test_where_no_share_of_a_step_helps_it_stays():
    """A gradient with the wrong sign: better no step than one that goes up."""

    def expansion(x):
        return (float(x @ x), -2 * x, 2 * np.eye(2))

    fit = minimise_newton(lambda x: float(x @ x), expansion, np.array([3.0, 4.0]), 2, 1e-9)
    np.testing.assert_array_equal(fit.theta, [3, 4])
    np.testing.assert_array_equal(fit.losses, [25, 25, 25])
    assert not fit.converged


def test_the_start_is_left_alone():
    start = np.ones(2)
    minimise_newton(lambda x: float(x @ x), lambda x: (float(x @ x), 2 * x, 2 * np.eye(2)), start, 5, 1e-9)
    np.testing.assert_array_equal(start, 1)
