"""Mean field: a posterior approximated by independent factors, each updated in turn.

The model is a Gaussian with unknown mean m and unknown precision γ, where the exact posterior is known too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from chapters_src.core.contract import checked
from chapters_src.core.covariances import positive_definite
from chapters_src.core.fit import Fit
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI

__all__ = [
    "NormalGamma",
    "correlated_mean_field",
    "fit_mean_field",
    "mean_field_elbo",
    "normal_gamma",
    "normal_gamma_evidence",
    "normal_gamma_posterior",
]


class NormalGamma(NamedTuple):
    """γ ~ Gamma(shape, rate) and, given γ, m ~ N(mean, 1/(strength·γ)); made by `normal_gamma`."""

    mean: float
    strength: float
    shape: float
    rate: float


@checked(strength=above(0), shape=above(0), rate=above(0))
def normal_gamma(mean: float, strength: float, shape: float, rate: float) -> NormalGamma:
    """What is believed of a Gaussian before the data, worth ``strength`` observations of the mean.

    p(m, γ) = N(m; μ₀, (κ₀γ)⁻¹) · Gamma(γ; a₀, b₀)
    """
    return NormalGamma(mean, strength, shape, rate)


def _whole_prior(ask: Ask, prior: Any) -> NormalGamma:
    """Read a prior that may have been put together by hand."""
    return normal_gamma(*prior)


@checked(prior=_whole_prior)
def normal_gamma_posterior(x: Float[ndarray, "n"], prior: NormalGamma) -> NormalGamma:
    """The exact posterior of m and γ, of the same kind as the prior.

    κ = κ₀ + n,  μ = (κ₀μ₀ + nx̄)/κ,  a = a₀ + n/2,  b = b₀ + ½Σ(xᵢ − x̄)² + κ₀n(x̄ − μ₀)²/2κ
    """
    n, centre = len(x), float(x.mean())
    strength = prior.strength + n
    mean = (prior.strength * prior.mean + n * centre) / strength
    pull = prior.strength * n / strength * (centre - prior.mean) ** 2
    rate = prior.rate + 0.5 * (float(np.sum((x - centre) ** 2)) + pull)
    return NormalGamma(mean, strength, prior.shape + n / 2, rate)


@checked(prior=_whole_prior)
def normal_gamma_evidence(x: Float[ndarray, "n"], prior: NormalGamma) -> float:
    """log p(x) of all data with m and γ integrated out: the ratio of two normalisers.

    log p(x) = log Γ(a)/Γ(a₀) + a₀ log b₀ − a log b + ½ log κ₀/κ − n/2 log 2π
    """
    post = normal_gamma_posterior(x, prior)
    gammas = float(gammaln(post.shape) - gammaln(prior.shape))
    rates = prior.shape * np.log(prior.rate) - post.shape * np.log(post.rate)
    return gammas + float(rates + 0.5 * np.log(prior.strength / post.strength)) - len(x) / 2 * LOG_2PI


def _squares(x: Float[ndarray, "n"], prior: NormalGamma, mean: float, variance: float) -> float:
    """E_q[Σ(xᵢ − m)² + κ₀(m − μ₀)²]: each square is that of the mean plus the variance."""
    at_mean = float(np.sum((x - mean) ** 2)) + prior.strength * (mean - prior.mean) ** 2
    return at_mean + (len(x) + prior.strength) * variance


@checked(prior=_whole_prior, variance=above(0), shape=above(0), rate=above(0))
def mean_field_elbo(
    x: Float[ndarray, "n"], prior: NormalGamma, mean: float, variance: float, shape: float, rate: float
) -> float:
    """The bound for q(m)q(γ) = N(mean, variance) · Gamma(shape, rate).

    ELBO = E_q[log p(x, m, γ)] + H(q(m)) + H(q(γ))
    """
    a, b = shape, rate
    gamma, log_gamma = a / b, float(digamma(a)) - float(np.log(b))
    joint = 0.5 * (len(x) + 1) * (log_gamma - LOG_2PI) + 0.5 * float(np.log(prior.strength))
    joint -= 0.5 * gamma * _squares(x, prior, mean, variance)
    joint += prior.shape * float(np.log(prior.rate)) - float(gammaln(prior.shape))
    joint += (prior.shape - 1) * log_gamma - prior.rate * gamma
    entropy_mean = 0.5 * (1 + LOG_2PI + float(np.log(variance)))
    entropy_gamma = a - float(np.log(b)) + float(gammaln(a)) + (1 - a) * float(digamma(a))
    return joint + entropy_mean + entropy_gamma


@checked(prior=_whole_prior, precision=above(0), steps=at_least(1), tolerance=at_least(0))
def fit_mean_field(
    x: Float[ndarray, "n"],
    prior: NormalGamma,
    precision: float = 1.0,
    steps: int = 100,
    tolerance: float = 1e-12,
) -> Fit:
    """Update q(γ) and q(m) in turn, from a first guess of E[γ] = ``precision``, until the bound stands still.

    q(m): μ = (κ₀μ₀ + nx̄)/(κ₀ + n),  1/σ² = (κ₀ + n)E[γ]
    q(γ): a = a₀ + (n + 1)/2,  b = b₀ + ½E[Σ(xᵢ − m)² + κ₀(m − μ₀)²]      {eq}`eq-variational-precision`

    θ = (μ, σ², a, b) of q(m) = N(μ, σ²) and q(γ) = Gamma(a, b). The loss is minus the bound, a step is one
    update of one factor, and two in a row that gain nothing are the end.
    """
    n = len(x)
    mean = (prior.strength * prior.mean + float(x.sum())) / (prior.strength + n)
    shape = prior.shape + (n + 1) / 2
    variance, rate = 1 / ((prior.strength + n) * precision), shape / precision
    path = [(mean, variance, shape, rate)]
    losses = [-mean_field_elbo(x, prior, *path[0])]
    converged = False
    while not converged and len(path) <= steps:
        if len(path) % 2:
            rate = prior.rate + 0.5 * _squares(x, prior, mean, variance)
        else:
            variance = rate / ((prior.strength + n) * shape)
        path.append((mean, variance, shape, rate))
        losses.append(-mean_field_elbo(x, prior, *path[-1]))
        converged = len(path) > 2 and bool(losses[-3] - losses[-1] <= tolerance * max(1.0, abs(losses[-1])))
    return Fit(np.array(path[-1]), np.array(losses), converged, len(path) - 1, np.array(path))


@checked(covariance=positive_definite)
def correlated_mean_field(covariance: Float[ndarray, "d d"]) -> tuple[Float[ndarray, "d"], float]:
    """The variances of the independent Gaussians nearest to a correlated one in KL(q‖p), and that KL.

    σⱼ² = 1/(Σ⁻¹)ⱼⱼ,  KL = ½[Σⱼ log (Σ⁻¹)ⱼⱼ + log det Σ]    {eq}`eq-variational-correlation`

    Each is the variance of one coordinate with all others held still, which is never more than its own.
    """
    root = np.linalg.cholesky(covariance)
    precision = np.diag(np.linalg.inv(covariance))
    gap = 0.5 * float(np.log(precision).sum()) + float(np.log(np.diag(root)).sum())
    return 1 / precision, max(0.0, gap)
