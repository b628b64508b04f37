"""Arguments of the foundations that no annotation describes."""

import numpy as np

MAKERS = {
    "posterior_weights.prior": lambda: np.array([0.2, 0.8]),
    "posterior_predictive.weights": lambda: np.array([0.2, 0.8]),
    "monte_carlo_predictive.weights": lambda: np.array([0.2, 0.8]),
    "predictive_band.covariance": lambda: np.array([[1.0, 0.3], [0.3, 0.5]]),
}
