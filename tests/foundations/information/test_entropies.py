"""Surprise, entropy and cross-entropy against scipy, torch and worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations.information import discrete_cross_entropy, discrete_kl, entropy, surprise

seeds = st.integers(0, 2**32 - 1)


class TestSurprise:
    def test_worked_numbers(self):
        np.testing.assert_allclose(surprise([0.01, 0.99]), [4.605170, 0.010050], atol=5e-7)
        assert surprise(0.5) / np.log(2) == pytest.approx(1.0)

    def test_certain_and_impossible(self):
        assert surprise(1.0) == 0
        assert not np.signbit(surprise(1.0))
        assert surprise(0.0) == np.inf

    @given(st.floats(1e-12, 1), st.floats(1e-12, 1))
    def test_the_three_wishes(self, a, b):
        assert surprise(a * b) == pytest.approx(surprise(a) + surprise(b), rel=1e-12, abs=1e-15)
        assert (surprise(a) > surprise(b)) == (np.log(a) < np.log(b))

    @pytest.mark.parametrize("wrong", [-0.1, 1.1])
    def test_no_probability(self, wrong):
        with pytest.raises(ValueError, match="surprise: probability must be at least 0 and at most 1"):
            surprise(wrong)


class TestEntropy:
    def test_worked_numbers(self):
        tosses = 0.5 ** np.arange(1, 60)
        assert entropy(tosses / tosses.sum()) == pytest.approx(2 * np.log(2), abs=1e-12)
        assert entropy(np.full(6, 1 / 6)) == pytest.approx(np.log(6))
        assert entropy([0.0, 1.0]) == 0

    @given(seeds, st.integers(2, 9))
    def test_against_torch_and_bounded_by_uniform(self, seed, k):
        p = np.random.default_rng(seed).dirichlet(np.ones(k))
        expected = torch.distributions.Categorical(torch.tensor(p)).entropy().item()
        assert entropy(p) == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert entropy(p) <= np.log(k) + 1e-12

    @given(seeds)
    def test_joining_values_loses_entropy(self, seed):
        p = np.random.default_rng(seed).dirichlet(np.ones(5))
        joined = np.append(p[:3], p[3] + p[4])
        share = p[3:] / p[3:].sum()
        lost = entropy(p) - entropy(joined)
        assert lost == pytest.approx(p[3:].sum() * scipy.stats.entropy(share), abs=1e-12)


class TestCrossEntropy:
    @given(seeds, st.integers(2, 8))
    def test_against_torch_and_the_sum_of_entropy_and_kl(self, seed, k):
        p, q = np.random.default_rng(seed).dirichlet(np.ones(k), 2)
        expected = torch.nn.functional.cross_entropy(
            torch.log(torch.tensor(q))[None], torch.tensor(p)[None]
        ).item()
        value = discrete_cross_entropy(p, q)
        assert value == pytest.approx(expected, rel=1e-9)
        assert value == pytest.approx(float(entropy(p)) + discrete_kl(p, q), rel=1e-9)
        assert value >= entropy(p) - 1e-12

    def test_the_first_argument_draws(self):
        assert discrete_cross_entropy([1.0, 0.0], [0.25, 0.75]) == pytest.approx(np.log(4))
        assert discrete_cross_entropy([1.0, 0.0], [1.0, 0.0]) == 0

    def test_what_was_never_expected(self):
        assert discrete_cross_entropy([0.5, 0.5], [1.0, 0.0]) == np.inf

    def test_errors(self):
        with pytest.raises(ValueError, match="discrete_cross_entropy: q must have shape"):
            discrete_cross_entropy([0.5, 0.5], [0.2, 0.3, 0.5])
        with pytest.raises(ValueError, match="discrete_cross_entropy: p must be at least 0 and sum to 1"):
            discrete_cross_entropy([0.5, 0.4], [0.5, 0.5])
