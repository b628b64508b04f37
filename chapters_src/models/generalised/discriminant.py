"""Discriminant analysis: a Gaussian for the features of each class, turned round by Bayes' rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.softmax import class_numbers

__all__ = ["Discriminant", "discriminant_scores", "fit_lda", "fit_qda", "linear_form"]


class Discriminant(NamedTuple):
    """A Gaussian per class: its centre cₖ, its covariance Σₖ and its share πₖ of the examples."""

    centres: Float[ndarray, "K d"]
    covariances: Float[ndarray, "K d d"]
    shares: Float[ndarray, "K"]


def _scatter(X: ndarray, y: ndarray, K: int) -> tuple[ndarray, ndarray, ndarray]:
    counts = np.bincount(y, minlength=K)
    require(counts.min() > 0, "y", "hold each class at least once", f"none of class {counts.argmin()}")
    centres = np.stack([X[y == k].mean(axis=0) for k in range(K)])
    scatters = np.stack([(X[y == k] - centres[k]).T @ (X[y == k] - centres[k]) for k in range(K)])
    return counts, centres, scatters


def _invertible(covariances: ndarray) -> None:
    spread = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    flat = bool((spread == 0).any())
    scaled = covariances / (spread[:, :, None] * spread[:, None, :] + flat)
    least = 0.0 if flat else float(np.linalg.eigvalsh(scaled).min())
    require(least > 1e-12, "X", "vary in every direction within the classes", "a singular covariance")


@checked(y=class_numbers, K=at_least(2))
def fit_lda(X: Float[ndarray, "n d"], y: Int[ndarray, "n"], K: int) -> Discriminant:
    """Linear discriminant analysis: centres and shares of the classes, and one covariance for all of them.

    Σ̂ = (1/n) Σₖ Σ_{i in k} (xᵢ − cₖ)(xᵢ − cₖ)ᵀ            {eq}`eq-generalised-lda`
    """
    counts, centres, scatters = _scatter(X, y, K)
    covariances = np.repeat(scatters.sum(axis=0, keepdims=True) / len(X), K, axis=0)
    _invertible(covariances)
    return Discriminant(centres, covariances, counts / len(X))


@checked(y=class_numbers, K=at_least(2))
def fit_qda(X: Float[ndarray, "n d"], y: Int[ndarray, "n"], K: int) -> Discriminant:
    """Quadratic discriminant analysis: as `fit_lda`, but each class has a covariance of its own.

    Σ̂ₖ = (1/nₖ) Σ_{i in k} (xᵢ − cₖ)(xᵢ − cₖ)ᵀ            {eq}`eq-generalised-lda`
    """
    counts, centres, scatters = _scatter(X, y, K)
    covariances = scatters / counts[:, None, None]
    _invertible(covariances)
    return Discriminant(centres, covariances, counts / len(X))


@checked
def discriminant_scores(model: Discriminant, X: Float[ndarray, "n d"]) -> Float[ndarray, "n K"]:
    """log πₖ + log N(x | cₖ, Σₖ) for each row and class; their softmax is p(class | x).

    sₖ(x) = log πₖ − ½ log det(2πΣₖ) − ½ (x − cₖ)ᵀΣₖ⁻¹(x − cₖ)   {eq}`eq-generalised-lda`
    """
    d = model.centres.shape[1]
    require(X.shape[1] == d, "X", f"have {d} columns, as in the fit", f"{X.shape[1]}")
    scores = []
    for centre, covariance, share in zip(*model, strict=True):
        away = X - centre
        distance = (away * np.linalg.solve(covariance, away.T).T).sum(axis=1)
        volume = np.linalg.slogdet(2 * np.pi * covariance)[1]
        scores.append(np.log(share) - (volume + distance) / 2)
    return np.column_stack(scores)


@checked
def linear_form(model: Discriminant) -> tuple[Float[ndarray, "d K"], Float[ndarray, "K"]]:
    """W and b of an LDA, whose scores differ from XW + b by what all classes share.

    wₖ = Σ⁻¹cₖ,  bₖ = log πₖ − ½ cₖᵀΣ⁻¹cₖ             {eq}`eq-generalised-lda`
    """
    shared = bool((model.covariances == model.covariances[0]).all())
    require(shared, "model", "have one covariance for all classes", "several")
    W = np.linalg.solve(model.covariances[0], model.centres.T)
    return W, np.log(model.shares) - (model.centres.T * W).sum(axis=0) / 2
