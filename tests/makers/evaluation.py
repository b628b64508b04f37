"""Arguments of evaluation that no annotation describes."""

import numpy as np

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
}
