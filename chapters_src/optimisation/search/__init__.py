"""Schedules for the learning rate, and searches for what training cannot learn."""

from chapters_src.optimisation.search.halving import Rung, hyperband_brackets, successive_halving
from chapters_src.optimisation.search.looking_back import (
    expected_improvement,
    gaussian_process_search,
    process_log_evidence,
    surrogate,
)
from chapters_src.optimisation.search.schedules import (
    cosine_rate,
    exponential_rate,
    inverse_time_rate,
    one_cycle_rate,
    restart_rate,
    step_rate,
    warm_up_cosine_rate,
    warm_up_linear_rate,
    warm_up_rate,
)
from chapters_src.optimisation.search.searches import (
    Trial,
    grid_search,
    random_configurations,
)
from chapters_src.optimisation.search.softmax_trial import softmax_epochs

__all__ = [
    "Rung",
    "Trial",
    "cosine_rate",
    "expected_improvement",
    "exponential_rate",
    "gaussian_process_search",
    "grid_search",
    "hyperband_brackets",
    "inverse_time_rate",
    "one_cycle_rate",
    "process_log_evidence",
    "random_configurations",
    "restart_rate",
    "softmax_epochs",
    "step_rate",
    "successive_halving",
    "surrogate",
    "warm_up_cosine_rate",
    "warm_up_linear_rate",
    "warm_up_rate",
]
