"""Scores of stated probabilities, each best on average for whoever states the truth."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.foundations.information import surprise
from chapters_src.models.softmax import class_numbers, one_hot

__all__ = ["brier_score", "log_loss"]


@checked(q=sums_to_one, y=class_numbers)
def log_loss(q: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> float:
    """The mean surprise, in nats, at what happened; infinite if it was called impossible.

    L = −(1/n) Σᵢ log q_{i,yᵢ}                        {eq}`eq-metrics-log-loss`
    """
    return float(np.mean(surprise(q[np.arange(len(y)), y])))


@checked(q=sums_to_one, y=class_numbers)
def brier_score(q: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> float:
    """The mean squared distance of the stated probabilities from what happened, between 0 and 2.

    B = (1/n) Σᵢ Σₖ (q_ik − [yᵢ = k])²                {eq}`eq-metrics-brier`
    """
    return float(np.mean(np.sum((q - one_hot(y, q.shape[1])) ** 2, axis=1)))
