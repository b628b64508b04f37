"""Mini-batches: how to cut data up, how noisy the pieces are, and how to train on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.optimisation.stochastic.optimisers import Optimiser

__all__ = ["Fit", "fit_batches", "minibatch_variance", "minibatches", "range_test"]

Objective = Callable[[Any, Any], tuple[float, Any]]  # (θ, rows) -> loss and gradient on those rows


def minibatches(
    n: int, batch_size: int, rng: np.random.Generator, drop_last: bool = False
) -> list[Int[ndarray, "_"]]:
    """One epoch: the numbers 0, …, n−1 shuffled and cut into batches, each number in one batch.

    ⌈n/B⌉ batches; the last may be smaller, or is left out with ``drop_last``.
    """
    n = checks.integer("minibatches", "n", n, at_least=1)
    size = checks.integer("minibatches", "batch_size", batch_size, at_least=1, at_most=n)
    rng = checks.generator("minibatches", "rng", rng)
    order = rng.permutation(n)
    end = n - n % size if drop_last else n
    return [order[start : start + size] for start in range(0, end, size)]


def minibatch_variance(gradients: Float[ndarray, "n d"], batch_size: int, replacement: bool = False) -> float:
    """The mean squared distance of a mini-batch gradient from the gradient on all n examples.

    E‖g_B − ∇L‖² = σ²/B · (n−B)/(n−1),  σ² = (1/n) Σᵢ‖gᵢ − ∇L‖²     {eq}`eq-stochastic-variance`

    ``gradients`` has the gradient of one example a row. With replacement the second factor is 1.
    """
    g = checks.matrix("minibatch_variance", "gradients", gradients)
    n = len(g)
    most = None if replacement else n
    size = checks.integer("minibatch_variance", "batch_size", batch_size, at_least=1, at_most=most)
    variance = float(np.mean(np.sum((g - g.mean(axis=0)) ** 2, axis=1)))
    return variance / size * (1.0 if replacement or n == 1 else (n - size) / (n - 1))


class Fit(NamedTuple):
    """Where training ended, and the loss of every batch just before its step."""

    theta: Float[ndarray, "p"]
    losses: Float[ndarray, "t"]


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

    for SGD; ``objective(theta, rows)`` gives loss and gradient. Where training diverges it ends early, at the
    last finite θ.
    """
    here = checks.vector("fit_batches", "theta", theta).copy()
    epochs = checks.integer("fit_batches", "epochs", epochs, at_least=1)
    if not isinstance(optimiser, Optimiser):
        checks.fail("fit_batches", "optimiser", "be an Optimiser, such as SGD(0.1)", repr(optimiser)[:40])
    losses: list[float] = []
    for _ in range(epochs):
        for rows in minibatches(n, batch_size, rng):
            loss, gradient = objective(here, rows)
            if not (np.isfinite(loss) and np.isfinite(gradient).all()):
                return Fit(here, np.array([*losses, np.inf]))
            there = optimiser.step(here, gradient, schedule(len(losses)) if schedule else None)
            if not np.isfinite(there).all():
                return Fit(here, np.array([*losses, np.inf]))
            here = there
            losses.append(float(loss))
    return Fit(here, np.array(losses))


def range_test(
    objective: Objective,
    n: int,
    theta: Float[ndarray, "p"],
    optimiser: Optimiser,
    rates: Float[ndarray, "t"],
    batch_size: int,
    rng: np.random.Generator,
) -> Float[ndarray, "t"]:
    """One run in which the learning rate grows step by step; the loss seen before the step with each rate.

    Where the loss has stopped falling the rate is about too large. From an overflow on it is infinite.
    """
    here = checks.vector("range_test", "theta", theta).copy()
    rates = checks.vector("range_test", "rates", rates)
    if not isinstance(optimiser, Optimiser):
        checks.fail("range_test", "optimiser", "be an Optimiser, such as SGD(0.1)", repr(optimiser)[:40])
    if not ((rates > 0).all() and (np.diff(rates) > 0).all()):
        checks.fail("range_test", "rates", "be positive and rise", "others")
    losses = np.full(len(rates), np.inf)
    batches: list[Any] = []
    for t, eta in enumerate(rates):
        batches = batches or minibatches(n, batch_size, rng)
        loss, gradient = objective(here, batches.pop())
        if not (np.isfinite(loss) and np.isfinite(gradient).all()):
            break
        losses[t] = loss
        here = optimiser.step(here, gradient, float(eta))
        if not np.isfinite(here).all():
            break
    return losses
