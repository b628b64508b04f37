"""How good a prediction is: counts, curves over all thresholds, scores of probabilities, costs, errors."""

from chapters_src.evaluation.metrics.costs import (
    cheapest_decision,
    cheapest_threshold,
    cost_threshold,
    mean_cost,
    mistakes_cost,
)
from chapters_src.evaluation.metrics.counts import (
    confusion_matrix,
    f_score,
    one_against_rest,
    precision,
    recall,
)
from chapters_src.evaluation.metrics.curves import (
    alarms_by_threshold,
    auc,
    average_precision,
    both_classes,
    precision_recall_curve,
    roc_curve,
)
from chapters_src.evaluation.metrics.errors import mean_absolute_error, root_mean_squared_error
from chapters_src.evaluation.metrics.probabilities import brier_score, log_loss

__all__ = [
    "alarms_by_threshold",
    "auc",
    "average_precision",
    "both_classes",
    "brier_score",
    "cheapest_decision",
    "cheapest_threshold",
    "confusion_matrix",
    "cost_threshold",
    "f_score",
    "log_loss",
    "mean_absolute_error",
    "mean_cost",
    "mistakes_cost",
    "one_against_rest",
    "precision",
    "precision_recall_curve",
    "recall",
    "roc_curve",
    "root_mean_squared_error",
]
