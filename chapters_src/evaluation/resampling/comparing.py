"""Is B better than A? Tests for answers to the same questions and for scores on the same splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Float, ndarray

__all__ = ["McNemar", "TTest", "mcnemar", "paired_t"]


class McNemar(NamedTuple):
    """How many questions only A and only B got right, and the p-value of a fair coin."""

    only_a: int
    only_b: int
    p_value: float


class TTest(NamedTuple):
    """A mean difference in units of its standard error, and the p-value of Student's distribution."""

    t: float
    p_value: float


@checked
def mcnemar(right_a: Bool[ndarray, "n"], right_b: Bool[ndarray, "n"]) -> McNemar:
    """Whether two models differ, from the questions that one got right and the other wrong.

    P(X = x) = Bin(x | n_A + n_B, ½)                     {eq}`eq-resampling-coin`

    If neither is better, each of those is a fair coin. The p-value is the probability of a count as far from
    the middle as the observed one, or further.
    """
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    tail = stats.binom.cdf(min(only_a, only_b), only_a + only_b, 0.5)
    return McNemar(only_a, only_b, float(min(1.0, 2 * tail)))


@checked(overlap=at_least(0))
def paired_t(differences: Float[ndarray, "k"], overlap: float = 0.0) -> TTest:
    """Student's t-test for the mean of k differences, with a correction for splits that share rows.

    t = d̄ / √((1/k + overlap) s²),  overlap = n_test/n_train      {eq}`eq-resampling-corrected`

    With ``overlap`` 0 the differences must be independent; the mean must be nearly normal in either case.
    """
    k = len(differences)
    require(k >= 2, "differences", "be two or more", k)
    spread = differences.std(ddof=1)
    require(spread > 1e-12 * np.abs(differences).max(), "differences", "vary", "one value")
    t = differences.mean() / (spread * np.sqrt(1 / k + overlap))
    return TTest(float(t), float(2 * stats.t.sf(abs(t), k - 1)))
