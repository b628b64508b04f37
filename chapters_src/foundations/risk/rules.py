"""All rules that give a verdict of 0 or 1 to each of a few kinds: their risk, the best one, the worst gap.

``counts`` has a row per kind and a column per outcome: how many examples of that kind ended as 0 and as 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["largest_gap", "majority_rule", "rule_risk"]


def _verdicts(ask: Ask, rule: Any) -> Any:
    if not np.isin(rule, (0, 1)).all():
        ask.fail("hold verdicts of 0 and 1 alone", f"{rule[~np.isin(rule, (0, 1))][0]:g}")
    return rule


def _some(ask: Ask, counts: Any) -> Any:
    if (counts < 0).any():
        ask.fail("hold counts of at least 0", f"{counts.min():g}")
    ask.require(counts.any(), "hold an example or more", "none")
    return counts


@checked(counts=_some, rule=_verdicts)
def rule_risk(counts: Float[ndarray, "k 2"], rule: Int[ndarray, "k"]) -> float:
    """The share of examples that a rule gets wrong: empirical risk for a sample, expected for a population.

    R̂(f) = (1/n) Σᵢ [f(xᵢ) ≠ yᵢ]                      {eq}`eq-risk-empirical`
    """
    wrong = np.where(rule == 1, counts[:, 0], counts[:, 1])
    return float(wrong.sum() / counts.sum())


@checked(counts=_some)
def majority_rule(counts: Float[ndarray, "k 2"]) -> Int[ndarray, "k"]:
    """The rule with the fewest mistakes: each kind gets its commoner outcome, and 0 where both are as common.

    f̂ = argmin_f R̂(f)                                 {eq}`eq-risk-erm`
    """
    return (counts[:, 1] > counts[:, 0]).astype(np.int64)


@checked(sample=_some, population=_some)
def largest_gap(sample: Float[ndarray, "k 2"], population: Float[ndarray, "k 2"]) -> float:
    """How far empirical and expected risk are apart for the worst of all 2ᵏ rules.

    max_f |R̂(f) − R(f)|                               {eq}`eq-risk-union`

    A risk is a sum over kinds, so the worst rule can be chosen kind by kind. Shares sum to 1 on both sides,
    so the opposite rule is as far off the other way, and one sign is enough.
    """
    apart = sample / sample.sum() - population / population.sum()
    return float(apart.max(axis=1).sum())
