"""The evidence lower bound, and a model whose evidence and posterior have a formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.covariances import positive_definite
from chapters_src.core.quadrature import normal_rule
from chapters_src.core.readers import Ask, Refusal, above, between
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI, gaussian_entropy, multivariate_gaussian_kl

__all__ = [
    "Bound",
    "LinearGaussian",
    "elbo",
    "gaussian_elbo",
    "gaussian_posterior",
    "linear_gaussian",
    "log_evidence",
    "whole_model",
]


class LinearGaussian(NamedTuple):
    """z ~ N(0, I) in k dimensions, x | z ~ N(Wz + b, σ²I) in d, with b as ``mean``; see `linear_gaussian`.

    Fitted to data it is probabilistic PCA.
    """

    mean: Float[ndarray, "d"]
    W: Float[ndarray, "d k"]
    variance: float

    @property
    def d(self) -> int:
        """How many numbers are seen."""
        return len(self.W)

    @property
    def k(self) -> int:
        """How many latent numbers there are."""
        return self.W.shape[1]


@checked(variance=above(0))
def linear_gaussian(mean: Float[ndarray, "d"], W: Float[ndarray, "d k"], variance: float) -> LinearGaussian:
    """The latent-variable model whose evidence and posterior have a formula.

    p(z) = N(0, I),  p(x|z) = N(Wz + b, σ²I),  b = ``mean``
    """
    return LinearGaussian(mean, W, variance)


def whole_model(ask: Ask, model: Any) -> LinearGaussian:
    """Read a model that may have been put together by hand; a message names the part that is wrong."""
    try:
        return linear_gaussian(*model)
    except Refusal as refusal:
        refuse(refusal.name, refusal.rule, refusal.got)


@checked(model=whole_model)
def log_evidence(model: LinearGaussian, x: Float[ndarray, "*n {model.d}"]) -> Float[ndarray, "*n"]:
    """log p(x) of one example or of each row, with z integrated out.

    p(x) = N(b, C),  C = WWᵀ + σ²I                     {eq}`eq-elbo-evidence`
    """
    root = np.linalg.cholesky(model.W @ model.W.T + model.variance * np.eye(model.d))
    white = np.linalg.solve(root, (x - model.mean).T)
    log_det = 2 * np.log(np.diag(root)).sum()
    return np.asarray(-0.5 * (model.d * LOG_2PI + log_det + np.sum(white**2, axis=0)))


@checked(model=whole_model)
def gaussian_posterior(
    model: LinearGaussian, x: Float[ndarray, "*n {model.d}"]
) -> tuple[Float[ndarray, "*n k"], Float[ndarray, "k k"]]:
    """The mean of p(z|x) for one example or for each row, and the covariance, which is the same for all.

    Σ = (I + WᵀW/σ²)⁻¹,  μ = ΣWᵀ(x − b)/σ²             {eq}`eq-elbo-posterior`
    """
    covariance = np.linalg.inv(np.eye(model.k) + model.W.T @ model.W / model.variance)
    return (x - model.mean) @ model.W @ covariance / model.variance, (covariance + covariance.T) / 2


class Bound(NamedTuple):
    """The bound taken apart: six terms, of which three different pairs give the same number."""

    joint: float
    entropy: float
    reconstruction: float
    kl_prior: float
    evidence: float
    gap: float

    @property
    def forms(self) -> tuple[float, float, float]:
        """E_q log p(x, z) + H(q);  E_q log p(x|z) − KL(q‖p(z));  log p(x) − KL(q‖p(z|x))."""
        reconstructed = self.reconstruction - self.kl_prior
        return self.joint + self.entropy, reconstructed, self.evidence - self.gap


@checked(model=whole_model, covariance=positive_definite)
def elbo(
    model: LinearGaussian,
    x: Float[ndarray, "{model.d}"],
    mean: Float[ndarray, "{model.k}"],
    covariance: Float[ndarray, "{model.k} {model.k}"],
) -> Bound:
    """The evidence lower bound at x for q(z) = N(mean, covariance), in its three forms.

    ELBO = E_q[log p(x, z)] + H(q)
         = E_q[log p(x|z)] − KL(q‖p(z))
         = log p(x) − KL(q‖p(z|x))                     {eq}`eq-elbo-forms`
    """
    d, k = model.W.shape
    miss = x - model.mean - model.W @ mean
    # E‖x − b − Wz‖² is the miss of the mean plus what the spread of q is worth after W
    squares = float(miss @ miss + np.sum((model.W @ np.linalg.cholesky(covariance)) ** 2))
    reconstruction = -0.5 * d * (LOG_2PI + np.log(model.variance)) - squares / (2 * model.variance)
    prior = -0.5 * (k * LOG_2PI + float(mean @ mean + np.trace(covariance)))
    return Bound(
        joint=float(reconstruction + prior),
        entropy=gaussian_entropy(covariance),
        reconstruction=float(reconstruction),
        kl_prior=multivariate_gaussian_kl(mean, covariance, np.zeros(k), np.eye(k)),
        evidence=float(log_evidence(model, x)),
        gap=multivariate_gaussian_kl(mean, covariance, *gaussian_posterior(model, x)),
    )


@checked(variance=above(0), points=between(1, 200))
def gaussian_elbo(
    log_joint: Callable[[Float[ndarray, "m"]], Float[ndarray, "m"]],
    mean: float,
    variance: float,
    points: int = 64,
) -> float:
    """The ELBO of any model with one latent number, for q = N(mean, variance), by Gauss–Hermite quadrature.

    ELBO = Σⱼ wⱼ log p(x, m + sεⱼ) + ½ log 2πes²       {eq}`eq-elbo-quadrature`

    ``log_joint`` gets all nodes at once. Where it is −∞ at one of them, so is the bound.
    """
    nodes, weights = normal_rule(points)
    values = np.asarray(log_joint(mean + np.sqrt(variance) * nodes), dtype=float)
    require(
        values.shape == nodes.shape and not np.isnan(values).any() and not (values == np.inf).any(),
        "log_joint",
        f"return {points} log densities",
        f"shape {values.shape}",
    )
    return float(weights @ values) + 0.5 * (1 + LOG_2PI + float(np.log(variance)))
