"""Probabilistic PCA: latent numbers, a linear map and noise, where evidence and fit have closed forms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import Ask, Refusal, above, at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI
from chapters_src.generative.mixtures.gaussian_mixture import squares_that_fit

__all__ = ["PPCA", "diagonal_gap", "direction_kl", "fit_ppca", "fit_ppca_em", "log_evidence", "posterior"]


class PPCA(NamedTuple):
    """z ~ N(0, I), x ~ N(Wz + mean, variance·I)."""

    mean: Float[ndarray, "d"]
    W: Float[ndarray, "d k"]
    variance: float

    @property
    def d(self) -> int:
        """How many numbers are seen."""
        return len(np.atleast_1d(self.W))


@checked(variance=above(0))
def _ppca(W: Float[ndarray, "d k"], mean: Float[ndarray, "d"], variance: float) -> PPCA:
    return PPCA(mean, W, variance)


def _whole_model(ask: Ask, model: Any) -> PPCA:
    """Read a model that may have been put together by hand; a message names the part that is wrong."""
    try:
        return _ppca(model.W, model.mean, model.variance)
    except Refusal as refusal:
        refuse(refusal.name, refusal.rule, refusal.got)


@checked(X=squares_that_fit, k=within(1, lambda given: given["X"].shape[1] - 1))
def fit_ppca(X: Float[ndarray, "n d"], k: int) -> PPCA:
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
    return PPCA(mean, W, variance)


@checked(model=_whole_model, X=squares_that_fit)
def log_evidence(model: PPCA, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n"]:
    """log p(x) of each row in nats, the latent variables integrated out.

    log N(x; mean, C),  C = WWᵀ + s²I                             {eq}`eq-mixtures-ppca-evidence`

    With M = WᵀW + s²I (k by k): det C = s^{2(d−k)} det M and C⁻¹ = (I − WM⁻¹Wᵀ)/s², so C is never formed.
    """
    d, k = model.W.shape
    centred = X - model.mean
    M = model.W.T @ model.W + model.variance * np.eye(k)
    inner = centred @ model.W
    squares = (
        np.sum(centred**2, axis=1) - np.sum(inner * np.linalg.solve(M, inner.T).T, axis=1)
    ) / model.variance
    log_det = (d - k) * np.log(model.variance) + np.linalg.slogdet(M)[1]
    return -0.5 * (d * LOG_2PI + log_det + squares)


@checked(model=_whole_model, X=squares_that_fit)
def posterior(
    model: PPCA, X: Float[ndarray, "n {model.d}"]
) -> tuple[Float[ndarray, "n k"], Float[ndarray, "k k"]]:
    """Mean of z for each row, and the covariance, which is the same for all of them.

    p(z|x) = N(M⁻¹Wᵀ(x − mean), s²M⁻¹),  M = WᵀW + s²I            {eq}`eq-mixtures-ppca-posterior`
    """
    M = model.W.T @ model.W + model.variance * np.eye(model.W.shape[1])
    return np.linalg.solve(M, model.W.T @ (X - model.mean).T).T, model.variance * np.linalg.inv(M)


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
    losses, converged = [-_total(PPCA(mean, W, variance), S, n)], False
    while not converged and len(losses) <= steps:
        M = W.T @ W + variance * np.eye(k)
        SW = S @ W
        new = SW @ np.linalg.inv(variance * np.eye(k) + np.linalg.solve(M, W.T @ SW))
        variance = float(np.trace(S) - np.trace(SW @ np.linalg.solve(M, new.T))) / d
        W = new
        losses.append(-_total(PPCA(mean, W, variance), S, n))
        converged = abs(losses[-2] - losses[-1]) < tolerance * n
    return Fit(PPCA(mean, W, variance), np.array(losses), converged, len(losses) - 1)


def _total(model: PPCA, S: Float[ndarray, "d d"], n: int) -> float:
    """log p of all n rows, from their covariance: −(n/2)(d log 2π + log det C + tr(C⁻¹S))."""
    C = model.W @ model.W.T + model.variance * np.eye(len(S))
    return -0.5 * n * (len(S) * LOG_2PI + np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, S)))


@checked(model=_whole_model)
def diagonal_gap(model: PPCA) -> float:
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
