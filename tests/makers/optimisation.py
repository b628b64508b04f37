"""Arguments of the optimisers that no annotation describes."""

import numpy as np

from chapters_src.optimisation.descent import bowl
from chapters_src.optimisation.stochastic import SGD

H = np.array([[2.0, 0.5], [0.5, 1.0]])

MAKERS = {
    "Landscape": lambda: bowl(3.0),
    "Optimiser": lambda: SGD(0.1),
    "descend.start": lambda: np.array([1.0, 2.0]),
    **{
        f"{name}.{argument}": lambda: np.array([1.0, 2.0])
        for name in ("newton", "downhill_newton", "exact", "wolfe", "backtracking")
        for argument in ("theta", "g")
    },
    **{f"{name}.p": lambda: np.array([-1.0, -2.0]) for name in ("exact", "wolfe", "backtracking")},
    **{f"{name}.H": lambda: H for name in ("rate_bound", "best_rate", "convergence_factor", "quadratic")},
    "Objective": lambda: lambda theta, rows: (float(theta @ theta), 2 * theta),
    "Callable[[Any], Any]": lambda: lambda theta: 2 * theta,
    "Callable[[float], float]": lambda: lambda x: (x - 0.3) ** 2,
    "bfgs_update.s": lambda: np.array([1.0, 2.0]),
    "bfgs_update.y": lambda: np.array([2.0, 1.0]),
    "lbfgs_product.S": lambda: np.array([[1.0, 2.0], [0.0, 1.0]]),
    "lbfgs_product.Y": lambda: np.array([[2.0, 1.0], [1.0, 3.0]]),
    "golden_section.low": lambda: 0.0,
    "golden_section.high": lambda: 1.0,
    "Callable[..., float]": lambda: lambda *budget, **chosen: float(chosen["rate"]),
    "grid_search.choices": lambda: {"rate": [0.1, 0.2]},
    "random_configurations.space": lambda: {"rate": (0.1, 1.0)},
    "gaussian_process_search.space": lambda: {"rate": (0.1, 1.0)},
    "successive_halving.configurations": lambda: [{"rate": 0.1}, {"rate": 0.2}, {"rate": 0.4}],
    "logistic_landscape.y": lambda: np.arange(30.0) % 2,
    "minibatches.n": lambda: 10,
    "fit_batches.n": lambda: 10,
    "warm_up_cosine_rate.steps": lambda: 9,
    "warm_up_linear_rate.steps": lambda: 9,
    "softmax_epochs.rate": lambda: lambda t: 0.1,
    "softmax_epochs.K": lambda: 3,
    "one_cycle_rate.steps": lambda: 9,
    "adam_step_bound.beta1": lambda: 0.5,
    "adam_step_bound.beta2": lambda: 0.9,
}
