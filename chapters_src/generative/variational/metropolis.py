"""Metropolis–Hastings: a walk that visits each place as often as its density says."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Chain", "Density", "levels", "metropolis_hastings", "random_walk"]

Density = Callable[[Float[ndarray, "m d"]], Float[ndarray, "m"]]
Proposal = Callable[
    [Float[ndarray, "m d"], np.random.Generator], tuple[Float[ndarray, "m d"], Float[ndarray, "m"]]
]


class Chain(NamedTuple):
    """Where m walkers have been, how often a proposal was accepted, and how often the density was asked."""

    samples: Float[ndarray, "t m d"]
    acceptance: float
    evaluations: int


@checked(scale=above(0))
def random_walk(scale: float) -> Proposal:
    """Propose a Gaussian step of standard deviation ``scale`` in every direction.

    z′ = z + sε; there and back are equally likely, so the correction is 0
    """

    def propose(z: ndarray, rng: np.random.Generator) -> tuple[ndarray, ndarray]:
        return z + scale * rng.standard_normal(z.shape), np.zeros(len(z))

    return propose


@checked(steps=at_least(1))
def metropolis_hastings(
    log_density: Density,
    start: Float[ndarray, "m d"],
    propose: Proposal,
    steps: int,
    rng: np.random.Generator,
) -> Chain:
    """Walk m independent chains from the rows of ``start``; the log density may lack its normaliser.

    accept z′ with probability min(1, π(z′)g(z|z′) / π(z)g(z′|z))       {eq}`eq-variational-metropolis`

    ``log_density`` gets rows of z. ``propose(z, rng)`` returns the proposals and log g(z|z′) − log g(z′|z).
    A proposal of density 0 (log −∞) is refused. A refused step is a sample too: the old place, once more.
    """
    here = start.copy()
    level = levels(log_density, here)
    if not np.isfinite(level).all():
        refuse("start", "have positive density", f"log densities {level.tolist()}")
    samples = np.empty((steps, *start.shape))
    accepted = 0
    for t in range(steps):
        there, correction = _proposals(propose, here, rng)
        new = levels(log_density, there)
        with np.errstate(invalid="ignore"):
            taken = np.log(rng.random(len(here))) < new - level + correction
        here[taken] = there[taken]
        level[taken] = new[taken]
        accepted += int(taken.sum())
        samples[t] = here
    return Chain(samples, accepted / (steps * len(start)), (steps + 1) * len(start))


def _proposals(
    propose: Proposal, here: Float[ndarray, "m d"], rng: np.random.Generator
) -> tuple[Float[ndarray, "m d"], Float[ndarray, "m"]]:
    there, correction = (np.asarray(part, dtype=float) for part in propose(here.copy(), rng))
    if there.shape != here.shape or correction.shape != (len(here),) or np.isnan(correction).any():
        rule = f"return proposals of shape {here.shape} and a correction for each, none of them NaN"
        refuse("propose", rule, f"shapes {there.shape} and {correction.shape}")
    return there, correction


def levels(log_density: Density, z: Float[ndarray, "m d"]) -> Float[ndarray, "m"]:
    """What the log density says at each row of z, once it is known to say something."""
    values = np.array(log_density(z), dtype=float)  # a copy, because it is changed in place
    if values.shape != (len(z),) or np.isnan(values).any() or (values == np.inf).any():
        rule = "return one log density per row, below infinity"
        refuse("log_density", rule, f"shape {values.shape}")
    return values
