"""Regression with a kernel: one solution of a linear system, with a band where it is read as a posterior."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.support_vectors import gram_matrix

__all__ = ["Band", "gaussian_process", "kernel_ridge"]


@checked(K=gram_matrix, ridge=above(0))
def kernel_ridge(K: Float[ndarray, "n n"], y: Float[ndarray, "n"], ridge: float) -> Float[ndarray, "n"]:
    """The weights of the examples in ridge regression on the features behind K; predict with k(x)ᵀα.

    α = (K + λI)⁻¹y                                   {eq}`eq-kernels-ridge`
    """
    _semidefinite(K)
    return np.linalg.solve(K + ridge * np.eye(len(y)), y)


class Band(NamedTuple):
    """Mean and variance of the function at new places."""

    mean: Float[ndarray, "m"]
    variance: Float[ndarray, "m"]


@checked(K=gram_matrix, noise=above(0))
def gaussian_process(
    K: Float[ndarray, "n n"],
    y: Float[ndarray, "n"],
    new: Float[ndarray, "m n"],
    at_new: Float[ndarray, "m"],
    noise: float,
) -> Band:
    """The posterior of a function with covariance k, given outputs y with noise of variance σ².

    mean = k(x)ᵀ(K + σ²I)⁻¹y,  variance = k(x, x) − k(x)ᵀ(K + σ²I)⁻¹k(x)     {eq}`eq-kernels-process`

    Row i of ``new`` holds k(x) of the i-th new place, and ``at_new`` its k(x, x).
    """
    _semidefinite(K)
    solved = np.linalg.solve(K + noise * np.eye(len(y)), np.column_stack([y, new.T]))
    variance = at_new - (new * solved[:, 1:].T).sum(axis=1)
    return Band(new @ solved[:, 0], np.maximum(variance, 0.0))  # rounding can leave a little below 0


def _semidefinite(K: Float[ndarray, "n n"]) -> None:
    least = float(np.linalg.eigvalsh(K)[0])
    require(
        least >= -1e-8 * float(np.abs(K).max()), "K", "have no negative eigenvalue", f"one of {least:.3g}"
    )
