"""Bayes' rule for a list of candidates, against fractions, scipy and counting."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from chapters_src.foundations.bayes import monte_carlo_predictive, posterior_predictive, posterior_weights

seeds = st.integers(0, 2**32 - 1)


def random_candidates(seed, k=5):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(k)), rng.normal(scale=3, size=k)


class TestPosteriorWeights:
    def test_in_fractions(self):
        # Two urns, 3/4 and 1/4 red; two reds are drawn and put back. Prior 1/3 and 2/3.
        prior, red = [Fraction(1, 3), Fraction(2, 3)], [Fraction(3, 4), Fraction(1, 4)]
        joint = [p * r**2 for p, r in zip(prior, red, strict=True)]
        assert [j / sum(joint) for j in joint] == [Fraction(9, 11), Fraction(2, 11)]
        weights, log_evidence = posterior_weights([1 / 3, 2 / 3], 2 * np.log([0.75, 0.25]))
        np.testing.assert_allclose(weights, [9 / 11, 2 / 11], rtol=1e-14)
        assert log_evidence == pytest.approx(np.log(float(sum(joint))), rel=1e-14)

    @settings(max_examples=50)
    @given(seeds)
    def test_against_scipy(self, seed):
        prior, log_likelihood = random_candidates(seed)
        weights, log_evidence = posterior_weights(prior, log_likelihood)
        assert log_evidence == pytest.approx(logsumexp(log_likelihood, b=prior), abs=1e-12)
        np.testing.assert_allclose(weights, np.exp(np.log(prior) + log_likelihood - log_evidence), rtol=1e-10)
        assert weights.sum() == pytest.approx(1, abs=1e-14)

    @settings(max_examples=50)
    @given(seeds)
    def test_data_in_two_parts_or_at_once_in_any_order(self, seed):
        prior, first = random_candidates(seed)
        second = np.random.default_rng(seed + 1).normal(size=5)
        at_once, evidence = posterior_weights(prior, first + second)
        for one, other in ((first, second), (second, first)):
            middle, early = posterior_weights(prior, one)
            last, late = posterior_weights(middle / middle.sum(), other)
            np.testing.assert_allclose(last, at_once, rtol=1e-9)
            assert early + late == pytest.approx(evidence, abs=1e-11)

    def test_too_small_for_floats(self):
        weights, log_evidence = posterior_weights([0.5, 0.5], [-5000.0, -5001.0])
        np.testing.assert_allclose(weights, [1 / (1 + np.exp(-1)), 1 / (1 + np.e)], rtol=1e-12)
        assert log_evidence == pytest.approx(-5000 + np.log(0.5 + 0.5 / np.e), rel=1e-14)

    def test_no_prior_probability_no_posterior(self):
        weights, log_evidence = posterior_weights([0.0, 0.3, 0.7], [900.0, -3.0, -3.0])
        np.testing.assert_allclose(weights, [0, 0.3, 0.7], rtol=1e-14)
        assert log_evidence == pytest.approx(-3, rel=1e-14)

    def test_a_prior_that_is_none(self):
        with pytest.raises(ValueError, match=r"^posterior_weights: prior must be at least 0 and sum to 1"):
            posterior_weights([0.5, 0.6], [0.0, 0.0])
        with pytest.raises(ValueError, match=r"^posterior_weights: log_likelihood must have shape \(2,\)"):
            posterior_weights([0.5, 0.5], [0.0, 0.0, 0.0])


class TestPredictive:
    def test_worked_number(self):
        # Two candidates, of weight 0.9 and 0.1, that give the outcome 0.8 and 0.3.
        outcomes = np.array([[0.8, 0.2], [0.3, 0.7]])
        np.testing.assert_allclose(posterior_predictive([0.9, 0.1], outcomes), [0.75, 0.25], rtol=1e-15)
        assert posterior_predictive([0.9, 0.1], [0.8, 0.3]) == pytest.approx(0.75, rel=1e-15)

    def test_monte_carlo_is_within_its_error(self):
        weights, p = np.array([0.9, 0.1]), np.array([0.8, 0.3])
        spread = np.sqrt(weights @ p**2 - (weights @ p) ** 2)
        estimates = [
            monte_carlo_predictive(weights, p, 400, np.random.default_rng(seed)) for seed in range(300)
        ]
        z = (np.array(estimates) - 0.75) / (spread / 20)
        assert abs(z.mean()) < 4 / np.sqrt(300)
        assert stats.chi2(300).ppf(1e-4) < np.sum(z**2) < stats.chi2(300).ppf(1 - 1e-4)

    def test_counting_the_posterior_twice_is_another_number(self):
        weights, p = np.array([0.9, 0.1]), np.array([[0.8, 0.2], [0.3, 0.7]])
        twice = weights @ (weights[:, None] * p)
        np.testing.assert_allclose(twice, [0.651, 0.169], rtol=1e-12)
        drawn = monte_carlo_predictive(weights, p, 40_000, np.random.default_rng(0))
        assert drawn.sum() == pytest.approx(1, abs=1e-12)
        assert np.abs(drawn - [0.75, 0.25]).max() < 4 * 0.15 / 200
        assert drawn[0] - twice[0] > 0.09

    @settings(max_examples=50)
    @given(seeds)
    def test_between_the_candidates(self, seed):
        weights, _ = random_candidates(seed)
        p = np.random.default_rng(seed).dirichlet(np.ones(3), size=5)
        predicted = posterior_predictive(weights, p)
        assert predicted.sum() == pytest.approx(1, abs=1e-12)
        assert (p.min(axis=0) - 1e-12 <= predicted).all()
        assert (predicted <= p.max(axis=0) + 1e-12).all()
        sampled = monte_carlo_predictive(weights, p, 7, np.random.default_rng(seed))
        assert sampled.sum() == pytest.approx(1, abs=1e-12)

    def test_probabilities_are_probabilities(self):
        with pytest.raises(ValueError, match=r"^posterior_predictive: probabilities must be"):
            posterior_predictive([0.5, 0.5], [1.2, 0.0])
        with pytest.raises(ValueError, match=r"^monte_carlo_predictive: draws must be at least 1; got 0"):
            monte_carlo_predictive([0.5, 0.5], [0.1, 0.2], 0, np.random.default_rng(0))
