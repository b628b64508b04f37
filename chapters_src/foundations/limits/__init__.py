"""What happens to averages and sums of many draws: they settle, and their errors turn normal."""

from chapters_src.foundations.limits.averages import (
    Estimate,
    difference_of_means,
    monte_carlo,
    variance_of_mean,
)
from chapters_src.foundations.limits.normality import (
    NormalityTest,
    excess_kurtosis,
    jarque_bera,
    normal_quantiles,
    quantile_band,
    skewness,
)
from chapters_src.foundations.limits.sums import (
    berry_esseen_bound,
    characteristic_function,
    normal_gap,
    standardised,
    sum_distribution,
)

__all__ = [
    "Estimate",
    "NormalityTest",
    "berry_esseen_bound",
    "characteristic_function",
    "difference_of_means",
    "excess_kurtosis",
    "jarque_bera",
    "monte_carlo",
    "normal_gap",
    "normal_quantiles",
    "quantile_band",
    "skewness",
    "standardised",
    "sum_distribution",
    "variance_of_mean",
]
