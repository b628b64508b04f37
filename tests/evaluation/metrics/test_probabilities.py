"""Scores of probabilities against scikit-learn, and the property that gives them their name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from chapters_src.evaluation.metrics import brier_score, log_loss


def draw(seed, n=30, K=4):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(K), n), rng.integers(0, K, n)


@given(st.integers(0, 2**32 - 1))
def test_against_scikit_learn(seed):
    q, y = draw(seed)
    assert log_loss(q, y) == pytest.approx(reference.log_loss(y, q, labels=range(4)), rel=1e-12)
    theirs = reference.brier_score_loss(y, q, labels=range(4), scale_by_half=False)
    assert brier_score(q, y) == pytest.approx(theirs, rel=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_two_classes_count_every_miss_twice(seed):
    q, y = draw(seed, K=2)
    assert brier_score(q, y) == pytest.approx(2 * reference.brier_score_loss(y, q[:, 1], pos_label=1))
    assert brier_score(q, y) == pytest.approx(2 * np.mean((q[:, 1] - y) ** 2))


@pytest.mark.parametrize("score", [log_loss, brier_score])
@given(seed=st.integers(0, 2**32 - 1))
def test_nobody_does_better_than_the_frequencies(score, seed):
    """Proper: of all who state one distribution for every example, the observed frequencies cost least."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 3, 20), [0, 1, 2])
    honest = np.bincount(y) / len(y)
    other = rng.dirichlet(np.ones(3))
    assert score(np.tile(honest, (23, 1)), y) <= score(np.tile(other, (23, 1)), y) + 1e-12


def test_worked_numbers():
    q, y = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([1, 0])
    assert log_loss(q, y) == pytest.approx(-(np.log(0.8) + np.log(0.5)) / 2)
    assert brier_score(q, y) == pytest.approx((0.08 + 0.5) / 2)
    assert log_loss([[1.0, 0.0]], [1]) == np.inf
    assert brier_score([[1.0, 0.0]], [1]) == 2


@pytest.mark.parametrize("score", [log_loss, brier_score])
def test_errors(score):
    with pytest.raises(ValueError, match=rf"{score.__name__}: q must be at least 0 and sum to 1"):
        score([[0.5, 0.6]], [0])
    with pytest.raises(ValueError, match=rf"{score.__name__}: y must hold class numbers from 0 to 1; got 2"):
        score([[0.5, 0.5]], [2])
