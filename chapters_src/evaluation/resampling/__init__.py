"""How sure a score is: intervals, paired comparisons, cross-validation, and where scores vary from."""

from chapters_src.evaluation.resampling.comparing import McNemar, TTest, mcnemar, paired_t
from chapters_src.evaluation.resampling.intervals import (
    bootstrap_interval,
    coverage,
    wald_interval,
    wilson_interval,
)
from chapters_src.evaluation.resampling.sources import change_variances, variance_components
from chapters_src.evaluation.resampling.validating import cross_validated, nested

__all__ = [
    "McNemar",
    "TTest",
    "bootstrap_interval",
    "change_variances",
    "coverage",
    "cross_validated",
    "mcnemar",
    "nested",
    "paired_t",
    "variance_components",
    "wald_interval",
    "wilson_interval",
]
