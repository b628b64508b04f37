"""Probabilistic PCA: latent numbers, a linear map and noise, where evidence and fit have closed forms."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import above, at_least, squares_that_fit
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI
from chapters_src.generative.elbo import LinearGaussian, whole_model

__all__ = ["diagonal_gap", "direction_kl", "fit_ppca", "fit_ppca_em"]


@checked(X=squares_that_fit, k=within(1, lambda given: given["X"].shape[1] - 1))
def fit_ppca(X: Float[ndarray, "n d"], k: int) -> LinearGaussian:
    """The most likely k-dimensional model, from the eigenvalues λ₁ ≥ λ₂ ≥ … of the covariance of X.

    s² = (1/(d−k)) Σ_{i>k} λᵢ,  W = U_k (Λ_k − s²I)^½              {eq}`eq-mixtures-ppca-fit`

    W may be turned, W ↦ WR, without a change of the evidence; this one has perpendicular columns.
    """
    n, d = X.shape
    mean = X.mean(axis=0)
    _, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
    eigenvalues = np.zeros(d)
    eigenvalues[: len(s)] = s**2 / n
    variance = float(eigenvalues[k:].mean())
    if len(s) < k or variance <= np.finfo(float).eps * eigenvalues[0]:
        rule = f"vary in more than {k} directions, or no noise is left to fit"
        refuse("X", rule, f"rank {int((s > 1e-9 * s[0]).sum())}")
    W = Vt[:k].T * np.sqrt(eigenvalues[:k] - variance)
    return LinearGaussian(mean, W, variance)


@checked(
    X=squares_that_fit,
    k=within(1, lambda given: given["X"].shape[1] - 1),
    steps=at_least(1),
    tolerance=at_least(0),
)
def fit_ppca_em(
    X: Float[ndarray, "n d"], k: int, rng: np.random.Generator, steps: int = 500, tolerance: float = 1e-9
) -> Fit:
    """The same model by EM from a random W, until a step gains less than ``tolerance`` per row.

    E: M = WᵀW + s²I, mean of z = M⁻¹Wᵀ(x − mean)                 {eq}`eq-mixtures-ppca-posterior`
    M: W ← SW(s²I + M⁻¹WᵀSW)⁻¹,  s² ← tr(S − SWM⁻¹W_newᵀ)/d       {eq}`eq-mixtures-ppca-em`

    S is the covariance of X, so that a step costs the same however many rows there are.
    """
    n, d = X.shape
    mean = X.mean(axis=0)
    S = (X - mean).T @ (X - mean) / n
    require(np.linalg.matrix_rank(S) > k, "X", f"vary in more than {k} directions", "fewer")
    variance = float(np.trace(S)) / d
    W = np.sqrt(variance) * rng.standard_normal((d, k))
    losses, converged = [-_total(LinearGaussian(mean, W, variance), S, n)], False
    while not converged and len(losses) <= steps:
        M = W.T @ W + variance * np.eye(k)
        SW = S @ W
        new = SW @ np.linalg.inv(variance * np.eye(k) + np.linalg.solve(M, W.T @ SW))
        variance = float(np.trace(S) - np.trace(SW @ np.linalg.solve(M, new.T))) / d
        W = new
        losses.append(-_total(LinearGaussian(mean, W, variance), S, n))
        converged = abs(losses[-2] - losses[-1]) < tolerance * n
    return Fit(LinearGaussian(mean, W, variance), np.array(losses), converged, len(losses) - 1)


def _total(model: LinearGaussian, S: Float[ndarray, "d d"], n: int) -> float:
    """log p of all n rows, from their covariance: −(n/2)(d log 2π + log det C + tr(C⁻¹S))."""
    C = model.W @ model.W.T + model.variance * np.eye(len(S))
    return -0.5 * n * (len(S) * LOG_2PI + np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, S)))


@checked(model=whole_model)
def diagonal_gap(model: LinearGaussian) -> float:
    """What the best Gaussian q with a *diagonal* covariance misses of log p(x), in nats, for every x.

    ½ (Σᵢ log Mᵢᵢ − log det M) ≥ 0                                 {eq}`eq-vae-diagonal-gap`

    0 exactly if the columns of W are perpendicular: of all rotations the bound prefers the principal axes.
    """
    M = model.W.T @ model.W + model.variance * np.eye(model.W.shape[1])
    return max(0.5 * float(np.sum(np.log(np.diag(M))) - np.linalg.slogdet(M)[1]), 0.0)


@checked(eigenvalues=at_least(0), variance=above(0))
def direction_kl(eigenvalues: Float[ndarray, "d"], variance: float) -> Float[ndarray, "d"]:
    """The KL a linear VAE spends on each principal direction when the decoder's variance is fixed.

    ½ log(λᵢ/s²) where λᵢ > s², else 0: the direction has collapsed   {eq}`eq-vae-collapse`
    """
    return 0.5 * np.log(np.maximum(eigenvalues / variance, 1.0))
