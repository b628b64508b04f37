"""Two ways to estimate ∇E[f(z)] for z ~ N(μ, σ²) from samples: by the slope of f, or by its value alone."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray

__all__ = ["leave_one_out_baseline", "reparameterised_gradient", "score_function_gradient", "total_variance"]


@checked
def reparameterised_gradient(
    slopes: Float[ndarray, "s k"], eps: Float[ndarray, "s k"]
) -> tuple[Float[ndarray, "s k"], Float[ndarray, "s k"]]:
    """An estimate of ∂/∂μ and of ∂/∂σ from each sample z = μ + σ ⊙ ε, with ``slopes`` ∇f(z) there.

    ∂E[f]/∂μ = E[f′(z)],  ∂E[f]/∂σ = E[f′(z) ε]                   {eq}`eq-variational-pathwise`
    """
    return slopes.copy(), slopes * eps


@checked(std=above(0))
def score_function_gradient(
    values: Float[ndarray, "s"],
    eps: Float[ndarray, "s k"],
    std: Float[ndarray, "k"],
    baseline: float | Float[ndarray, "s"] = 0.0,
) -> tuple[Float[ndarray, "s k"], Float[ndarray, "s k"]]:
    """An estimate of ∂/∂μ and of ∂/∂σ from each sample, with ``values`` f(z) and no derivative of f.

    ∇E[f] = E[(f(z) − β) ∇ log q(z)],  ∂log q/∂μ = ε/σ,  ∂log q/∂σ = (ε² − 1)/σ    {eq}`eq-variational-score`

    Any baseline β that does not depend on the sample it is used for leaves the mean as it is.
    """
    centred = (values - baseline)[:, None]  # (s,) -> (s, 1)
    return centred * eps / std, centred * (eps**2 - 1) / std


@checked
def leave_one_out_baseline(values: Float[ndarray, "s"]) -> Float[ndarray, "s"]:
    """For each sample the mean of all others, which does not depend on it and is about the right size.

    βₛ = (1/(S−1)) Σ_{r≠s} f(z_r)                                 {eq}`eq-variational-score`
    """
    require(len(values) >= 2, "values", "be two or more, or there is no other", len(values))
    return (values.sum() - values) / (len(values) - 1)


@checked
def total_variance(gradients: Float[ndarray, "s k"]) -> float:
    """The variances of all columns, added up: E‖g − E g‖² of one sample."""
    return float(np.sum(gradients.var(axis=0)))
