"""Exercises of the chapter on approximate posteriors: predict mean field, implement Metropolis–Hastings."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["log_acceptance", "reported_sd"]


# --- predict: what mean field reports for a correlation of 0.8

reported_sd = Exercise(
    "the standard deviation that mean field reports",
    answer=0.6,
    mistakes=[
        Mistake(0.36, "that is the variance $1-\\rho^2$; the standard deviation is asked for"),
        Mistake(1.0, "that is the true one, and what the forward KL would keep; mean field reports less"),
        Mistake(0.2, "not $1-\\rho$: look at the diagonal of the inverse of the covariance matrix"),
        Mistake(0.8, "that is the correlation itself"),
        Mistake(5 / 3, "upside down: the diagonal of $\\Sigma^{-1}$ is one over the variance"),
        Mistake(np.sqrt(0.2), "the root of $1-\\rho$; it is $1-\\rho^2$ that stands under the root"),
    ],
    hint="mean field gives each coordinate its variance with the others held still: $1/(\\Sigma^{-1})_{jj}$",
    within=2e-3,
)


# --- implement: the acceptance probability of Metropolis–Hastings, in logarithms


def _log_acceptance(log_p_here: float, log_p_there: float, log_g_there: float, log_g_back: float) -> Any:
    return min(0.0, log_p_there - log_p_here + log_g_back - log_g_there)


def _step(here: float, there: float, forth: float, back: float) -> dict[str, Any]:
    return {"log_p_here": here, "log_p_there": there, "log_g_there": forth, "log_g_back": back}


log_acceptance = Exercise(
    "the acceptance probability",
    answer=_log_acceptance,
    cases=[
        _step(-1.0, -3.0, -0.5, -0.75),
        _step(-3.0, -1.0, -0.5, -0.5),
        _step(-1.0, -1.5, -2.0, -1.0),
        _step(-400.0, -2000.0, -1.0, -1.5),
        _step(-1.0, -1.25, -0.5, -2.0),
    ],
    mistakes=[
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: min(0.0, log_p_there - log_p_here),
            "that is Metropolis's rule, right for symmetric proposals only: the proposal densities enter too",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: min(
                0.0, log_p_there - log_p_here + log_g_there - log_g_back
            ),
            "the correction is upside down: the way back stands above, the way there below",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: np.exp(
                min(0.0, log_p_there - log_p_here + log_g_back - log_g_there)
            ),
            "the logarithm is asked for: leave out the exponential",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: (
                log_p_here - log_p_there + log_g_there - log_g_back
            ),
            "the fraction is upside down: the new place stands above",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: max(
                0.0, log_p_there - log_p_here + log_g_back - log_g_there
            ),
            "a probability is at most 1, so its logarithm is at most 0: take the minimum with 0",
        ),
    ],
    hint="take the logarithm of $\\min(1, \\cdot)$: it is the minimum of 0 and a sum of four terms",
)
