"""How far a mean over n examples can be from its expectation, for one predictor and for the best of many."""

from __future__ import annotations

import math

from chapters_src.core.contract import checked
from chapters_src.core.readers import Limits, above, at_least

__all__ = ["examples_needed", "finite_class_margin", "hoeffding_tail"]


@checked(n=at_least(1), margin=at_least(0))
def hoeffding_tail(n: int, margin: float) -> float:
    """At most so probable is it that the mean of n independent losses in [0, 1] lies ε too low.

    P(R − R̂ ≥ ε) ≤ exp(−2nε²),  ε = ``margin``        {eq}`eq-risk-hoeffding`
    """
    return math.exp(-2 * n * margin**2)


@checked(n=at_least(1), log_members=at_least(0), alpha=Limits(above=0, below=1))
def finite_class_margin(n: int, log_members: float, alpha: float = 0.05) -> float:
    """With probability 1 − α no predictor of a class has a risk further than this from its empirical one.

    ε = √((log 2M − log α) / 2n),  log M = ``log_members``   {eq}`eq-risk-margin`

    The logarithm is asked for, because the number of members itself is often too large for a float.
    """
    return math.sqrt((log_members + math.log(2 / alpha)) / (2 * n))


@checked(margin=above(0), log_members=at_least(0), alpha=Limits(above=0, below=1))
def examples_needed(margin: float, log_members: float = 0.0, alpha: float = 0.05) -> int:
    """The fewest examples for which `finite_class_margin` is at most ``margin``.

    n = ⌈(log 2M − log α) / 2ε²⌉                      {eq}`eq-risk-margin`
    """
    return max(1, math.ceil((log_members + math.log(2 / alpha)) / (2 * margin**2)))
