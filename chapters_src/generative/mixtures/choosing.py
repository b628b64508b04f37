"""How many components: a penalty on the likelihood, and the limit in which a mixture becomes k-means."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least, squares_that_fit
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.clusters import squared_distances
from chapters_src.generative.mixtures.gaussian_mixture import Mixture, log_likelihood

__all__ = ["bic", "free_parameters", "soft_assignment"]


@checked(K=at_least(1), d=at_least(1))
def free_parameters(K: int, d: int) -> int:
    """How many numbers a mixture may choose: weights that sum to 1, means, symmetric covariances.

    (K − 1) + Kd + Kd(d + 1)/2
    """
    return K - 1 + K * d + K * d * (d + 1) // 2


@checked
def bic(model: Mixture, X: Float[ndarray, "n d"]) -> float:
    """The Bayesian information criterion; the lower the better.

    BIC = −2 log p(X) + m log n, with m free parameters     {eq}`eq-mixtures-bic`
    """
    n, d = X.shape
    return -2 * float(log_likelihood(model, X).sum()) + free_parameters(model.K, d) * float(np.log(n))


@checked(X=squares_that_fit, C=squares_that_fit, variance=above(0))
def soft_assignment(
    X: Float[ndarray, "n d"], C: Float[ndarray, "K d"], variance: float
) -> Float[ndarray, "n K"]:
    """Responsibilities of round Gaussians with equal weights and one variance around the centres C.

    rᵢₖ ∝ exp(−‖xᵢ − cₖ‖²/2v); as v → 0 all of it goes to the nearest centre   {eq}`eq-mixtures-k-means`
    """
    away = squared_distances(X, C)
    shares = np.exp(-(away - away.min(axis=1, keepdims=True)) / (2 * variance))
    return shares / shares.sum(axis=1, keepdims=True)
