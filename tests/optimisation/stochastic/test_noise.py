"""The mean of all runs against runs, against a fixed point, and against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.stochastic import mean_squared_distances, noise_floor


def test_every_sequence_of_noise_enumerated():
    rates, lam, s = np.array([0.3, 0.7, 0.1]), 1.4, 0.8
    ends = []
    for signs in product([-1, 1], repeat=3):
        theta = 2.0
        for eta, sign in zip(rates, signs, strict=True):
            theta -= eta * (lam * theta + sign * s)
        ends.append(theta**2)
    assert mean_squared_distances(4.0, rates, lam, s**2)[-1] == pytest.approx(np.mean(ends), rel=1e-12)


def test_a_step_by_hand():
    # (1 − ½)²·4 + ¼·3 = 1.75
    np.testing.assert_allclose(
        mean_squared_distances(4.0, np.array([0.5]), 1.0, 3.0), [4.0, 1.75], rtol=1e-15
    )


@given(st.floats(0.01, 1.9), st.floats(0.1, 1.0), st.floats(0.0, 5.0))
@settings(max_examples=60, deadline=None)
def test_the_floor_stays_where_it_is(rate, curvature, variance):
    floor = noise_floor(rate, curvature, variance)
    after = mean_squared_distances(floor, np.full(3, rate), curvature, variance)
    np.testing.assert_allclose(after, floor, rtol=1e-10, atol=1e-12)


def test_the_floor_is_approached_from_both_sides():
    floor = noise_floor(0.2, 1.0, 0.25)
    for start in (0.0, 9.0):
        assert mean_squared_distances(start, np.full(200, 0.2), 1.0, 0.25)[-1] == pytest.approx(
            floor, rel=1e-10
        )
    assert floor == pytest.approx(float(Fraction(1, 36)), rel=1e-14)


def test_one_over_t_is_exact():
    steps = np.arange(1, 50)
    V = mean_squared_distances(7.0, 1 / (2.0 * steps), 2.0, 3.0)
    np.testing.assert_allclose(V[1:], 3.0 / (4.0 * steps), rtol=1e-12)


def test_no_steps_and_no_noise():
    assert mean_squared_distances(2.0, np.array([0.1, 0.1]), 1.0, 0.0)[-1] == pytest.approx(2 * 0.9**4)
    assert noise_floor(0.5, 1.0, 0.0) == 0


def test_refusals():
    with pytest.raises(ValueError, match=r"noise_floor: rate must be below 2/curvature = 0.5; got 0.5"):
        noise_floor(0.5, 4.0, 1.0)
    with pytest.raises(ValueError, match="mean_squared_distances: variance"):
        mean_squared_distances(1.0, np.array([0.1]), 1.0, -1.0)
