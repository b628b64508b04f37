"""Answers as a student would write them, right and wrong."""

import numpy as np

from chapters_src.optimisation.adaptive import exercises
from tests.verdicts import rejected


def test_far_jump():
    assert exercises.far_jump.check((0.999 / 0.9) ** np.arange(1200)).accepted
    rejected(exercises.far_jump, np.ones(50), "longest step is 1.00")
    rejected(exercises.far_jump, [0.0] * 1500 + [1.0], "longest step is")
    rejected(exercises.far_jump, np.ones((3, 3)), "in one row")
    rejected(exercises.far_jump, np.full(3, np.inf), "finite")
