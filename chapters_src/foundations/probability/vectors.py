"""Distributions of vectors: one of K classes, counts of them, shares, and points in space."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln, xlogy

from chapters_src.core.contract import checked
from chapters_src.core.covariances import positive_definite
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, Num, ndarray
from chapters_src.foundations.probability.distribution import Distribution
from chapters_src.foundations.probability.gammas import log_standard_gamma

__all__ = ["categorical", "dirichlet", "multinomial", "multivariate_normal", "multivariate_t"]

Matrix = Float[ndarray, "n d"]
BLOCK = 10**6  # trials at a time


@checked(p=sums_to_one)
def categorical(p: Float[ndarray, "K"]) -> Distribution:
    """One of K classes, written as a vector with a single 1.

    P(x) = ∏ⱼ pⱼ^(xⱼ)                                 {eq}`eq-probability-categorical`
    """
    return multinomial(1, p)


@checked(trials=at_least(0), p=sums_to_one)
def multinomial(trials: int, p: Float[ndarray, "K"]) -> Distribution:
    """How often each of K classes comes up in n independent trials.

    P(k) = n!/∏ⱼkⱼ! · ∏ⱼ pⱼ^(kⱼ),  Σⱼkⱼ = n = ``trials``     {eq}`eq-probability-multinomial`
    """
    K = len(p)

    def log_mass(x: ndarray) -> ndarray:
        held = ((x >= 0) & (x == np.floor(x))).all(axis=-1) & (x.sum(axis=-1) == trials)
        k = np.where(held[..., None], x, 0)
        value = gammaln(trials + 1) + (xlogy(k, p) - gammaln(k + 1)).sum(axis=-1)
        return np.where(held, value, -np.inf)

    def draw(n: int, rng: np.random.Generator) -> Num[ndarray, "n K"]:
        below = np.cumsum(p)[:-1]
        rows = max(1, BLOCK // max(trials, 1))
        counts = []
        for start in range(0, n, rows):
            m = min(rows, n - start)
            u = rng.random((m, trials))
            least = [np.count_nonzero(u >= bound, axis=1) for bound in below]  # how many lie beyond class j
            counts.append(-np.diff([np.full(m, trials), *least, np.zeros(m, int)], axis=0).T)
        return np.concatenate(counts).reshape(n, K)

    covariance = trials * (np.diag(p) - np.outer(p, p))
    return Distribution(log_mass, trials * p, covariance, draw, discrete=True)


@checked(alpha=above(0))
def dirichlet(alpha: Float[ndarray, "K"]) -> Distribution:
    """Unknown probabilities of K classes: the shares of K gamma numbers in their sum.

    p(x) = Γ(Σⱼαⱼ)/∏ⱼΓ(αⱼ) · ∏ⱼ xⱼ^(αⱼ − 1),  Σⱼxⱼ = 1
    """
    total = alpha.sum()
    shares = alpha / total

    def log_density(x: ndarray) -> ndarray:
        held = (x >= 0).all(axis=-1) & (np.abs(x.sum(axis=-1) - 1) < 1e-9)
        inside = np.where(held[..., None], x, shares)
        value = gammaln(total) - gammaln(alpha).sum() + xlogy(alpha - 1, inside).sum(axis=-1)
        return np.where(held, value, -np.inf)

    def draw(n: int, rng: np.random.Generator) -> Float[ndarray, "n K"]:
        logs = np.column_stack([log_standard_gamma(float(a), n, rng) for a in alpha])
        logs -= logs.max(axis=1, keepdims=True)
        weights = np.exp(logs)
        return weights / weights.sum(axis=1, keepdims=True)

    covariance = (np.diag(shares) - np.outer(shares, shares)) / (total + 1)
    return Distribution(log_density, shares, covariance, draw)


@checked(covariance=positive_definite)
def multivariate_normal(mean: Float[ndarray, "d"], covariance: Float[ndarray, "d d"]) -> Distribution:
    """A bell in d dimensions: x = μ + Lz with independent standard normal z and LLᵀ = Σ.

    p(x) = exp(−½(x − μ)ᵀΣ⁻¹(x − μ)) / √det(2πΣ)
    """
    L = np.linalg.cholesky(covariance)
    half_log_det = np.log(np.diag(L)).sum() + len(mean) * math.log(2 * math.pi) / 2

    def draw(n: int, rng: np.random.Generator) -> Matrix:
        return mean + rng.standard_normal((n, len(mean))) @ L.T

    return Distribution(lambda x: -_squared_distance(x - mean, L) / 2 - half_log_det, mean, covariance, draw)


@checked(scale=positive_definite, degrees=above(0))
def multivariate_t(
    location: Float[ndarray, "d"], scale: Float[ndarray, "d d"], degrees: float
) -> Distribution:
    """A normal vector over the root of one χ²/ν, which its entries share: they are far out together.

    p(x) ∝ (1 + (x − μ)ᵀΣ⁻¹(x − μ)/ν)^(−(ν+d)/2);  the covariance is ν/(ν − 2) Σ for ν > 2
    """
    L, v, d = np.linalg.cholesky(scale), degrees, len(location)
    log_scale = gammaln((v + d) / 2) - gammaln(v / 2) - d * np.log(v * np.pi) / 2 - np.log(np.diag(L)).sum()

    def draw(n: int, rng: np.random.Generator) -> Matrix:
        stretch = np.exp(-(log_standard_gamma(v / 2, n, rng) - np.log(v / 2)) / 2)
        return location + rng.standard_normal((n, d)) @ L.T * stretch[:, None]

    growth = v / (v - 2) if v > 2 else math.inf if v > 1 else math.nan
    return Distribution(
        lambda x: log_scale - (v + d) / 2 * np.log1p(_squared_distance(x - location, L) / v),
        location if v > 1 else np.full(d, math.nan),
        growth * scale if v > 2 else np.where(np.eye(d) == 1, growth, math.nan),
        draw,
    )


def _squared_distance(off: Float[ndarray, "*batch d"], L: Float[ndarray, "d d"]) -> Float[ndarray, "*batch"]:
    """offᵀ(LLᵀ)⁻¹off for each row."""
    flat = solve_triangular(L, off.reshape(-1, off.shape[-1]).T, lower=True)
    return (flat**2).sum(axis=0).reshape(off.shape[:-1])
