"""Markov chains: where the next step depends on the present state alone."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["chain_laws", "stationary_distribution", "walk"]


@checked(start=sums_to_one, P=sums_to_one, steps=at_least(0))
def chain_laws(
    start: Float[ndarray, "K"], P: Float[ndarray, "K K"], steps: int
) -> Float[ndarray, "{steps}+1 K"]:
    """The distribution of the state after 0, 1, …, ``steps`` steps, one per row.

    pₜ₊₁ᵀ = pₜᵀP,  where row i of P says where state i goes     {eq}`eq-probability-markov`
    """
    laws = [start]
    for _ in range(steps):
        laws.append(laws[-1] @ P)
    return np.array(laws)


@checked(P=sums_to_one)
def stationary_distribution(P: Float[ndarray, "K K"]) -> Float[ndarray, "K"]:
    """The one distribution that a step leaves as it is.

    πᵀP = πᵀ,  Σᵢπᵢ = 1                               {eq}`eq-probability-stationary`
    """
    K = len(P)
    left_over = K - np.linalg.matrix_rank(np.eye(K) - P.T, tol=1e-12 * K)
    require(
        left_over <= 1,
        "P",
        "have one stationary distribution",
        f"{left_over} classes that never leave themselves",
    )
    equations = np.vstack([np.eye(K) - P.T, np.ones(K)])
    pi = np.linalg.lstsq(equations, np.append(np.zeros(K), 1.0), rcond=None)[0]
    return np.maximum(pi, 0) / np.maximum(pi, 0).sum()


@checked(P=sums_to_one, start=within(0, lambda given: len(given["P"]) - 1), steps=at_least(0))
def walk(
    P: Float[ndarray, "K K"], start: int, steps: int, rng: np.random.Generator
) -> Int[ndarray, "{steps}+1"]:
    """The states that one run of the chain visits, counted from 0, the first of them ``start``."""
    reached = np.cumsum(P, axis=1)
    reached[:, -1] = 1.0  # rounding must not leave a gap at the end
    states = np.empty(steps + 1, dtype=np.int64)
    states[0] = start
    for t, u in enumerate(rng.random(steps)):
        states[t + 1] = np.searchsorted(reached[states[t]], u, side="right")
    return states
