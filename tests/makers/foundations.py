"""Arguments of the foundations that no annotation describes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from chapters_src.core.device import seed
from chapters_src.foundations.likelihood import MeanAndVariance

SHARES = np.array([0.2, 0.3, 0.5])
STEPS = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]])
SIGNS = np.where(np.arange(30) % 2 == 0, 1.0, -1.0)
DIFFERENCES = ("forward_difference", "central_difference", "difference_gradient")
OF_A_POINT = (
    "difference_jacobian",
    "difference_hessian",
    "linear_model",
    "quadratic_model",
    "chord_gap",
    "tangent_gap",
    "least_curvature",
    "subdifferential",
)
# a draw that is 0, 1 or 4, and its probabilities
TAKES_A_DRAW = ("berry_esseen_bound", "characteristic_function", "normal_gap", "standardised")


def total(x: Any) -> Any:
    """A function of a point with one value."""
    return np.sum(np.square(x))


MAKERS: dict[str, Callable[[], Any]] = {
    **{
        f"{name}.subscripts": lambda: "ij,jk->ik"
        for name in ("einsum", "einsum_by_loops", "einsum_by_matmul")
    },
    **{f"{name}.f": lambda: total for name in DIFFERENCES + OF_A_POINT},
    **{f"{name}.x": lambda: np.array([0.5, 0.2, 0.7]) for name in DIFFERENCES},
    **{f"{name}.direction": lambda: np.array([0.1, -0.2, 0.3]) for name in DIFFERENCES[:2]},
    **{f"{name}.p": lambda: SHARES.copy() for name in ("categorical", "multinomial")},
    **{f"{name}.prior": lambda: SHARES.copy() for name in ("joint", "posterior")},
    "joint.likelihood": lambda: STEPS[:, :2] / STEPS[:, :2].sum(axis=1, keepdims=True),
    "posterior.likelihood": lambda: np.array([0.1, 0.9, 0.4]),
    **{f"{name}.P": lambda: STEPS.copy() for name in ("chain_laws", "stationary_distribution", "walk")},
    "chain_laws.start": lambda: SHARES.copy(),
    "walk.start": lambda: 1,
    "multivariate_normal.mean": lambda: np.zeros(3),
    "multivariate_normal.covariance": lambda: np.eye(3),
    "multivariate_t.location": lambda: np.zeros(3),
    "multivariate_t.scale": lambda: np.eye(3),
    "uniform.low": lambda: 0.0,
    "uniform.high": lambda: 1.0,
    **{f"{name}.x": lambda: np.array([0.0, 1.0, 4.0]) for name in TAKES_A_DRAW},
    **{f"{name}.p": lambda: SHARES.copy() for name in (*TAKES_A_DRAW, "sum_distribution")},
    "discrete_cross_entropy.p": lambda: np.array([0.4, 0.6]),
    "discrete_cross_entropy.q": lambda: np.array([0.5, 0.5]),
    "huffman_code.p": lambda: SHARES.copy(),
    "mutual_information.joint": lambda: np.array([[0.1, 0.2, 0.1], [0.3, 0.1, 0.2]]),
    "zero_one_loss.y": lambda: SIGNS,
    "hinge_loss.y": lambda: SIGNS,
    "MeanAndVariance": lambda: MeanAndVariance([3, 4], seed(0)),
    "MeanAndVariance.widths": lambda: [3, 4],
    "fit_mean_and_variance.X": lambda: torch.rand(30, 3, generator=seed(0)),
    "fit_mean_and_variance.y": lambda: torch.rand(30, generator=seed(1)),
    "fit_mean_and_variance.steps": lambda: 2,
    "bernoulli_nll.y": lambda: torch.ones(30),
    "poisson_nll.y": lambda: torch.ones(30),
    "categorical_nll.y": lambda: torch.zeros(30, dtype=torch.int64),
    "posterior_weights.prior": lambda: np.array([0.2, 0.8]),
    "posterior_predictive.weights": lambda: np.array([0.2, 0.8]),
    "monte_carlo_predictive.weights": lambda: np.array([0.2, 0.8]),
    "predictive_band.covariance": lambda: np.array([[1.0, 0.3], [0.3, 0.5]]),
    **{name: lambda: torch.zeros(30) for name in ("bernoulli_nll.logit", "poisson_nll.log_rate")},
}
