"""Principal components: the directions along which data vary most, and what is left without the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, ndarray

__all__ = ["PCA", "pca", "reconstruction", "reconstruction_error", "scores", "whitened"]


class PCA(NamedTuple):
    """The mean of the data, M perpendicular unit directions (columns of U), and the variance along each.

    ``total`` is the variance of all columns of the data together, so that variances.sum() / total is kept.
    """

    mean: Float[ndarray, "d"]
    U: Float[ndarray, "d M"]
    variances: Float[ndarray, "M"]
    total: float

    @property
    def d(self) -> int:
        """How many columns the data have."""
        return len(self.mean)

    @property
    def M(self) -> int:
        """How many directions were kept."""
        return len(self.variances)


@checked(M=within(1, lambda given: min(given["X"].shape)))
def pca(X: Float[ndarray, "n d"], M: int | None = None) -> PCA:
    """The M directions of most variance, all of them unless said, by a singular value decomposition.

    X − x̄ = PΣUᵀ,  λⱼ = σⱼ²/n   {eq}`eq-components-svd`

    A direction and its opposite are equally good; here the largest entry of each is positive.
    """
    mean = X.mean(axis=0)
    _, sigma, Ut = np.linalg.svd(X - mean, full_matrices=False)
    largest = np.abs(Ut).argmax(axis=1)
    U = Ut.T * np.sign(Ut[np.arange(len(Ut)), largest])
    variances = sigma**2 / len(X)
    return PCA(mean, U[:, :M], variances[:M], float(variances.sum()))


@checked
def scores(model: PCA, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n M"]:
    """M numbers for each row: its place along each direction, z = Uᵀ(x − x̄)   {eq}`eq-components-scores`."""
    return (X - model.mean) @ model.U


@checked
def reconstruction(model: PCA, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n d"]:
    """Each row as its M numbers remember it, x̂ = x̄ + Uz   {eq}`eq-components-scores`."""
    return model.mean + scores(model, X) @ model.U.T


@checked
def reconstruction_error(model: PCA, X: Float[ndarray, "n {model.d}"]) -> float:
    """The mean of ‖x − x̂‖² over the rows; on the data that were fitted, Σ_{j>M} λⱼ.

    {eq}`eq-components-error`
    """
    return float(np.mean(np.sum((X - reconstruction(model, X)) ** 2, axis=1)))


@checked
def whitened(model: PCA, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n M"]:
    """The scores, each divided by its standard deviation: on the fitted data their covariance is I.

    z̃ = Λ^(−½)Uᵀ(x − x̄)   {eq}`eq-components-white`
    """
    least, most = float(np.min(model.variances)), float(np.max(model.variances))
    floor = np.finfo(float).eps * model.d * most
    require(
        least > floor, "model", "keep only directions along which the data vary", f"a variance of {least:g}"
    )
    return scores(model, X) / np.sqrt(model.variances)
