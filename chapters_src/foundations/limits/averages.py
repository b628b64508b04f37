"""An average and its error, for draws that are independent and for draws that are not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Estimate", "difference_of_means", "monte_carlo", "variance_of_mean"]


class Estimate(NamedTuple):
    """A mean, and its standard error: about how far the truth may be."""

    mean: float
    error: float


@checked
def monte_carlo(values: Float[ndarray, "n"]) -> Estimate:
    """An expectation estimated by the mean of independent draws, with its standard error.

    E[f(X)] ≈ (1/n) Σₖ f(xₖ),  error s/√n            {eq}`eq-limits-monte-carlo`
    """
    _two_or_more("values", values)
    return Estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def _two_or_more(name: str, values: ndarray) -> None:
    require(
        len(values) >= 2,
        name,
        "be two or more, because one draw does not show how much draws vary",
        len(values),
    )


@checked
def difference_of_means(x: Float[ndarray, "n"], y: Float[ndarray, "n"], paired: bool) -> Estimate:
    """mean(x) − mean(y) with its standard error, for couples (xₖ, yₖ) or for two independent samples.

    Var(x̄ − ȳ) = (Var X + Var Y − 2 Cov(X, Y)) / n       {eq}`eq-limits-couples`

    The covariance is 0 for independent samples. For couples the differences xₖ − yₖ have it in them.
    """
    _two_or_more("x", x)
    if paired:
        return monte_carlo(x - y)
    (mean_x, error_x), (mean_y, error_y) = monte_carlo(x), monte_carlo(y)
    return Estimate(mean_x - mean_y, float(np.hypot(error_x, error_y)))


@checked(variance=at_least(0), correlation=between(-1, 1), n=at_least(1))
def variance_of_mean(variance: float, correlation: float, n: int) -> float:
    """The variance of the mean of n draws of which any two have the same correlation.

    Var(x̄) = σ²/n + (1 − 1/n) ρσ²                      {eq}`eq-limits-variance-of-mean`
    """
    if 1 + (n - 1) * correlation < 0:
        refuse("correlation", f"be at least {-1 / (n - 1):g} for {n} draws", correlation)
    return variance / n + (1 - 1 / n) * correlation * variance
