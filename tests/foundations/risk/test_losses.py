"""Losses against torch, scipy and scikit-learn, and the constants they prefer against other minimisers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import huber
from sklearn.metrics import hinge_loss as mean_hinge
from sklearn.metrics import zero_one_loss as mean_zero_one

from chapters_src.foundations.risk import best_constant, hinge_loss, huber_loss, power_loss, zero_one_loss

seeds = st.integers(0, 2**32 - 1)


class TestZeroOneAndHinge:
    @settings(max_examples=60)
    @given(seeds, st.integers(2, 30))
    def test_their_means_against_scikit_learn(self, seed, n):
        rng = np.random.default_rng(seed)
        y, score = np.where(rng.permutation(n) % 2 == 0, 1.0, -1.0), rng.normal(size=n)
        assert zero_one_loss(y, score).mean() == pytest.approx(mean_zero_one(y, np.sign(score)))
        assert hinge_loss(y, score).mean() == pytest.approx(mean_hinge(y, score))

    def test_worked_numbers(self):
        y, score = [1, 1, -1, -1, 1], [2.0, 0.5, 0.5, -3.0, 0.0]
        assert zero_one_loss(y, score).tolist() == [0, 0, 1, 0, 1]
        assert hinge_loss(y, score).tolist() == [0, 0.5, 1.5, 0, 1]

    @given(seeds)
    def test_the_hinge_lies_above(self, seed):
        rng = np.random.default_rng(seed)
        y, score = rng.choice([-1.0, 1.0], 20), 3 * rng.normal(size=20)
        assert (hinge_loss(y, score) >= zero_one_loss(y, score)).all()

    def test_the_hinge_has_two_slopes_at_one(self):
        h = 1e-6
        below, at, beyond = hinge_loss([1, 1, 1], [1 - h, 1.0, 1 + h])
        assert ((at - below) / h, (beyond - at) / h) == (pytest.approx(-1), 0)

    @pytest.mark.parametrize("loss", [zero_one_loss, hinge_loss])
    def test_labels_are_signs(self, loss):
        with pytest.raises(ValueError, match=rf"^{loss.__name__}: y must hold −1 and 1 alone; got 0$"):
            loss([0.0, 1.0], [1.0, 1.0])


class TestPowerLoss:
    @given(st.floats(-50, 50), st.sampled_from([1.0, 2.0, 2.05, 3.0]))
    def test_even_and_as_python_has_it(self, error, exponent):
        assert float(power_loss(error, exponent)) == pytest.approx(abs(error) ** exponent)
        assert float(power_loss(-error, exponent)) == float(power_loss(error, exponent))

    def test_any_shape(self):
        assert power_loss(np.full((2, 3), -2.0), 3.0).tolist() == [[8.0] * 3] * 2


class TestHuberLoss:
    def test_continuous_with_its_slope_at_the_threshold(self):
        assert huber_loss([1.0, -1.0]).tolist() == [0.5, 0.5]
        h = 1e-6
        left, right = (huber_loss([1 - h, 1.0, 1 + h])[i : i + 2] for i in (0, 1))
        assert np.diff(left)[0] / h == pytest.approx(1.0, abs=1e-5)
        assert np.diff(right)[0] / h == pytest.approx(1.0, abs=1e-5)

    @settings(max_examples=100)
    @given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=5), st.floats(1e-3, 1e3))
    def test_against_scipy_and_torch(self, error, delta):
        np.testing.assert_allclose(huber_loss(error, delta), huber(delta, error), rtol=1e-12, atol=1e-300)
        e = torch.tensor(error, dtype=torch.float64)
        theirs = torch.nn.functional.huber_loss(e, torch.zeros_like(e), reduction="none", delta=delta)
        np.testing.assert_allclose(huber_loss(error, delta), theirs.numpy(), rtol=1e-9, atol=1e-12)

    def test_any_shape(self):
        assert huber_loss(np.ones((2, 3, 4))).shape == (2, 3, 4)
        assert float(huber_loss(3.0, 2.0)) == 4.0


class TestBestConstant:
    @settings(max_examples=60)
    @given(seeds, st.integers(1, 12), st.sampled_from([1.5, 2.0, 2.05, 3.0, 6.0]))
    def test_against_a_general_minimiser(self, seed, n, exponent):
        y = np.random.default_rng(seed).standard_cauchy(n)
        cost = lambda c: np.sum(np.abs(y - c) ** exponent)  # noqa: E731
        found = minimize_scalar(cost, bounds=(y.min() - 1, y.max() + 1), options={"xatol": 1e-10})
        assert cost(best_constant(y, exponent)) <= found.fun * (1 + 1e-12)

    @given(seeds, st.integers(1, 15))
    def test_mean_and_median(self, seed, n):
        y = np.random.default_rng(seed).normal(size=n)
        assert best_constant(y) == pytest.approx(y.mean(), abs=1e-12)
        assert best_constant(y, 1.0) == np.median(y)

    def test_a_large_exponent_goes_to_the_middle_of_the_range(self):
        assert best_constant([0.0, 1.0, 2.0, 10.0], 200.0) == pytest.approx(5.0, abs=0.05)

    @pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e150])
    def test_units_do_not_matter(self, scale):
        y = np.array([0.1, 0.2, 0.9, 4.0])
        assert best_constant(scale * y, 3.0) / scale == pytest.approx(best_constant(y, 3.0), rel=1e-9)

    def test_one_value_and_a_concave_loss(self):
        assert best_constant([3.0, 3.0], 2.5) == 3.0
        with pytest.raises(ValueError, match=r"^best_constant: exponent must be at least 1; got 0\.5$"):
            best_constant([1.0, 2.0], 0.5)
