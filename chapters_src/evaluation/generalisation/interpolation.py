"""Linear models with more parameters than data: random features, and what the shortest exact fit costs."""

from __future__ import annotations

import math

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["cosine_features", "minimum_norm_risk"]


@checked
def cosine_features(
    X: Float[ndarray, "n d"], W: Float[ndarray, "d p"], b: Float[ndarray, "p"]
) -> Float[ndarray, "n p"]:
    """A hidden layer that is drawn once and never trained: p waves per example.

    φⱼ(x) = √(2/p) cos(wⱼᵀx + bⱼ)                     {eq}`eq-generalisation-features`
    """
    return np.sqrt(2 / len(b)) * np.cos(X @ W + b)


@checked(n=at_least(1), d=at_least(1), signal=at_least(0), noise_variance=at_least(0))
def minimum_norm_risk(n: int, d: int, signal: float, noise_variance: float) -> float:
    """Expected excess error of the shortest least-squares fit to n examples of d independent N(0, 1) inputs.

    σ² d/(n − d − 1) if d ≤ n − 2;  ‖θ‖²(1 − n/d) + σ² n/(d − n − 1) if d ≥ n + 2; else infinite, if σ > 0
    {eq}`eq-generalisation-gaussian`, with ``signal`` = ‖θ‖²
    """
    bias = signal * max(0.0, 1 - n / d)
    if noise_variance == 0:
        return bias
    spare = abs(n - d) - 1
    return bias + noise_variance * min(n, d) / spare if spare > 0 else math.inf
