"""Kernels: inner products of features that are never computed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above, at_least, described
from chapters_src.core.shapes import Float, ndarray

__all__ = ["gaussian_kernel", "polynomial_kernel", "quadratic_features", "spectrum_kernel"]


@checked(degree=at_least(1), offset=at_least(0))
def polynomial_kernel(
    X: Float[ndarray, "n d"], Z: Float[ndarray, "m d"], degree: int = 2, offset: float = 1.0
) -> Float[ndarray, "n m"]:
    """The inner products of all monomials up to a degree, for every row of X with every row of Z.

    k(x, z) = (c + xᵀz)^p                             {eq}`eq-kernels-polynomial`
    """
    return (offset + X @ Z.T) ** degree


@checked
def quadratic_features(X: Float[ndarray, "n d"]) -> Float[ndarray, "n m"]:
    """The features whose inner product is (1 + xᵀz)²: a constant, the inputs, all squares and products.

    φ(x) = (1, √2xⱼ, xⱼ², √2xⱼxₖ for j < k)            {eq}`eq-kernels-features`
    """
    n, d = X.shape
    first, second = np.triu_indices(d, k=1)
    pairs = np.sqrt(2) * X[:, first] * X[:, second]
    return np.hstack([np.ones((n, 1)), np.sqrt(2) * X, X**2, pairs])


@checked(gamma=above(0))
def gaussian_kernel(
    X: Float[ndarray, "n d"], Z: Float[ndarray, "m d"], gamma: float
) -> Float[ndarray, "n m"]:
    """How near each row of X is to each row of Z: 1 at the same place, and 0 far away.

    k(x, z) = exp(−γ‖x − z‖²)                         {eq}`eq-kernels-gaussian`
    """
    squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * X @ Z.T
    return np.exp(-gamma * np.maximum(squares, 0.0))  # rounding can leave −10⁻¹⁶ where the rows are equal


def texts(ask: Ask, value: Any) -> list[str]:
    """Read a list of strings, or say what else was found; a single string is no list of letters here."""
    listed = list(value) if isinstance(value, list | tuple) else None
    if not listed or not all(isinstance(text, str) for text in listed):
        ask.fail("be a list of strings", described(value))
    return listed


@checked(first=texts, second=texts, length=at_least(1))
def spectrum_kernel(first: list[str], second: list[str], length: int = 2) -> Float[ndarray, "n m"]:
    """For each pair of strings, the inner product of how often each piece of ``length`` letters occurs.

    k(s, t) = Σᵤ cᵤ(s) cᵤ(t)                           {eq}`eq-kernels-spectrum`
    """
    left, right = ([_pieces(text, length) for text in listed] for listed in (first, second))
    return np.array([[sum(a[piece] * b[piece] for piece in a) for b in right] for a in left], dtype=float)


def _pieces(text: str, length: int) -> Counter[str]:
    return Counter(text[i : i + length] for i in range(len(text) - length + 1))
