"""The rules of probability on tables: a row is a cause, a column is what may be seen."""

from __future__ import annotations

from chapters_src.core.contract import checked, require
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["conditional", "joint", "posterior"]


@checked(prior=sums_to_one, likelihood=sums_to_one)
def joint(prior: Float[ndarray, "K"], likelihood: Float[ndarray, "K m"]) -> Float[ndarray, "K m"]:
    """The probability of each cause together with each thing seen.

    p(z, x) = p(z) p(x|z)                             {eq}`eq-probability-product`
    """
    return prior[:, None] * likelihood


@checked(joint=at_least(0))
def conditional(joint: Float[ndarray, "K m"]) -> Float[ndarray, "K m"]:
    """Each column divided by its sum: the causes, given what was seen.

    p(z|x) = p(z, x) / Σ_z p(z, x)                    {eq}`eq-probability-bayes`
    """
    evidence = joint.sum(axis=0)
    require(
        evidence.all(),
        "joint",
        "have no column of zeros, because what cannot happen gives no condition",
        "one",
    )
    return joint / evidence


@checked(prior=sums_to_one, likelihood=at_least(0))
def posterior(prior: Float[ndarray, "K"], likelihood: Float[ndarray, "K"]) -> Float[ndarray, "K"]:
    """Bayes' rule for one thing seen, of which each cause says how probable it was.

    p(z|x) = p(z) p(x|z) / Σ_z p(z) p(x|z)            {eq}`eq-probability-bayes`
    """
    together = prior * likelihood
    require(together.any(), "likelihood", "be above 0 for a cause that is possible", "evidence 0")
    return together / together.sum()
