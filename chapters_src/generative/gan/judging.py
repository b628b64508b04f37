"""How good drawn points are, in two numbers that a collapsed generator cannot both have; and as Gaussians."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["Coverage", "Found", "frechet_distance", "modes_found", "precision_recall", "ring", "ring_centres"]


class Coverage(NamedTuple):
    """The share of drawn points that lie among true ones, and of true points that lie among drawn ones."""

    precision: float
    recall: float


class Found(NamedTuple):
    """How many centres have their points, and the share of points near a centre."""

    modes: int
    near: float


def _inside(points: Float[ndarray, "n d"], cloud: Float[ndarray, "m d"], k: int) -> float:
    """The share of the points that lie in a ball of the cloud, which reaches to its k-th neighbour."""
    reach = np.sort(cdist(cloud, cloud), axis=1)[:, k]  # column 0 is the point itself
    return float((cdist(points, cloud) <= reach).any(axis=1).mean())


@checked(k=at_least(1))
def precision_recall(real: Float[ndarray, "n d"], fake: Float[ndarray, "m d"], k: int = 3) -> Coverage:
    """Precision asks how many drawn points are close to true ones, recall how many true ones to drawn ones.

    Close to a cloud means inside a ball around one of its points that reaches to that point's k-th neighbour.
    """
    require(k < min(len(real), len(fake)), "k", "be less than the number of points in each cloud", k)
    return Coverage(_inside(fake, real, k), _inside(real, fake, k))


@checked
def frechet_distance(X: Float[ndarray, "n d"], Y: Float[ndarray, "m d"]) -> float:
    """The squared 2-Wasserstein distance of the Gaussians with the clouds' means μ, ν and covariances A, B.

    ‖μ − ν‖² + tr(A + B − 2(A^½ B A^½)^½)              {eq}`eq-gan-frechet`
    """
    require(min(len(X), len(Y)) >= 2, "X", "have two rows or more, and Y too", min(len(X), len(Y)))
    A, B = (np.atleast_2d(np.cov(cloud.T)) for cloud in (X, Y))
    values, vectors = np.linalg.eigh(A)
    root = (vectors * np.sqrt(values.clip(0))) @ vectors.T
    shared = np.sqrt(np.linalg.eigvalsh(root @ B @ root).clip(0)).sum()
    apart = X.mean(axis=0) - Y.mean(axis=0)
    return max(0.0, float(apart @ apart + np.trace(A) + np.trace(B) - 2 * shared))


@checked(modes=at_least(1), radius=above(0))
def ring_centres(modes: int = 8, radius: float = 2.0) -> Float[ndarray, "modes 2"]:
    """Points spread evenly on a circle around the origin."""
    angle = 2 * np.pi * np.arange(modes) / modes
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@checked(n=at_least(1), modes=at_least(1), radius=above(0), spread=at_least(0))
def ring(
    n: int, rng: np.random.Generator, modes: int = 8, radius: float = 2.0, spread: float = 0.1
) -> Float[ndarray, "n 2"]:
    """Points from equally likely Gaussians on a circle: easy to see, and easy to miss one of."""
    centres = ring_centres(modes, radius)
    return centres[rng.integers(modes, size=n)] + spread * rng.standard_normal((n, 2))


@checked(within=above(0), least=above(0))
def modes_found(
    points: Float[ndarray, "n d"], centres: Float[ndarray, "k d"], within: float = 0.3, least: float = 0.02
) -> Found:
    """A centre is found if at least the share ``least`` of all points lies ``within`` that distance of it."""
    apart = cdist(points, centres)
    near = apart.min(axis=1) <= within
    shares = np.bincount(apart.argmin(axis=1)[near], minlength=len(centres)) / len(points)
    return Found(int((shares >= least).sum()), float(near.mean()))
