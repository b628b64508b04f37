"""From what mistakes cost to what should be decided.

A cost matrix has a row per decision and a column per true class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.evaluation.metrics.curves import alarms_by_threshold, both_classes

__all__ = ["cheapest_decision", "cheapest_threshold", "cost_threshold", "mean_cost", "mistakes_cost"]


def mistakes_cost(ask: Ask, cost: Any) -> Any:
    """Read the costs (0 miss; alarm 0) and the like, in which either mistake costs more than being right."""
    dearer = cost[1, 0] > cost[0, 0] and cost[0, 1] > cost[1, 1]
    ask.require(dearer, "charge more for a mistake than for the right decision", f"{cost.tolist()}")
    return cost


@checked(cost=mistakes_cost)
def cost_threshold(cost: Float[ndarray, "2 2"]) -> float:
    """The probability above which an alarm is the cheaper decision.

    t* = (c₁₀ − c₀₀) / (c₁₀ − c₀₀ + c₀₁ − c₁₁)        {eq}`eq-metrics-threshold`
    """
    false_alarm, miss = cost[1, 0] - cost[0, 0], cost[0, 1] - cost[1, 1]
    return float(false_alarm / (false_alarm + miss))


@checked(q=sums_to_one)
def cheapest_decision(q: Float[ndarray, "n K"], cost: Float[ndarray, "m K"]) -> Int[ndarray, "n"]:
    """For each example the decision whose expected cost is least, the first of equals.

    argmin_j Σₖ c_jk q_k                              {eq}`eq-metrics-expected-cost`
    """
    return np.argmin(q @ cost.T, axis=1)


@checked(C=at_least(0))
def mean_cost(C: Float[ndarray, "K K"], cost: Float[ndarray, "K K"]) -> float:
    """What an example has cost on average, from a confusion matrix (which has the truth in its rows).

    Σⱼₖ C_jk c_kj / n                                 {eq}`eq-metrics-expected-cost`
    """
    require(C.any(), "C", "count an example or more", "zeros")
    return float(np.sum(C * cost.T) / C.sum())


@checked(y=both_classes, cost=mistakes_cost)
def cheapest_threshold(
    y: Float[ndarray, "n"], score: Float[ndarray, "n"], cost: Float[ndarray, "2 2"]
) -> float:
    """The threshold of least cost on these examples: a score that occurs, or ∞; the highest of equals.

    argmin_t (c₁₀ − c₀₀)FP(t) + (c₀₁ − c₁₁)(n₁ − TP(t)),  alarm if s ≥ t     {eq}`eq-metrics-expected-cost`
    """
    threshold, true_alarms, false_alarms = alarms_by_threshold(y, score)
    false_alarm, miss = cost[1, 0] - cost[0, 0], cost[0, 1] - cost[1, 1]
    saved = np.append(0.0, miss * true_alarms - false_alarm * false_alarms)
    return float(np.append(np.inf, threshold)[np.argmax(saved)])
