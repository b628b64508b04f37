"""Mini-batches: how to cut data up, how noisy the pieces are, and how to train on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.fit import Fit
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.optimisation.stochastic.optimisers import Optimiser

__all__ = ["fit_batches", "minibatch_variance", "minibatches"]

Objective = Callable[[Any, Any], tuple[float, Any]]  # (θ, rows) -> loss and gradient on those rows


@checked(n=at_least(1), batch_size=at_least(1))
def minibatches(
    n: int, batch_size: int, rng: np.random.Generator, drop_last: bool = False
) -> list[Int[ndarray, "_"]]:
    """One epoch: the numbers 0, …, n−1 shuffled and cut into batches, each number in one batch.

    ⌈n/B⌉ batches; the last may be smaller, or is left out with ``drop_last``.
    """
    _at_most(batch_size, n)
    order = rng.permutation(n)
    end = n - n % batch_size if drop_last else n
    return [order[start : start + batch_size] for start in range(0, end, batch_size)]


def _at_most(batch_size: int, n: int) -> None:
    require(batch_size <= n, "batch_size", f"be at least 1 and at most {n}", batch_size)


@checked(batch_size=at_least(1))
def minibatch_variance(gradients: Float[ndarray, "n d"], batch_size: int, replacement: bool = False) -> float:
    """The mean squared distance of a mini-batch gradient from the gradient on all n examples.

    E‖g_B − ∇L‖² = σ²/B · (n−B)/(n−1),  σ² = (1/n) Σᵢ‖gᵢ − ∇L‖²     {eq}`eq-stochastic-variance`

    ``gradients`` has the gradient of one example a row. With replacement the second factor is 1.
    """
    n = len(gradients)
    if not replacement:
        _at_most(batch_size, n)
    variance = float(np.mean(np.sum((gradients - gradients.mean(axis=0)) ** 2, axis=1)))
    return variance / batch_size * (1.0 if replacement or n == 1 else (n - batch_size) / (n - 1))


@checked(n=at_least(1), epochs=at_least(1), batch_size=at_least(1))
def fit_batches(
    objective: Objective,
    n: int,
    theta: Float[ndarray, "p"],
    optimiser: Optimiser,
    epochs: int,
    batch_size: int,
    rng: np.random.Generator,
    schedule: Callable[[int], float] | None = None,
) -> Fit:
    """Shuffle, go through all batches with one step each, and repeat for some epochs.

    θ ← θ − η/B Σ_{i∈B} ∇ℓᵢ(θ)                                {eq}`eq-stochastic-sgd`

    for SGD; ``objective(theta, rows)`` gives loss and gradient, and ``losses`` holds the loss of each batch
    before its step. Where training diverges it ends early, at the last finite θ, with ``converged`` False.
    """
    here = theta.copy()
    losses: list[float] = []
    for _ in range(epochs):
        for rows in minibatches(n, batch_size, rng):
            loss, gradient = objective(here, rows)
            if not (np.isfinite(loss) and np.isfinite(gradient).all()):
                return Fit(here, np.array([*losses, np.inf]), False, len(losses))
            there = optimiser.step(here, gradient, schedule(len(losses)) if schedule else None)
            if not np.isfinite(there).all():
                return Fit(here, np.array([*losses, np.inf]), False, len(losses))
            here = there
            losses.append(float(loss))
    return Fit(here, np.array(losses), True, len(losses))
