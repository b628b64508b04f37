"""The least work that turns one heap into another, from both sides, as linear programs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from chapters_src.core.contract import checked
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Critic", "Transport", "best_critic", "least_transport"]


class Transport(NamedTuple):
    """What the cheapest plan costs, and how much it moves from value i to value j."""

    cost: float
    plan: Float[ndarray, "k k"]


class Critic(NamedTuple):
    """How far the best critic holds the two means apart, and the critic."""

    gap: float
    f: Float[ndarray, "k"]


def metric(ask: Ask, c: Any) -> Any:
    """Read distances: zero to itself, symmetric, and no detour shorter than the direct way."""
    largest = np.abs(c).max()
    ask.require(largest < 1e20, "be below 1e20, which counts as infinite to a linear program", f"{largest:g}")
    slack = 1e-9 * (1 + largest)
    right = (
        np.abs(np.diag(c)).max() <= slack
        and np.abs(c - c.T).max() <= slack
        and bool((c <= (c[:, :, None] + c[None, :, :]).min(axis=1) + slack).all())
    )
    ask.require(right, "be a metric: 0 on the diagonal, symmetric, no detour shorter", "another table")
    return c


@checked(p=sums_to_one, q=sums_to_one, c=metric)
def least_transport(p: Float[ndarray, "k"], q: Float[ndarray, "k"], c: Float[ndarray, "k k"]) -> Transport:
    """The Wasserstein distance of p and q as the cost of the best plan γ, whose margins are p and q.

    W = min over γ ≥ 0 of Σᵢⱼ γᵢⱼcᵢⱼ,  Σⱼ γᵢⱼ = pᵢ,  Σᵢ γᵢⱼ = qⱼ        {eq}`eq-gan-transport`
    """
    k = len(p)
    rows, columns = np.kron(np.eye(k), np.ones(k)), np.kron(np.ones(k), np.eye(k))
    margins = np.concatenate([p, q * p.sum() / q.sum()])
    found = linprog(c.ravel(), A_eq=np.concatenate([rows, columns]), b_eq=margins, method="highs")
    return Transport(float(found.fun), found.x.reshape(k, k))


@checked(p=sums_to_one, q=sums_to_one, c=metric)
def best_critic(p: Float[ndarray, "k"], q: Float[ndarray, "k"], c: Float[ndarray, "k k"]) -> Critic:
    """The Wasserstein distance of p and q from the other side: the 1-Lipschitz f that tells them best apart.

    W = max over f of Σᵢ fᵢpᵢ − Σᵢ fᵢqᵢ,  fᵢ − fⱼ ≤ cᵢⱼ                 {eq}`eq-gan-duality`

    A constant changes nothing, so f is 0 at the first value.
    """
    k = len(p)
    i, j = (~np.eye(k, dtype=bool)).nonzero()
    differences = np.eye(k)[i] - np.eye(k)[j]
    bounds = [(0.0, 0.0), *[(None, None)] * (k - 1)]
    found = linprog(q - p, A_ub=differences, b_ub=c[i, j], bounds=bounds, method="highs")
    return Critic(-float(found.fun), found.x)
