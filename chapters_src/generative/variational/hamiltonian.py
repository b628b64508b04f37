"""Hamiltonian Monte Carlo: proposals that follow the slope of the log density with a random momentum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.variational.metropolis import Chain, Density, levels

__all__ = ["hamiltonian_walk", "leapfrog"]

Gradient = Callable[[Float[ndarray, "m d"]], Float[ndarray, "m d"]]


@checked(step=above(0), leaps=at_least(1))
def leapfrog(
    gradient: Gradient, z: Float[ndarray, "m d"], v: Float[ndarray, "m d"], step: float, leaps: int
) -> tuple[Float[ndarray, "m d"], Float[ndarray, "m d"]]:
    """Follow dz/dt = v, dv/dt = ∇ log π(z) for ``leaps`` steps of size h: half a kick, a drift, half a kick.

    v ← v + ½h∇log π(z),  z ← z + hv,  v ← v + ½h∇log π(z)          {eq}`eq-variational-leapfrog`
    """
    slope = gradient(z)
    for _ in range(leaps):
        v = v + 0.5 * step * slope
        z = z + step * v
        slope = gradient(z)
        v = v + 0.5 * step * slope
    return z, v


@checked(step=above(0), leaps=at_least(1), steps=at_least(1))
def hamiltonian_walk(
    log_density: Density,
    gradient: Gradient,
    start: Float[ndarray, "m d"],
    step: float,
    leaps: int,
    steps: int,
    rng: np.random.Generator,
) -> Chain:
    """Walk m chains by ``steps`` proposals of ``leaps`` leapfrog steps each, from the rows of ``start``.

    accept with probability min(1, exp(E(z, v) − E(z′, v′))),  E = −log π(z) + ½‖v‖²

    A value and a gradient of the log density count as one evaluation each.
    """
    here = start.copy()
    level = levels(log_density, here)
    if not np.isfinite(level).all():
        refuse("start", "have positive density", f"log densities {level.tolist()}")
    samples = np.empty((steps, *start.shape))
    accepted = 0
    for t in range(steps):
        v = rng.standard_normal(here.shape)
        there, last = leapfrog(gradient, here, v, step, leaps)
        new = levels(log_density, there)
        gain = (new - 0.5 * (last**2).sum(axis=1)) - (level - 0.5 * (v**2).sum(axis=1))
        taken = np.log(rng.random(len(here))) < gain
        here[taken], level[taken] = there[taken], new[taken]
        accepted += int(taken.sum())
        samples[t] = here
    return Chain(samples, accepted / (steps * len(start)), len(start) * (1 + steps * (leaps + 2)))
