"""All thresholds at once: ROC and precision–recall curves, and their areas, each from one sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic import zero_or_one

__all__ = [
    "alarms_by_threshold",
    "auc",
    "average_precision",
    "both_classes",
    "precision_recall_curve",
    "roc_curve",
]


def both_classes(ask: Ask, y: Any) -> Any:
    """Read labels 0 and 1 that both occur."""
    zero_or_one(ask, y)
    ask.require(y.min() != y.max(), "hold both a 0 and a 1", f"{y[0]:g} throughout")
    return y


@checked(y=zero_or_one)
def alarms_by_threshold(
    y: Float[ndarray, "n"], score: Float[ndarray, "n"]
) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"], Float[ndarray, "m"]]:
    """The m different scores from high to low, and the true and false alarms if each is the threshold.

    TP(t) = #{i : sᵢ ≥ t, yᵢ = 1},  FP(t) = #{i : sᵢ ≥ t, yᵢ = 0}      {eq}`eq-metrics-rates`

    One sort; equal scores pass a threshold together, so only the last of them counts.
    """
    order = np.argsort(-score)
    falling = score[order]
    last = np.append(np.flatnonzero(np.diff(falling)), len(y) - 1)
    true_alarms = np.cumsum(y[order])[last]
    return falling[last], true_alarms, last + 1.0 - true_alarms


@checked(y=both_classes)
def roc_curve(
    y: Float[ndarray, "n"], score: Float[ndarray, "n"]
) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"], Float[ndarray, "m"]]:
    """False-alarm rate, recall and threshold, from no alarm at threshold ∞ to an alarm for everything.

    TPR(t) = TP(t) / n₁,  FPR(t) = FP(t) / n₀         {eq}`eq-metrics-rates`
    """
    threshold, true_alarms, false_alarms = alarms_by_threshold(y, score)
    false_alarm_rate = np.append(0.0, false_alarms / false_alarms[-1])
    return false_alarm_rate, np.append(0.0, true_alarms / true_alarms[-1]), np.append(np.inf, threshold)


@checked(y=both_classes)
def auc(y: Float[ndarray, "n"], score: Float[ndarray, "n"]) -> float:
    """The area under the ROC curve: how often a 1 scores above a 0, a tie counting half.

    AUC = (Σ_{i: yᵢ=1} rankᵢ − n₁(n₁ + 1)/2) / (n₁n₀)      {eq}`eq-metrics-ranks`
    """
    _, place, tied = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(tied) - (tied - 1) / 2)[place]  # equal scores share their mean rank
    positives = y.sum()
    lowest = positives * (positives + 1) / 2  # the sum of their ranks if every 1 came last
    return float((rank[y == 1].sum() - lowest) / (positives * (len(y) - positives)))


@checked(y=both_classes)
def precision_recall_curve(
    y: Float[ndarray, "n"], score: Float[ndarray, "n"]
) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"], Float[ndarray, "m"]]:
    """Recall, precision and threshold, from the highest score down.

    R(t) = TP(t) / n₁,  P(t) = TP(t) / (TP(t) + FP(t))     {eq}`eq-metrics-average-precision`
    """
    threshold, true_alarms, false_alarms = alarms_by_threshold(y, score)
    return true_alarms / true_alarms[-1], true_alarms / (true_alarms + false_alarms), threshold


@checked(y=both_classes)
def average_precision(y: Float[ndarray, "n"], score: Float[ndarray, "n"]) -> float:
    """The precision at each threshold, weighted by the recall that the threshold adds.

    AP = Σₖ (Rₖ − Rₖ₋₁) Pₖ                            {eq}`eq-metrics-average-precision`
    """
    recall, precision, _ = precision_recall_curve(y, score)
    return float(np.diff(recall, prepend=0.0) @ precision)
