"""Arguments of the foundations that no annotation describes."""

import numpy as np

SIGNS = np.where(np.arange(30) % 2 == 0, 1.0, -1.0)

MAKERS = {
    "zero_one_loss.y": lambda: SIGNS,
    "hinge_loss.y": lambda: SIGNS,
}
