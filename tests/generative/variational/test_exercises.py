"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.generative.variational import correlated_mean_field, exercises
from tests.verdicts import rejected

# --- what mean field reports


def test_reported_solution():
    variances, _ = correlated_mean_field([[1.0, 0.8], [0.8, 1.0]])
    assert exercises.reported_sd.check(variances[0] ** 0.5).accepted
    assert exercises.reported_sd.check(0.6).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("that is the variance", 1 - 0.8**2),
        ("the forward KL would keep", 1),
        ("look at the diagonal", 1 - 0.8),
        ("the correlation itself", 0.8),
        ("upside down", 1 / 0.6),
        ("under the root", (1 - 0.8) ** 0.5),
        ("held still", 0.5),
    ],
)
def test_reported_wrong(hint, value):
    verdict = rejected(exercises.reported_sd, value, hint)
    assert "0.6 " not in verdict.message


# --- the acceptance probability


def test_acceptance_solution():
    def log_acceptance(log_p_here, log_p_there, log_g_there, log_g_back):
        return np.minimum(0, (log_p_there + log_g_back) - (log_p_here + log_g_there))

    assert exercises.log_acceptance.check(log_acceptance).message == "Accepted: 5 cases."


ACCEPT_WRONG = {
    "right for symmetric proposals only": lambda h, t, gt, gb: min(0.0, t - h),
    "the correction is upside down": lambda h, t, gt, gb: min(0.0, t - h + gt - gb),
    "leave out the exponential": lambda h, t, gt, gb: min(1.0, np.exp(t - h + gb - gt)),
    "the new place stands above": lambda h, t, gt, gb: h - t + gt - gb,
    "take the minimum with 0": lambda h, t, gt, gb: max(0.0, t - h + gb - gt),
    "logarithm is at most 0": lambda h, t, gt, gb: t - h + gb - gt,
}


@pytest.mark.parametrize("hint", ACCEPT_WRONG)
def test_acceptance_wrong(hint):
    rejected(exercises.log_acceptance, ACCEPT_WRONG[hint], hint)
