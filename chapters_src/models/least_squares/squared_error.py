"""Features, the squared error with its derivatives, and how well a fit explains what was seen."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "mean_squared_error",
    "mean_squared_error_hessian",
    "noise_variance",
    "polynomial_features",
    "r_squared",
    "sum_squared_error",
    "with_bias",
]


@checked
def with_bias(X: Float[ndarray, "n d"]) -> Float[ndarray, "n d+1"]:
    """Put a column of ones first, so that θ₀ needs no treatment of its own.

    x̃ = (1, x₁, …, x_d)                               {eq}`eq-least-squares-bias`
    """
    return np.column_stack([np.ones(len(X)), X])


@checked(degree=at_least(0))
def polynomial_features(x: Float[ndarray, "n"], degree: int) -> Float[ndarray, "n {degree}+1"]:
    """The powers of x as columns: a polynomial is linear in its coefficients.

    φ(x) = (x⁰, x¹, …, x^K),  K = ``degree``          {eq}`eq-least-squares-polynomial`
    """
    with np.errstate(over="ignore"):
        powers = np.vander(x, degree + 1, increasing=True)
    require(np.isfinite(powers[:, -1]).all(), "degree", "keep every power of x finite", degree)
    return powers


@checked
def sum_squared_error(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> float:
    """The squared errors of all examples and outputs, added up.

    S(θ) = ‖Xθ − y‖²                                  {eq}`eq-least-squares-sum`
    """
    return float(np.sum((X @ theta - y) ** 2))


@checked
def mean_squared_error(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> float:
    """The squared error of an average example, its outputs added up.

    L(θ) = ‖Xθ − y‖² / n                              {eq}`eq-least-squares-sum`

    Same minimiser as the sum, but another gradient: a learning rate that suits one does not suit the other.
    """
    return float(np.sum((X @ theta - y) ** 2)) / len(X)


@checked
def mean_squared_error_hessian(X: Float[ndarray, "n d"]) -> Float[ndarray, "d d"]:
    """The second derivatives of the mean squared error, the same at every θ.

    ∇²L = (2/n) XᵀX                                   {eq}`eq-least-squares-hessian`
    """
    return 2.0 / len(X) * (X.T @ X)


@checked
def r_squared(y: Float[ndarray, "n"], y_hat: Float[ndarray, "n"]) -> float:
    """The share of the variation of y that the predictions explain; negative if the mean of y does better.

    R² = 1 − Σᵢ(yᵢ − ŷᵢ)² / Σᵢ(yᵢ − ȳ)²               {eq}`eq-least-squares-r-squared`
    """
    if np.ptp(y) == 0:
        refuse("y", "vary, or there is nothing to explain", f"{y[0]:g} throughout")
    return 1.0 - float(np.sum((y - y_hat) ** 2) / np.sum((y - y.mean()) ** 2))


@checked
def noise_variance(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> float:
    """The noise variance under which y is most likely, given θ: the mean of the squared residuals.

    σ̂² = (1/n) Σᵢ(yᵢ − xᵢᵀθ)²                         {eq}`eq-least-squares-variance`

    Divided by n, not by n − d, so too small on average where θ was fitted to the same data.
    """
    return float(np.mean((X @ theta - y) ** 2))
