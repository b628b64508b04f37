"""Search that looks back: a Gaussian process guesses the losses of what has not been tried."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import ndtr

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI
from chapters_src.models.kernels import Band, gaussian_kernel, gaussian_process
from chapters_src.optimisation.search.searches import Trial, log_ranges, trial

__all__ = ["expected_improvement", "gaussian_process_search", "process_log_evidence", "surrogate"]

SHARPNESS = (0.1, 1.0, 4.0, 16.0, 64.0)  # the γ that each axis may have, on a side of length 1


@checked(deviation=at_least(0))
def expected_improvement(
    mean: Float[ndarray, "m"], deviation: Float[ndarray, "m"], best: float
) -> Float[ndarray, "m"]:
    """By how much a Gaussian guess is expected to fall below the best loss so far; not falling counts as 0.

    E[max(b − v, 0)] = (b − μ)Φ(z) + sφ(z),  z = (b − μ)/s     {eq}`eq-search-improvement`
    """
    gap = best - mean
    z = gap / np.maximum(deviation, 1e-300)
    z = np.clip(z, -1e100, 1e100)
    return gap * ndtr(z) + deviation * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


@checked(noise=above(0))
def process_log_evidence(K: Float[ndarray, "n n"], y: Float[ndarray, "n"], noise: float) -> float:
    """How probable the outputs are under a Gaussian process, whatever the function was.

    log p(y) = −½yᵀ(K + σ²I)⁻¹y − ½log det(K + σ²I) − ½n log 2π     {eq}`eq-search-evidence`
    """
    C = K + noise * np.eye(len(y))
    return float(-(y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + len(y) * LOG_2PI) / 2)


@checked(noise=above(0))
def surrogate(
    U: Float[ndarray, "n d"], y: Float[ndarray, "n"], new: Float[ndarray, "m d"], noise: float = 1e-3
) -> tuple[Band, Float[ndarray, "d"]]:
    """The posterior at new places, and the γ of each axis: those of the largest evidence.

    A small γ says that the losses hardly change along this axis.
    """
    gammas = [np.array(one) for one in itertools.product(SHARPNESS, repeat=U.shape[1])]
    grams = [bare(gaussian_kernel)(U * np.sqrt(g), U * np.sqrt(g), 1.0) for g in gammas]
    top = int(np.argmax([bare(process_log_evidence)(K, y, noise) for K in grams]))
    scale = np.sqrt(gammas[top])
    near = gaussian_kernel(new * scale, U * scale, 1.0)
    return gaussian_process(grams[top], y, near, np.ones(len(new)), noise), gammas[top]


@checked(space=log_ranges, count=at_least(1), start=at_least(2), candidates=at_least(1))
def gaussian_process_search(
    loss: Callable[..., float],
    space: Mapping[str, tuple[float, float]],
    count: int,
    rng: np.random.Generator,
    start: int = 5,
    candidates: int = 500,
) -> list[Trial]:
    """Draw the first ``start`` trials at random, then try the candidate that promises most; in that order.

    Coordinates are logarithms, scaled to [0, 1]; losses get mean 0 and deviation 1. What diverged counts as
    the worst that did not.
    """
    low, high = np.log(np.array(list(space.values()), dtype=float)).T
    U = np.empty((0, len(low)))
    tried: list[Trial] = []
    while len(tried) < count:
        drawn = rng.random((candidates, len(low)))
        at = 0
        if len(tried) >= start:
            y = _standardised(np.array([one.loss for one in tried]))
            guess, _ = surrogate(U, y, drawn)
            at = int(np.argmax(expected_improvement(guess.mean, np.sqrt(guess.variance), y.min())))
        U = np.vstack([U, drawn[at]])
        values = np.exp(low + (high - low) * drawn[at])
        tried.append(trial(loss, dict(zip(space, map(float, values), strict=True))))
    return tried


def _standardised(losses: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    finite = losses[np.isfinite(losses)]
    losses = np.minimum(losses, finite.max() if len(finite) else 0.0)
    return (losses - losses.mean()) / (losses.std() or 1.0)
