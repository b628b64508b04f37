"""The dual problem: a weight αᵢ for each example, and inner products instead of inputs.

Everything here takes the Gram matrix K, Kᵢⱼ = xᵢᵀxⱼ, and never the inputs: whoever has another inner product
hands in another K.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.support_vectors.margins import two_classes

__all__ = ["SupportVectors", "complementary_slackness", "dual_objective", "gram_matrix", "scores"]


def gram_matrix(ask: Ask, K: Any) -> Any:
    """Read a symmetric matrix of inner products, or say how far it is from one."""
    apart = float(np.abs(K - K.T).max())
    if apart > 1e-9 * float(np.abs(K).max()):
        ask.fail("be symmetric, as inner products are", f"entries that differ by {apart:.3g}")
    return K


class SupportVectors(NamedTuple):
    """A solution of the dual: a weight per example, the bias, and whether the solver came to rest."""

    alpha: Float[ndarray, "n"]
    b: float
    converged: bool
    steps: int

    @property
    def support(self) -> Int[ndarray, "k"]:
        """The places of the support vectors, the examples with a weight above 0."""
        return np.flatnonzero(self.alpha > 0)


@checked(K=gram_matrix, y=two_classes, alpha=at_least(0))
def dual_objective(K: Float[ndarray, "n n"], y: Float[ndarray, "n"], alpha: Float[ndarray, "n"]) -> float:
    """What the dual maximises: no allowed α gets above the least `soft_margin`.

    D(α) = Σᵢ αᵢ − ½ Σᵢ Σⱼ αᵢαⱼyᵢyⱼKᵢⱼ                 {eq}`eq-support-vectors-dual`
    """
    return float(alpha.sum()) - 0.5 * float((alpha * y) @ K @ (alpha * y))


@checked(y=two_classes, alpha=at_least(0))
def scores(
    K: Float[ndarray, "m n"], y: Float[ndarray, "n"], alpha: Float[ndarray, "n"], b: float
) -> Float[ndarray, "m"]:
    """The scores of m points from their inner products with the n examples; the sign is the class.

    s(x) = Σᵢ αᵢyᵢ xᵢᵀx + b                           {eq}`eq-support-vectors-scores`
    """
    return K @ (alpha * y) + b


@checked(K=gram_matrix, y=two_classes, alpha=at_least(0), C=above(0))
def complementary_slackness(
    K: Float[ndarray, "n n"], y: Float[ndarray, "n"], alpha: Float[ndarray, "n"], b: float, C: float
) -> tuple[Float[ndarray, "n"], Float[ndarray, "n"]]:
    """The two products of a price and what it is paid for, each 0 for every example at the solution.

    αᵢ(yᵢsᵢ − 1 + ξᵢ)  and  (C − αᵢ)ξᵢ,  ξᵢ = max(0, 1 − yᵢsᵢ)      {eq}`eq-support-vectors-kkt`
    """
    margin = y * scores(K, y, alpha, b)
    slack = np.maximum(0.0, 1.0 - margin)
    return alpha * (margin - 1.0 + slack), (C - alpha) * slack
