"""What to believe after the data: posteriors, predictions that average over them, and the evidence."""

from chapters_src.foundations.bayes.candidates import (
    monte_carlo_predictive,
    posterior_predictive,
    posterior_weights,
)
from chapters_src.foundations.bayes.coin import (
    beta_log_evidence,
    beta_mean,
    beta_mode,
    beta_posterior,
    log_odds_mode,
)
from chapters_src.foundations.bayes.regression import (
    Belief,
    predictive_band,
    regression_log_evidence,
    regression_posterior,
)

__all__ = [
    "Belief",
    "beta_log_evidence",
    "beta_mean",
    "beta_mode",
    "beta_posterior",
    "log_odds_mode",
    "monte_carlo_predictive",
    "posterior_predictive",
    "posterior_weights",
    "predictive_band",
    "regression_log_evidence",
    "regression_posterior",
]
