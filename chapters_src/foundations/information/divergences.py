"""How far one distribution is from another: KL divergences with a formula, and a Gaussian's entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.covariances import positive_definite
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import Ask, above
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "LOG_2PI",
    "discrete_kl",
    "gaussian_entropy",
    "gaussian_kl",
    "multivariate_gaussian_kl",
    "mutual_information",
]

LOG_2PI = float(np.log(2 * np.pi))


@checked(p=sums_to_one, q=sums_to_one)
def discrete_kl(p: Float[ndarray, "k"], q: Float[ndarray, "k"]) -> float:
    """KL(p‖q) in nats between two distributions on the same k values; infinite where p > 0 = q.

    KL(p‖q) = Σₖ pₖ log(pₖ/qₖ)                         {eq}`eq-information-kl`

    The mean is over p, the first argument: what it costs when q is used to encode what p draws.
    """
    drawn = p > 0  # 0 log 0 counts as 0
    if (q[drawn] == 0).any():
        return float("inf")
    total = float(np.sum(p[drawn] * (np.log(p[drawn]) - np.log(q[drawn]))))
    return max(0.0, total)  # rounding can leave −1e-17 where the two are the same


def table_sums_to_one(ask: Ask, joint: Any) -> Any:
    """Read a table whose entries, all together, are one distribution."""
    if (joint < 0).any() or abs(joint.sum() - 1) > 1e-9:
        ask.fail("be at least 0 and sum to 1 over the whole table", f"sum {joint.sum():g}")
    return joint


@checked(joint=table_sums_to_one)
def mutual_information(joint: Float[ndarray, "r c"]) -> float:
    """What two variables tell about each other, in nats: how far their joint table is from independence.

    I(X;Y) = KL(p(x,y)‖p(x)p(y)) = Σₓᵧ p(x,y) log [p(x,y) / (p(x)p(y))]   {eq}`eq-information-mutual`
    """
    x, y = np.nonzero(joint)
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return max(0.0, float(joint[x, y] @ np.log(joint[x, y] / apart[x, y])))


@checked(variance_q=above(0), variance_p=above(0))
def gaussian_kl(mean_q: float, variance_q: float, mean_p: float, variance_p: float) -> float:
    """KL(q‖p) in nats between two Gaussians on the line.

    KL = ½ [log σₚ²/σ_q² − 1 + (σ_q² + (μ_q − μₚ)²)/σₚ²]       {eq}`eq-information-gaussian`
    """
    apart = (mean_q - mean_p) / variance_p * (mean_q - mean_p)
    return 0.5 * (float(_excess(np.array([variance_q / variance_p]))[0]) + apart)


def _excess(ratio: Float[ndarray, "k"]) -> Float[ndarray, "k"]:
    """r − 1 − log r ≥ 0. The logarithm is that of r: r − 1 has lost the digits of a small r."""
    return (ratio - 1) - np.log(ratio)


@checked(covariance_q=positive_definite, covariance_p=positive_definite)
def multivariate_gaussian_kl(
    mean_q: Float[ndarray, "d"],
    covariance_q: Float[ndarray, "d d"],
    mean_p: Float[ndarray, "d"],
    covariance_p: Float[ndarray, "d d"],
) -> float:
    """KL(q‖p) in nats between two Gaussians in d dimensions.

    KL = ½ [tr(Σₚ⁻¹Σ_q) + (μ_q − μₚ)ᵀΣₚ⁻¹(μ_q − μₚ) − d − log det(Σₚ⁻¹Σ_q)]
    {eq}`eq-information-multivariate`

    The ½ stands before the bracket. The bracket is summed over the eigenvalues of Lₚ⁻¹Σ_qLₚ⁻ᵀ.
    """
    root_q, root_p = np.linalg.cholesky(covariance_q), np.linalg.cholesky(covariance_p)
    ratios = np.linalg.svd(np.linalg.solve(root_p, root_q), compute_uv=False) ** 2
    apart = np.linalg.solve(root_p, mean_q - mean_p)
    return 0.5 * float(_excess(ratios).sum() + apart @ apart)


@checked(covariance=positive_definite)
def gaussian_entropy(covariance: Float[ndarray, "d d"]) -> float:
    """The entropy of a Gaussian in nats; negative where it is narrow, because it is a density's.

    H = ½ log det(2πeΣ)
    """
    root = np.linalg.cholesky(covariance)
    return 0.5 * len(root) * (1 + LOG_2PI) + float(np.log(np.diag(root)).sum())
