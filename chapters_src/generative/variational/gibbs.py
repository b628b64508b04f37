"""Gibbs sampling: draw one coordinate at a time from its distribution given all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.variational.metropolis import Chain

__all__ = ["gibbs_sampler"]

Conditional = Callable[[Float[ndarray, "m d"], np.random.Generator], Float[ndarray, "m"]]


@checked(steps=at_least(1))
def gibbs_sampler(
    conditionals: Sequence[Conditional], start: Float[ndarray, "m d"], steps: int, rng: np.random.Generator
) -> Chain:
    """Sweep m chains over their d coordinates; ``conditionals[j](z, rng)`` draws column j given the others.

    zⱼ ~ p(zⱼ | z₋ⱼ, x), for j = 1, …, d in turn                     {eq}`eq-variational-gibbs`

    Every draw is accepted. A draw counts as one evaluation.
    """
    if len(conditionals) != start.shape[1]:
        refuse("conditionals", f"be one per column of start, {start.shape[1]}", len(conditionals))
    here = start.copy()
    samples = np.empty((steps, *start.shape))
    for t in range(steps):
        for j, conditional in enumerate(conditionals):
            here[:, j] = conditional(here.copy(), rng)
        samples[t] = here
    return Chain(samples, 1.0, steps * start.size)
