"""Who is whose neighbour, as probabilities: Gaussian affinities with a chosen perplexity."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.clusters import squared_distances

__all__ = ["conditional_affinities", "joint_affinities", "perplexities"]


@checked
def perplexities(P: Float[ndarray, "n m"]) -> Float[ndarray, "n"]:
    """e^H of every row of probabilities: among how many equal neighbours it would be as undecided."""
    return np.exp(-xlogy(P, P).sum(axis=1))


@checked(perplexity=above(1))
def conditional_affinities(X: Float[ndarray, "n d"], perplexity: float) -> Float[ndarray, "n n"]:
    """The probability that point i picks j as its neighbour; each row has the given perplexity.

    p(j|i) = exp(−βᵢ‖xᵢ − xⱼ‖²) / Σₗ≠ᵢ exp(−βᵢ‖xᵢ − xₗ‖²)     {eq}`eq-neighbours-conditional`

    Entropy falls as β grows, so bisection finds each βᵢ.
    """
    require(perplexity < len(X) - 1, "perplexity", f"be below {len(X) - 1}, the other points", perplexity)
    away = bare(squared_distances)(X, X)
    np.fill_diagonal(away, np.inf)
    nearest = away.min(axis=1, keepdims=True)
    scale = np.partition(away, min(len(X) - 1, int(perplexity)), axis=1)[:, [int(perplexity)]] - nearest
    require(bool((scale > 0).all()), "X", "have fewer equal points than the perplexity", "too many")
    low, high = np.full_like(scale, -40.0), np.full_like(scale, 40.0)  # bounds of log(β · scale)
    for _ in range(60):
        middle = (low + high) / 2
        P = np.exp(-np.exp(middle) * (away - nearest) / scale)
        P /= P.sum(axis=1, keepdims=True)
        too_wide = bare(perplexities)(P)[:, None] > perplexity
        low, high = np.where(too_wide, middle, low), np.where(too_wide, high, middle)
    return P


@checked(perplexity=above(1))
def joint_affinities(X: Float[ndarray, "n d"], perplexity: float) -> Float[ndarray, "n n"]:
    """p(i, j) = (p(j|i) + p(i|j)) / 2n, one distribution over all pairs   {eq}`eq-neighbours-joint`."""
    P = bare(conditional_affinities)(X, perplexity)
    return (P + P.T) / (2 * len(P))
