"""Coverage by counting all orders, not by drawing."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from chapters_src.evaluation.calibration import adaptive_scores, conformal_quantile


@pytest.mark.parametrize(("n", "alpha"), [(4, 0.2), (4, 0.35), (5, 0.5), (6, 0.15)])
def test_coverage_over_all_orders(n, alpha):
    orders = np.array(list(permutations(range(n + 1))), dtype=float)
    covered = np.mean([order[-1] <= conformal_quantile(order[:-1], alpha) for order in orders])
    k = np.ceil((1 - alpha) * (n + 1))
    assert covered == pytest.approx(k / (n + 1))
    assert 1 - alpha <= covered < 1 - alpha + 1 / (n + 1)


@pytest.mark.parametrize(
    ("n", "alpha", "k"), [(9, 0.25, 8), (9, 0.7, 3), (99, 0.29, 71), (19, 0.1, 18), (19, 0.05, 19)]
)
def test_which_score(n, alpha, k):
    assert conformal_quantile(np.arange(n, 0, -1.0), alpha) == k


def test_too_few_scores_exclude_nothing():
    assert conformal_quantile([0.3] * 8, 0.1) == np.inf
    assert conformal_quantile([0.3] * 9, 0.1) == 0.3
    assert conformal_quantile([0.3] * 9, 1.0) == -np.inf


def test_coverage_given_the_scores_is_beta():
    rng = np.random.default_rng(0)
    found = [conformal_quantile(rng.uniform(size=50), 0.1) for _ in range(4000)]
    assert np.quantile(found, [0.05, 0.5, 0.95]) == pytest.approx(
        beta(46, 5).ppf([0.05, 0.5, 0.95]), abs=0.01
    )


@given(st.integers(1, 6), st.randoms())
def test_adaptive_scores_by_a_loop(K, random):
    weights = np.array([[random.randint(1, 5) for _ in range(K)] for _ in range(3)], dtype=float)
    pi, u = weights / weights.sum(axis=1, keepdims=True), np.array([0.0, 0.4, 1.0])
    expected = [
        [sum(row[j] for j in range(K) if row[j] > row[k]) + share * row[k] for k in range(K)]
        for row, share in zip(pi, u, strict=True)
    ]
    np.testing.assert_allclose(adaptive_scores(pi, u), expected, atol=1e-12)


def test_adaptive_scores_are_uniform_if_the_model_is_right():
    rng = np.random.default_rng(1)
    pi = rng.dirichlet([1, 1, 1], size=20_000)
    y = (pi.cumsum(axis=1) < rng.uniform(size=(20_000, 1))).sum(axis=1)
    own = adaptive_scores(pi, rng.uniform(size=20_000))[np.arange(20_000), y]
    np.testing.assert_allclose(np.quantile(own, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.012)


def test_bad_levels_are_refused():
    with pytest.raises(ValueError, match="conformal_quantile: alpha must"):
        conformal_quantile([0.1, 0.2], 1.2)
