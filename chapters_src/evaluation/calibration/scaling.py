"""Mending probabilities on held-out data: a temperature, a sigmoid, or any rising function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.newton import minimise_newton
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.least_squares import with_bias
from chapters_src.models.logistic import fit_logistic, zero_or_one
from chapters_src.models.softmax import class_numbers, cross_entropy, softmax

__all__ = ["fit_isotonic", "fit_platt", "fit_temperature", "pool_adjacent_violators"]


@checked(y=class_numbers)
def fit_temperature(a: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> float:
    """The temperature τ at which softmax(a/τ) gives the classes y of held-out data the least cross-entropy.

    dL/dβ = (1/n) Σᵢ [Σₖ πᵢₖaᵢₖ − aᵢ,yᵢ] = 0,  β = 1/τ         {eq}`eq-calibration-temperature`

    L is convex in β, so Newton's method finds it.
    """
    own = a[np.arange(len(y)), y]

    def loss(beta: ndarray) -> float:
        return bare(cross_entropy)(beta * a, y)

    def expansion(beta: ndarray) -> tuple[float, ndarray, ndarray]:
        pi = bare(softmax)(beta * a)
        mean = (pi * a).sum(axis=1)
        variance = (pi * (a - mean[:, None]) ** 2).sum(axis=1)
        return loss(beta), np.array([(mean - own).mean()]), np.array([[variance.mean()]])

    fit = minimise_newton(loss, expansion, np.ones(1), steps=100, tolerance=1e-10)
    right_always = bool((own >= a.max(axis=1)).all())
    require(fit.converged and not right_always, "y", "have a best temperature (some class wrong)", "none")
    require(fit.theta[0] > 0, "a", "be of some use: no positive temperature is best", f"β = {fit.theta[0]:g}")
    return float(1 / fit.theta[0])


@checked(y=zero_or_one)
def fit_platt(s: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> Float[ndarray, "2"]:
    """The two numbers of σ(θ₀ + θ₁s) that make the events y most likely: logistic regression on one score.

    P(y = 1 | s) = σ(θ₀ + θ₁s)                        {eq}`eq-calibration-platt`
    """
    fit = fit_logistic(with_bias(s[:, None]), y)
    require(fit.converged, "y", "not be separated by s, or θ grows for ever", "a score that separates")
    return fit.theta


@checked(w=above(0))
def pool_adjacent_violators(
    y: Float[ndarray, "n"], w: Float[ndarray, "n"] | None = None
) -> Float[ndarray, "n"]:
    """The non-decreasing g₁ ≤ … ≤ gₙ with the least Σ wᵢ(yᵢ − gᵢ)².

    Whenever a block's mean is not above the one before it, the two become one block with their common mean.
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(y, np.ones(len(y)) if w is None else w, strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, before, length = blocks.pop()
            pooled = (before * mean + block[1] * block[0]) / (before + block[1])
            block = (pooled, before + block[1], length + block[2])
        blocks.append(block)
    means, _, lengths = zip(*blocks, strict=True)
    return np.repeat(means, lengths)


@checked(y=zero_or_one)
def fit_isotonic(
    s: Float[ndarray, "n"], y: Float[ndarray, "n"]
) -> Callable[[Float[ndarray, "m"]], Float[ndarray, "m"]]:
    """The rising function of the score that fits the events y best; straight between scores, level outside.

    min Σᵢ (yᵢ − g(sᵢ))²  over non-decreasing g        {eq}`eq-calibration-isotonic`
    """
    scores, group, counts = np.unique(s, return_inverse=True, return_counts=True)
    heights = pool_adjacent_violators(np.bincount(group, y) / counts, counts.astype(float))
    return lambda new: np.interp(new, scores, heights)
