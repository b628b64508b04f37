"""t-SNE: place points in the plane so that heavy-tailed affinities there match those of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from chapters_src.core.contract import bare, checked
from chapters_src.core.fit import Fit
from chapters_src.core.progress import bar
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.clusters import squared_distances

__all__ = ["fit_tsne", "map_affinities", "tsne_gradient", "tsne_loss"]


def pairs(ask: Ask, P: Any) -> Any:
    """Probabilities of all ordered pairs: symmetric, none negative, together 1."""
    ask.require(
        bool((P >= 0).all()) and np.allclose(P, P.T), "be symmetric and not negative", "another matrix"
    )
    ask.require(bool(np.isclose(P.sum(), 1)), "sum to 1", f"{P.sum():g}")
    return P


def _kernel(Y: Float[ndarray, "n k"]) -> Float[ndarray, "n n"]:
    W = 1 / (1 + bare(squared_distances)(Y, Y))
    np.fill_diagonal(W, 0)
    return W


@checked
def map_affinities(Y: Float[ndarray, "n k"]) -> Float[ndarray, "n n"]:
    """q(i, j) ∝ 1 / (1 + ‖yᵢ − yⱼ‖²), over all pairs        {eq}`eq-neighbours-student`."""
    W = _kernel(Y)
    return W / W.sum()


@checked(P=pairs)
def tsne_loss(P: Float[ndarray, "n n"], Y: Float[ndarray, "n k"]) -> float:
    """KL(P‖Q) in nats                                       {eq}`eq-neighbours-loss`."""
    Q = bare(map_affinities)(Y)
    return float((xlogy(P, P) - xlogy(P, np.maximum(Q, 1e-300))).sum())


@checked(P=pairs)
def tsne_gradient(P: Float[ndarray, "n n"], Y: Float[ndarray, "n k"]) -> Float[ndarray, "n k"]:
    """4 Σⱼ (pᵢⱼ − qᵢⱼ)(yᵢ − yⱼ) / (1 + ‖yᵢ − yⱼ‖²)            {eq}`eq-neighbours-gradient`."""
    W = _kernel(Y)
    pull = (P - W / W.sum()) * W
    return 4 * (pull.sum(axis=1)[:, None] * Y - pull @ Y)


@checked(P=pairs, rate=above(0), steps=at_least(1), early=at_least(0), exaggeration=at_least(1))
def fit_tsne(
    P: Float[ndarray, "n n"],
    start: Float[ndarray, "n k"],
    rate: float,
    steps: int = 500,
    early: int = 100,
    exaggeration: float = 4.0,
    progress: bool | None = None,
) -> Fit:
    """Descent with momentum; for the first ``early`` steps P is multiplied, which gathers groups."""
    Y, velocity, path = start, np.zeros_like(start), [start]
    for step in bar(range(steps), "steps", show=progress):
        gathering = step < early
        gradient = bare(tsne_gradient)(exaggeration * P if gathering else P, Y)
        velocity = (0.5 if gathering else 0.8) * velocity - rate * gradient
        Y = Y + velocity
        path.append(Y)
    losses = np.array([bare(tsne_loss)(P, one) for one in path])
    return Fit(Y, losses, False, steps, np.array(path))
