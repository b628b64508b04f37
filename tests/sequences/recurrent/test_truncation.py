"""Random truncation: mean one, exactly; variances by formula; and the way back it cuts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.recurrent import (
    backward_through_time,
    hard_truncation,
    random_keep,
    soft_truncation,
    unroll,
)

S = np.array([1.0, 0.7, 0.5, 0.2])
Z = np.array([1.0, -2.0, 0.5, 3.0])
DRAWS = 40_000


@pytest.mark.parametrize("truncation", [hard_truncation, soft_truncation])
def test_every_weight_has_mean_one(truncation):
    weights = truncation(S, DRAWS, np.random.default_rng(0))
    assert weights.shape == (DRAWS, 4)
    for k in range(4):
        assert set(np.unique(weights[:, k])) <= {0.0, 1 / S[k]}
    error = np.sqrt((1 / S - 1) / DRAWS)
    assert (np.abs(weights.mean(axis=0) - 1) <= 4 * error + 1e-12).all()


def test_variances():
    """Hard: Σ z_k z_l (1/s_min(k,l) − 1), since the farther term needs the nearer; soft: Σ z²(1/s − 1)."""
    near = S[np.minimum.outer(np.arange(4), np.arange(4))]
    hard, soft = Z @ (1 / near - 1) @ Z, Z**2 @ (1 / S - 1)
    for truncation, exact in ((hard_truncation, hard), (soft_truncation, soft)):
        sums = truncation(S, DRAWS, np.random.default_rng(1)) @ Z
        assert sums.var() == pytest.approx(exact, rel=0.05)
        assert sums.mean() == pytest.approx(Z.sum(), abs=4 * np.sqrt(exact / DRAWS))


def test_hard_is_nested_and_soft_is_not():
    kept = hard_truncation(S, 500, np.random.default_rng(2)) > 0
    assert (kept[:, :-1] >= kept[:, 1:]).all()
    kept = soft_truncation(S, 500, np.random.default_rng(2)) > 0
    assert not (kept[:, :-1] >= kept[:, 1:]).all()


@given(st.integers(1, 5), st.floats(0.2, 1.0), st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_coins_on_the_way_back_are_unbiased_exactly(T, go_on, seed):
    """All 2^T outcomes with their probabilities: the mean is the full gradient, with a loss at every step."""
    rng = np.random.default_rng(seed)
    X, G, W1 = rng.normal(size=(T, 2, 3)), rng.normal(size=(T, 2, 4)), rng.normal(size=(4, 4))
    states = unroll(X, rng.normal(size=(3, 4)), W1, np.zeros(4))
    full, mean = backward_through_time(G, X, W1, states), 0.0
    for coins in product((0, 1), repeat=T):
        keep = np.array(coins) / go_on
        chance = go_on ** sum(coins) * (1 - go_on) ** (T - sum(coins))
        mean = mean + chance * backward_through_time(G, X, W1, states, keep).W1
    np.testing.assert_allclose(mean, full.W1, atol=1e-9)


def test_random_keep():
    keep = random_keep(10_000, 0.8, np.random.default_rng(3))
    assert set(np.unique(keep)) == {0.0, 1.25} and keep.mean() == pytest.approx(1, abs=0.02)
    assert (random_keep(5, 1.0, np.random.default_rng(3)) == 1).all()


def test_messages():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="hard_truncation: r must be above 0, at most 1, and never rise"):
        hard_truncation([0.5, 0.6], 3, rng)
    with pytest.raises(ValueError, match="hard_truncation: r must be above 0"):
        hard_truncation([0.5, 0.0], 3, rng)
    with pytest.raises(ValueError, match="soft_truncation: r must be above 0 and at most 1"):
        soft_truncation([0.5, 0.0], 3, rng)
    with pytest.raises(ValueError, match="random_keep: go_on must be above 0 and at most 1; got 0"):
        random_keep(3, 0.0, rng)
