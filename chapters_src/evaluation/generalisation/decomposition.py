"""Where the error of a prediction comes from: noise, bias and variance, and what 0/1 loss makes of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.least_squares import least_squares

__all__ = ["Decomposition", "bias_variance", "linear_bias_variance", "optimism", "vote_error"]


class Decomposition(NamedTuple):
    """Squared bias and variance of a way to learn, each a mean over test inputs."""

    bias_squared: float
    variance: float


@checked
def bias_variance(predictions: Float[ndarray, "m n"], truth: Float[ndarray, "n"]) -> Decomposition:
    """Bias² and variance from m fits, each to a training set of its own: one row of predictions per fit.

    bias² = mean (f̄ − μ)²,  variance = mean (f̂ − f̄)²       {eq}`eq-generalisation-decomposition`

    The average f̄ is that of these m fits, which itself varies: with few fits bias² comes out too large.
    """
    mean = predictions.mean(axis=0)
    return Decomposition(float(np.mean((mean - truth) ** 2)), float(np.mean((predictions - mean) ** 2)))


@checked(noise_variance=at_least(0), ridge=at_least(0))
def linear_bias_variance(
    X: Float[ndarray, "n d"],
    at: Float[ndarray, "t d"],
    truth: Float[ndarray, "n"],
    truth_at: Float[ndarray, "t"],
    noise_variance: float,
    ridge: float = 0.0,
) -> Decomposition:
    """The same without resampling, for a linear fit to fixed inputs X whose outputs are truth plus noise.

    f̂ = Ay with A = X_at (XᵀX + λI)⁻¹Xᵀ:  bias² = mean (Aμ − μ_at)²,  variance = σ² mean ‖Aᵢ‖²
    """
    A = at @ least_squares(X, np.eye(len(X)), ridge)
    bias = A @ truth - truth_at
    return Decomposition(float(np.mean(bias**2)), float(noise_variance * np.mean(np.sum(A**2, axis=1))))


@checked(noise_variance=at_least(0), ridge=at_least(0))
def optimism(X: Float[ndarray, "n d"], noise_variance: float, ridge: float = 0.0) -> float:
    """How much lower the expected training error of a linear fit is than its error on fresh outputs at X.

    2σ² tr(A) / n,  A = X (XᵀX + λI)⁻¹Xᵀ              {eq}`eq-generalisation-optimism`
    """
    A = X @ least_squares(X, np.eye(len(X)), ridge)
    return float(2 * noise_variance * np.trace(A) / len(X))


@checked(likelier=between(0.5, 1), share=between(0, 1))
def vote_error(
    likelier: Float[ndarray, "*shape"], share: Float[ndarray, "*shape"]
) -> Float[ndarray, "*shape"]:
    """Expected 0/1 loss where the likelier class has probability q and a share r of fits predicts it.

    (1 − q) + (2q − 1)(1 − r)                         {eq}`eq-generalisation-vote`
    """
    return np.asarray((1 - likelier) + (2 * likelier - 1) * (1 - share))
