"""Bias and variance against brute force, exact enumeration and scikit-learn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from chapters_src.evaluation.generalisation import (
    bias_variance,
    linear_bias_variance,
    optimism,
    vote_error,
)

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=9, d=4, t=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(t, d)), rng.normal(size=n), rng.normal(size=t)


class TestBiasVariance:
    def test_by_hand(self):
        # At the first input 1 and 3 about a truth of 0, at the second twice 5 about 4.
        found = bias_variance(np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([0.0, 4.0]))
        assert found == (pytest.approx((4 + 1) / 2), pytest.approx((1 + 0) / 2))

    @settings(max_examples=40)
    @given(seeds)
    def test_the_two_add_up_to_the_distance_from_the_truth(self, seed):
        rng = np.random.default_rng(seed)
        predictions, truth = rng.normal(size=(7, 5)), rng.normal(size=5)
        assert sum(bias_variance(predictions, truth)) == pytest.approx(np.mean((predictions - truth) ** 2))

    def test_an_average_of_few_fits_inflates_the_bias(self):
        rng = np.random.default_rng(0)
        parts = np.array([bias_variance(rng.normal(2.0, 1.0, (4, 50)), np.zeros(50)) for _ in range(4000)])
        assert parts[:, 0].mean() == pytest.approx(4 + 1 / 4, abs=0.01)
        assert (parts[:, 0] - parts[:, 1] / 3).mean() == pytest.approx(4, abs=0.01)


class TestLinear:
    @pytest.mark.parametrize("ridge", [0.0, 0.7])
    def test_noise_of_two_values_enumerated(self, ridge):
        X, at, truth, truth_at = problem(0, n=8)
        model = Ridge(alpha=ridge, fit_intercept=False, solver="svd", tol=1e-12)
        fits = [
            model.fit(X, truth + 0.5 * np.array(signs)).predict(at) for signs in product((-1, 1), repeat=8)
        ]
        ours = linear_bias_variance(X, at, truth, truth_at, 0.25, ridge)
        np.testing.assert_allclose(ours, bias_variance(np.array(fits), truth_at), rtol=1e-9)

    def test_a_model_that_contains_the_truth_has_no_bias_until_it_is_shrunk(self):
        X, at, _, _ = problem(1)
        theta = np.arange(4.0)
        plain = linear_bias_variance(X, at, X @ theta, at @ theta, 1.0)
        shrunk = linear_bias_variance(X, at, X @ theta, at @ theta, 1.0, 2.0)
        assert plain.bias_squared == pytest.approx(0, abs=1e-20)
        assert shrunk.bias_squared > 0.01 and shrunk.variance < plain.variance

    def test_worked_number_of_a_mean(self):
        ones = np.ones((5, 1))
        found = linear_bias_variance(ones, ones[:1], np.full(5, 3.0), np.array([3.0]), 1.0)
        assert found == (pytest.approx(0, abs=1e-20), pytest.approx(0.2))


class TestOptimism:
    @pytest.mark.parametrize("ridge", [0.0, 1.5])
    def test_fresh_minus_training_error_enumerated(self, ridge):
        X, _, truth, _ = problem(2, n=8)
        model = Ridge(alpha=ridge, fit_intercept=False, solver="svd", tol=1e-12)
        gaps = []
        for signs in product((-1, 1), repeat=8):
            y = truth + 0.5 * np.array(signs)
            fit = model.fit(X, y).predict(X)
            gaps.append(np.mean((truth - fit) ** 2) + 0.25 - np.mean((y - fit) ** 2))
        assert optimism(X, 0.25, ridge) == pytest.approx(np.mean(gaps))

    def test_without_a_penalty_it_counts_the_parameters(self):
        X, _, _, _ = problem(3)
        assert optimism(X, 2.0) == pytest.approx(2 * 2.0 * 4 / 9)


class TestVotes:
    def test_by_simulation(self):
        rng = np.random.default_rng(0)
        output, voted = rng.random(400_000) < 0.8, rng.random(400_000) < 0.3
        assert vote_error(0.8, 0.3) == pytest.approx(np.mean(output != voted), abs=0.003)

    def test_ends(self):
        np.testing.assert_allclose(vote_error([0.8, 0.8, 0.5], [1.0, 0.0, 0.3]), [0.2, 0.8, 0.5])

    def test_a_coin_below_one_half_is_refused(self):
        with pytest.raises(ValueError, match="likelier must be"):
            vote_error(0.4, 0.5)
