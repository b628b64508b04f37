"""Arguments of evaluation that no annotation describes."""

import numpy as np

MAKERS = {
    "wald_interval.right": lambda: np.arange(3.0),
    "wilson_interval.right": lambda: np.arange(3.0),
    "bootstrap_interval.statistic": lambda: np.mean,
    "change_variances.scores": lambda: np.arange(24.0).reshape(2, 2, 6) ** 2,
    "cross_validated.score": lambda: lambda train, test: len(train) - len(test),
    "nested.candidates": lambda: [1, 2],
    "nested.score": lambda: lambda train, test, candidate: candidate * len(train),
    "variance_components.scores": lambda: np.arange(24.0).reshape(2, 2, 6) ** 2,
}
