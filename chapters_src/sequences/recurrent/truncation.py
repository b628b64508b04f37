"""Going back for a random number of steps, with weights that leave the expected gradient as it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, Limits, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["hard_truncation", "random_keep", "soft_truncation"]

share = Limits(above=0, at_most=1)


def falling_shares(ask: Ask, r: Any) -> Any:
    """Chances above 0 that never rise with the distance: who reaches a step has passed all nearer ones."""
    right = share.hold(r).all() and (np.diff(r) <= 0).all()
    ask.require(bool(right), "be above 0, at most 1, and never rise", f"{r.round(3).tolist()}")
    return r


@checked(r=falling_shares, draws=at_least(1))
def hard_truncation(
    r: Float[ndarray, "T"], draws: int, rng: np.random.Generator
) -> Float[ndarray, "{draws} T"]:
    """Weights of the terms 0, 1, … steps back when one draw says where to stop; each has mean 1.

    1[u < r_k]/r_k with one uniform u for all k                {eq}`eq-recurrent-hard`

    As r falls, what lies beyond the first miss is missed too.
    """
    return (rng.random((draws, 1)) < r) / r


@checked(r=share, draws=at_least(1))
def soft_truncation(
    r: Float[ndarray, "T"], draws: int, rng: np.random.Generator
) -> Float[ndarray, "{draws} T"]:
    """Weights of the terms 0, 1, … steps back when each term has a coin of its own; each has mean 1.

    1[u_k < r_k]/r_k with a uniform u_k per term               {eq}`eq-recurrent-soft`
    """
    return (rng.random((draws, len(r))) < r) / r


@checked(T=at_least(1), go_on=share)
def random_keep(T: int, go_on: float, rng: np.random.Generator) -> Float[ndarray, "{T}"]:
    """Factors for `backward_through_time`: at every step 1/π with chance π, else 0, which ends the way back.

    ξ_t ∈ {0, 1/π},  E ξ_t = 1                                 {eq}`eq-recurrent-coin`
    """
    return (rng.random(T) < go_on) / go_on
