"""Arguments of the foundations that no annotation describes."""

import numpy as np

SHARES = np.array([0.2, 0.3, 0.5])
STEPS = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]])

MAKERS = {
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
}
