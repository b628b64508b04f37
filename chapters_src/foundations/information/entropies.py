"""How surprising an event is, and how undecided a distribution."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["discrete_cross_entropy", "entropy", "surprise"]


@checked(probability=between(0, 1))
def surprise(probability: Float[ndarray, "*batch"]) -> Float[ndarray, "*batch"]:
    """The surprise of events with these probabilities, in nats; infinite for an impossible one.

    S(A) = −log P(A)                                   {eq}`eq-information-surprise`
    """
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - np.log(probability))


@checked(p=sums_to_one)
def entropy(p: Float[ndarray, "*batch K"]) -> Float[ndarray, "*batch"]:
    """How undecided each distribution is, in nats: 0 for a certain one, log K for a uniform one.

    H(p) = −Σₖ pₖ log pₖ,  with 0·log 0 = 0           {eq}`eq-information-entropy`
    """
    return np.asarray(-np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=-1))


@checked(p=sums_to_one, q=sums_to_one)
def discrete_cross_entropy(p: Float[ndarray, "k"], q: Float[ndarray, "k"]) -> float:
    """The mean surprise, in nats, of someone who believes q while p draws; infinite where p > 0 = q.

    H(p, q) = −Σₖ pₖ log qₖ                            {eq}`eq-information-cross-entropy`
    """
    drawn = p > 0  # what p never draws costs nothing, even where q is 0
    return float(p[drawn] @ surprise(q[drawn]))
