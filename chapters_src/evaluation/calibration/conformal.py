"""Sets and intervals that hold the truth with a promised probability, whatever the model."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["adaptive_scores", "conformal_quantile"]


@checked(alpha=between(0, 1))
def conformal_quantile(scores: Float[ndarray, "n"], alpha: float) -> float:
    """The k-th smallest of n calibration scores; a new score is at most that with probability 1 − α or more.

    k = ⌈(1 − α)(n + 1)⌉                              {eq}`eq-calibration-conformal`

    If k > n there are too few scores to exclude anything, and the answer is infinite.
    """
    n = len(scores)
    k = n + 1 - int(np.floor(round(alpha * (n + 1), 9)))  # rounded: 0.29 · 100 is 28.999… in a computer
    return float(np.sort(scores)[k - 1]) if 1 <= k <= n else float(np.inf if k > n else -np.inf)


@checked(pi=between(0, 1), u=between(0, 1))
def adaptive_scores(pi: Float[ndarray, "n K"], u: Float[ndarray, "n"]) -> Float[ndarray, "n K"]:
    """For each class, the probability of all classes that are more probable, plus a share u of its own.

    s_k = Σ_{j: π_j > π_k} π_j + uπ_k                  {eq}`eq-calibration-adaptive`
    """
    above = (pi[:, None, :] > pi[:, :, None]) * pi[:, None, :]  # (n, K, K): j more probable than k
    return above.sum(axis=2) + u[:, None] * pi
