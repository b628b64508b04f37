"""Linear regression with a Gaussian prior: what the data leave open, and a band around each prediction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.covariances import positive_semidefinite
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI

__all__ = ["Belief", "predictive_band", "regression_log_evidence", "regression_posterior"]


class Belief(NamedTuple):
    """A Gaussian distribution of the parameters θ."""

    mean: Float[ndarray, "d"]
    covariance: Float[ndarray, "d d"]


@checked(variance=above(0), prior_variance=above(0))
def regression_posterior(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], variance: float, prior_variance: float
) -> Belief:
    """The posterior of θ for y = Xθ + noise of variance σ², if θ ~ N(0, τ²I) beforehand.

    C = (XᵀX/σ² + I/τ²)⁻¹,  m = CXᵀy/σ²               {eq}`eq-bayes-regression`

    m is the ridge solution with λ = σ²/τ². The eigenvalues of XᵀX make it work for dependent columns too.
    """
    squares, axes = np.linalg.eigh(_squared(X.T, X))  # XᵀX = Q diag(s) Qᵀ, and so has C these axes
    spread = 1 / (np.maximum(squares, 0) / variance + 1 / prior_variance)
    covariance = (axes * spread) @ axes.T
    return Belief(covariance @ (X.T @ y) / variance, (covariance + covariance.T) / 2)


def _squared(A: Float[ndarray, "p q"], B: Float[ndarray, "q p"]) -> Float[ndarray, "p p"]:
    """A product of X with its transpose, refused where it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = A @ B
    if not np.isfinite(product).all():
        refuse("X", "be small enough to square", f"a largest entry of {np.abs(A).max():.3g}")
    return product


@checked(covariance=positive_semidefinite, variance=above(0))
def predictive_band(
    mean: Float[ndarray, "d"],
    covariance: Float[ndarray, "d d"],
    X: Float[ndarray, "n d"],
    variance: float,
) -> tuple[Float[ndarray, "n"], Float[ndarray, "n"]]:
    """Mean and variance of a new output at each row of X, for θ ~ N(mean, covariance).

    p(y|x, D) = N(y | mᵀx, xᵀCx + σ²)                 {eq}`eq-bayes-band`

    The first part of the variance is what is not known about θ, the second the noise of the new output.
    """
    return X @ mean, np.sum((X @ covariance) * X, axis=1) + variance


@checked(variance=above(0), prior_variance=above(0))
def regression_log_evidence(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], variance: float, prior_variance: float
) -> float:
    """The log-density of all outputs together, with θ averaged over its prior N(0, τ²I).

    p(y|X) = N(y | 0, σ²I + τ²XXᵀ)                    {eq}`eq-bayes-evidence`
    """
    root = np.linalg.cholesky(variance * np.eye(len(y)) + prior_variance * _squared(X, X.T))
    white = np.linalg.solve(root, y)
    return -0.5 * (len(y) * LOG_2PI + float(white @ white)) - float(np.log(np.diag(root)).sum())
