"""Arguments of the foundations that no annotation describes."""

import numpy as np

# a draw that is 0, 1 or 4, and its probabilities
TAKES_A_DRAW = ("berry_esseen_bound", "characteristic_function", "normal_gap", "standardised")

MAKERS = {
    **{f"{name}.x": lambda: np.array([0.0, 1.0, 4.0]) for name in TAKES_A_DRAW},
    **{f"{name}.p": lambda: np.array([0.2, 0.3, 0.5]) for name in (*TAKES_A_DRAW, "sum_distribution")},
}
