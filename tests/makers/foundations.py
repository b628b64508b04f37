"""Arguments of the foundations that no annotation describes."""

import numpy as np

MAKERS = {
    "discrete_cross_entropy.p": lambda: np.array([0.4, 0.6]),
    "discrete_cross_entropy.q": lambda: np.array([0.5, 0.5]),
    "huffman_code.p": lambda: np.array([0.2, 0.3, 0.5]),
    "mutual_information.joint": lambda: np.array([[0.1, 0.2, 0.1], [0.3, 0.1, 0.2]]),
}
