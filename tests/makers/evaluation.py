"""Arguments of evaluation that no annotation describes."""

import numpy as np
import torch
from torch import nn

from chapters_src.core.modules import mlp
from chapters_src.evaluation.generalisation import squared_loss


def network() -> nn.Sequential:
    """Linear, ReLU, linear: from three inputs to two outputs."""
    return mlp((3, 4, 2), torch.Generator().manual_seed(0))


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and outputs that fit the network."""
    return torch.linspace(0.2, 0.8, 18).reshape(6, 3), torch.linspace(-1, 1, 12).reshape(6, 2)


MAKERS = {
    **{
        f"{name}.y": lambda: np.arange(30.0) % 2
        for name in (
            "alarms_by_threshold",
            "auc",
            "average_precision",
            "cheapest_threshold",
            "precision_recall_curve",
            "roc_curve",
        )
    },
    **{
        f"{name}.cost": lambda: np.array([[0.0, 10.0], [1.0, 0.0]])
        for name in ("cheapest_threshold", "cost_threshold")
    },
    "wald_interval.right": lambda: np.arange(3.0),
    "wilson_interval.right": lambda: np.arange(3.0),
    "bootstrap_interval.statistic": lambda: np.mean,
    "change_variances.scores": lambda: np.arange(24.0).reshape(2, 2, 6) ** 2,
    "cross_validated.score": lambda: lambda train, test: len(train) - len(test),
    "nested.candidates": lambda: [1, 2],
    "nested.score": lambda: lambda train, test, candidate: candidate * len(train),
    "variance_components.scores": lambda: np.arange(24.0).reshape(2, 2, 6) ** 2,
    "rescaled.factors": lambda: np.linspace(0.5, 2.0, 4),
    "rescaled.model": network,
    "sharpness.batch": batch,
    "sharpness.loss": lambda: squared_loss,
    "sharpness.model": network,
    "squared_loss.batch": batch,
    "squared_loss.model": network,
    **{
        f"{name}.y": lambda: np.arange(30.0) % 2
        for name in ("brier_parts", "calibration_error", "fit_isotonic", "fit_platt", "reliability")
    },
    "fit_temperature.a": lambda: np.eye(3)[np.arange(30) % 3],
    "fit_temperature.y": lambda: np.where(np.arange(30) % 5, np.arange(30) % 3, 0),
    **{
        f"{name}.q": lambda: np.tile([0.2, 0.3, 0.5], (30, 1))
        for name in ("brier_score", "cheapest_decision", "log_loss")
    },
    "nested.n": lambda: 12,
    "labellings.X": lambda: np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]]),
    "fit_labels.classes": lambda: 2,
    "fit_labels.steps": lambda: 2,
}
