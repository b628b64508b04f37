"""Bayes' rule for a list of candidates, and predictions that average over them."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["monte_carlo_predictive", "posterior_predictive", "posterior_weights"]


@checked(prior=sums_to_one)
def posterior_weights(
    prior: Float[ndarray, "K"], log_likelihood: Float[ndarray, "K"]
) -> tuple[Float[ndarray, "K"], float]:
    """The posterior probability of each of K candidates, and the logarithm of the evidence.

    p(fₖ|D) = p(D|fₖ) p(fₖ) / p(D),  p(D) = Σⱼ p(D|fⱼ) p(fⱼ)      {eq}`eq-bayes-rule`

    It takes logarithms, because the probability of a few thousand observations can be too small for a float.
    """
    largest = log_likelihood[prior > 0].max()
    # A candidate without prior probability stays without; its exponent is cut so that it cannot overflow.
    joint = prior * np.exp(np.minimum(log_likelihood - largest, 0.0))
    total = float(joint.sum())
    return joint / total, float(largest + np.log(total))


@checked(weights=sums_to_one, probabilities=between(0, 1))
def posterior_predictive(
    weights: Float[ndarray, "K"], probabilities: Float[ndarray, "K *outcomes"]
) -> Float[ndarray, "*outcomes"]:
    """The probability of a new outcome, each candidate's prediction counted by its posterior weight.

    p(y|D) = Σₖ p(y|fₖ) p(fₖ|D)                       {eq}`eq-bayes-predictive`
    """
    return np.asarray(np.tensordot(weights, probabilities, axes=1))


@checked(weights=sums_to_one, probabilities=between(0, 1), draws=at_least(1))
def monte_carlo_predictive(
    weights: Float[ndarray, "K"],
    probabilities: Float[ndarray, "K *outcomes"],
    draws: int,
    rng: np.random.Generator,
) -> Float[ndarray, "*outcomes"]:
    """The same probability estimated: draw candidates from the posterior and take the plain mean.

    p(y|D) ≈ 1/M Σᵢ p(y|fᵢ),  fᵢ ~ p(f|D)             {eq}`eq-bayes-monte-carlo`

    The weights decide who is drawn, so they must not be counted once more in the mean.
    """
    drawn = rng.choice(len(weights), size=draws, p=weights / weights.sum())
    return np.asarray(probabilities[drawn].mean(axis=0))
