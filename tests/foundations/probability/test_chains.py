"""Markov chains: laws, the stationary one, and runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations import probability as law
from tests.foundations.probability.catalogue import Given

WEATHER = np.array([[0.9, 0.1], [0.3, 0.7]])


def test_weather():
    np.testing.assert_allclose(law.stationary_distribution(WEATHER), [0.75, 0.25], rtol=1e-14)
    np.testing.assert_allclose(law.chain_laws([1, 0], WEATHER, 2), [[1, 0], [0.9, 0.1], [0.84, 0.16]])


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_stationary_against_a_high_power(seed, K):
    P = np.random.default_rng(seed).dirichlet(np.ones(K), K)
    pi = law.stationary_distribution(P)
    np.testing.assert_allclose(pi @ P, pi, atol=1e-12)
    power = np.linalg.matrix_power(P, 2**14)
    np.testing.assert_allclose(power, np.tile(pi, (K, 1)), atol=1e-8)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.floats(0, 1))
def test_two_states_forget_by_a_constant_factor(a, b, q):
    P, pi = np.array([[1 - a, a], [b, 1 - b]]), np.array([b, a]) / (a + b)
    laws = law.chain_laws([q, 1 - q], P, 5)
    np.testing.assert_allclose(laws[5] - pi, (1 - a - b) ** 5 * (laws[0] - pi), atol=1e-12)


def test_periodic_chain_has_a_stationary_law():
    flip = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(law.stationary_distribution(flip), [0.5, 0.5])
    np.testing.assert_allclose(law.chain_laws([1, 0], flip, 3)[:, 0], [1, 0, 1, 0])


def test_states_that_are_left_for_good_get_nothing():
    P = np.array([[0.5, 0.5, 0.0], [0.0, 0.2, 0.8], [0.0, 0.6, 0.4]])
    pi = law.stationary_distribution(P)
    assert pi[0] == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(pi[1:], [3 / 7, 4 / 7])


def test_walk_moves_as_the_rows_say():
    P = np.array([[0.2, 0.8, 0.0], [0.0, 0.0, 1.0], [0.5, 0.25, 0.25]])
    states = law.walk(P, 2, 30_000, np.random.default_rng(0))
    assert states[0] == 2 and states.shape == (30_001,)
    moves = np.zeros((3, 3))
    np.add.at(moves, (states[:-1], states[1:]), 1)
    np.testing.assert_allclose(moves / moves.sum(axis=1, keepdims=True), P, atol=0.02)
    assert moves[0, 2] == moves[1, 0] == moves[1, 1] == 0
    np.testing.assert_allclose(moves.sum(axis=1) / 30_000, law.stationary_distribution(P), atol=0.01)


def test_walk_at_the_ends_of_the_uniform_numbers():
    tenths = np.full((10, 10), 0.1)  # their rounded sum is below 1
    last = 1 - 2.0**-53
    np.testing.assert_array_equal(law.walk(tenths, 3, 2, Given([last, 0.0])), [3, 9, 0])
    ring = np.roll(np.eye(3), 1, axis=1)
    np.testing.assert_array_equal(law.walk(ring, 0, 3, Given([0.0, 0.0, last])), [0, 1, 2, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: law.stationary_distribution(np.eye(2)), r"P must have one stationary distribution; got 2"),
        (lambda: law.stationary_distribution([[0.5, 0.6], [0.5, 0.5]]), r"P must be at least 0 and sum to 1"),
        (
            lambda: law.walk(WEATHER, 2, 5, np.random.default_rng(0)),
            r"^walk: start must be at least 0 and at",
        ),
        (lambda: law.chain_laws([1, 0, 0], WEATHER, 2), r"^chain_laws: P must have shape \(3, 3\)"),
        (lambda: law.chain_laws([1, 0], WEATHER, -1), r"^chain_laws: steps must be at least 0; got -1$"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
