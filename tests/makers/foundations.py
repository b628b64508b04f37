"""Arguments of the foundations that no annotation describes."""

import torch

from chapters_src.core.device import seed
from chapters_src.foundations.likelihood import MeanAndVariance

MAKERS = {
    "MeanAndVariance": lambda: MeanAndVariance([3, 4], seed(0)),
    "MeanAndVariance.widths": lambda: [3, 4],
    "fit_mean_and_variance.X": lambda: torch.rand(30, 3, generator=seed(0)),
    "fit_mean_and_variance.y": lambda: torch.rand(30, generator=seed(1)),
    "fit_mean_and_variance.steps": lambda: 2,
    "bernoulli_nll.y": lambda: torch.ones(30),
    "poisson_nll.y": lambda: torch.ones(30),
    "categorical_nll.y": lambda: torch.zeros(30, dtype=torch.int64),
}
