"""Two ways to estimate ∇E[f(z)] for z ~ N(μ, σ²) from samples: by the slope of f, or by its value alone."""

from __future__ import annotations

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = ["leave_one_out_baseline", "reparameterised_gradient", "score_function_gradient", "total_variance"]


def reparameterised_gradient(
    slopes: Float[ndarray, "s k"], eps: Float[ndarray, "s k"]
) -> tuple[Float[ndarray, "s k"], Float[ndarray, "s k"]]:
    """An estimate of ∂/∂μ and of ∂/∂σ from each sample z = μ + σ ⊙ ε, with ``slopes`` ∇f(z) there.

    ∂E[f]/∂μ = E[f′(z)],  ∂E[f]/∂σ = E[f′(z) ε]                   {eq}`eq-vae-pathwise`
    """
    slopes = checks.matrix("reparameterised_gradient", "slopes", slopes)
    eps = checks.same_shape("reparameterised_gradient", "eps", eps, as_name="slopes", shape=slopes.shape)
    return slopes.copy(), slopes * eps


def score_function_gradient(
    values: Float[ndarray, "s"],
    eps: Float[ndarray, "s k"],
    std: Float[ndarray, "k"],
    baseline: float | Float[ndarray, "s"] = 0.0,
) -> tuple[Float[ndarray, "s k"], Float[ndarray, "s k"]]:
    """An estimate of ∂/∂μ and of ∂/∂σ from each sample, with ``values`` f(z) and no derivative of f.

    ∇E[f] = E[(f(z) − b) ∇ log q(z)],  ∂log q/∂μ = ε/σ,  ∂log q/∂σ = (ε² − 1)/σ    {eq}`eq-vae-score`

    Any baseline b that does not depend on the sample it is used for leaves the mean as it is.
    """
    name = "score_function_gradient"
    values = checks.vector(name, "values", values)
    eps = checks.matrix(name, "eps", eps, rows=len(values), per="value")
    std = checks.vector(name, "std", std, length=eps.shape[1], per="column of eps")
    if not (std > 0).all():
        checks.fail(name, "std", "be positive", f"{std.min():g}")
    b = checks.array(name, "baseline", baseline)
    if b.shape not in ((), values.shape):
        checks.fail(name, "baseline", f"be one number, or {len(values)} of them, one per value", b.shape)
    centred = (values - b)[:, None]  # (s,) -> (s, 1)
    return centred * eps / std, centred * (eps**2 - 1) / std


def leave_one_out_baseline(values: Float[ndarray, "s"]) -> Float[ndarray, "s"]:
    """For each sample the mean of all others, which does not depend on it and is about the right size.

    bₛ = (1/(S−1)) Σ_{r≠s} f(z_r)                                 {eq}`eq-vae-baseline`
    """
    values = checks.vector("leave_one_out_baseline", "values", values)
    if len(values) < 2:
        checks.fail("leave_one_out_baseline", "values", "be two or more, or there is no other", len(values))
    return (values.sum() - values) / (len(values) - 1)


def total_variance(gradients: Float[ndarray, "s k"]) -> float:
    """The variances of all columns, added up: E‖g − E g‖² of one sample."""
    g = checks.matrix("total_variance", "gradients", gradients)
    return float(np.sum(g.var(axis=0)))
