"""Checkers of the exercises on optimisers that adapt."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.optimisation.adaptive.optimisers import Adam
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise

__all__ = ["far_jump"]


def _judge_jump(attempt: Any) -> str | None:
    g = as_numbers(attempt)
    if g.ndim != 1 or not 1 <= len(g) <= 2000 or not np.isfinite(g).all():
        return f"at most 2000 finite numbers in one row, please; got shape {g.shape}."
    adam, theta = Adam(1.0), np.zeros(1)
    longest = 0.0
    for one in g:
        before, theta = theta, adam.step(theta, np.array([float(np.real(one))]))
        longest = max(longest, abs(float((theta - before)[0])))
    return None if longest >= 5 else f"the longest step is {longest:.2f} times η."


far_jump = Exercise(
    "gradients that make Adam jump",
    judge=_judge_jump,
    answer=1.11 ** np.arange(1500.0),
    hint="$v$ must not have noticed yet what $m$ already has: let the gradients grow, by how much a step?",
)
