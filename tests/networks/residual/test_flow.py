"""Euler's steps against closed forms and scipy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from chapters_src.networks.residual import euler_path


def turn(h):
    return np.array([-h[1], h[0]])


def test_worked_steps():
    np.testing.assert_allclose(euler_path(turn, np.array([1.0, 0.0]), 2), [[1, 0], [1, 0.5], [0.75, 1]])


def test_growth_by_compound_interest():
    assert euler_path(lambda h: h, np.array(1.0), 12)[-1] == pytest.approx((1 + 1 / 12) ** 12)


def test_error_halves_with_twice_the_blocks():
    field = lambda h: np.array([np.sin(h[1]) - h[0], np.cos(h[0])])  # noqa: E731
    start = np.array([0.5, -1.0])
    exact = solve_ivp(lambda t, h: field(h), (0, 2), start, rtol=1e-11, atol=1e-12).y[:, -1]
    errors = [np.linalg.norm(euler_path(field, start, n, 2.0)[-1] - exact) for n in (100, 200, 400)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.1) and errors[1] / errors[2] == pytest.approx(
        2, abs=0.05
    )


@pytest.mark.parametrize(
    ("blocks", "time", "message"), [(0, 1.0, "blocks must be at least 1"), (3, 0.0, "time must be above 0")]
)
def test_errors(blocks, time, message):
    with pytest.raises(ValueError, match=message):
        euler_path(turn, np.ones(2), blocks, time)
