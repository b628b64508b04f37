"""How far two clouds of points are from being samples of one distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from chapters_src.core.array_shapes import Shape
from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, Reader, at_least
from chapters_src.core.shapes import Float, Tensor, ndarray

__all__ = ["energy_distance", "expected_energy_distance", "null_energy_distances"]

Cloud = Tensor | ndarray


def _cloud(axes: str) -> Reader:
    """Read points in float64 on the CPU: a measurement, made once, where precision counts and not speed."""

    def cloud(ask: Ask, value: Any) -> Tensor:
        if isinstance(value, Tensor):
            ask.require(value.device.type != "meta", "have values", "a tensor on the meta device")
            value = value.detach().cpu().numpy()
        return torch.from_numpy(Shape("Float", "ndarray", axes).read(ask, value).copy())

    return cloud


def _mean_distance(x: Any, y: Any, block: int) -> float:
    total = torch.zeros((), dtype=torch.float64)
    for part in x.split(block):
        # By differences, not by ‖a‖² + ‖b‖² − 2aᵀb, which would lose half of the digits where a is near b.
        total += torch.cdist(part, y, compute_mode="donot_use_mm_for_euclid_dist").sum()
    return float(total) / (len(x) * len(y))


@checked(X=_cloud("n d"), Y=_cloud("m d"), block=at_least(1))
def energy_distance(X: Cloud, Y: Cloud, block: int = 512) -> float:
    """Zero for equal clouds and larger the more they differ; in the limit zero for equal distributions only.

    𝓔 = 2·E‖x − y‖ − E‖x − x′‖ − E‖y − y′‖           {eq}`eq-gan-energy`

    A V-statistic: the means run over all pairs, a point with itself included. It is never negative, but two
    samples of one distribution are a little apart by it; `expected_energy_distance` says how much.
    """
    across = _mean_distance(X, Y, block)
    return max(0.0, 2 * across - _mean_distance(X, X, block) - _mean_distance(Y, Y, block))


@checked(X=_cloud("rows d"), n=at_least(1), m=at_least(1), block=at_least(1))
def expected_energy_distance(X: Cloud, n: int, m: int, block: int = 512) -> float:
    """The mean energy distance of samples of n and m points of one distribution, estimated from its sample X.

    E[𝓔] = (1/n + 1/m)·E‖x − x′‖                      {eq}`eq-gan-energy-null`

    Here x ≠ x′, so the mean over pairs of X leaves out each point with itself.
    """
    require(len(X) >= 2, "X", "have two rows or more", len(X))
    spread = _mean_distance(X, X, block) * len(X) / (len(X) - 1)
    return (1 / n + 1 / m) * spread


@checked(X=_cloud("rows d"), n=at_least(1), m=at_least(1), draws=at_least(1))
def null_energy_distances(
    X: Cloud, n: int, m: int, rng: np.random.Generator, draws: int = 200
) -> Float[ndarray, "{draws}"]:
    """The energy distances of samples of n and m rows of X that share no row: what chance alone gives.

    A measured distance means little until it is put beside the quantiles of these.
    """
    require(n + m <= len(X), "n", f"leave m = {m} of the {len(X)} rows of X for the other sample", n)
    # The distances of all rows once; a draw only adds up parts of this table.
    points: Any = X
    apart = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist").numpy()
    found = np.empty(draws)
    for k in range(draws):
        rows = rng.permutation(len(X))[: n + m]
        a, b = rows[:n], rows[n:]
        across, within_a, within_b = (apart[np.ix_(*pair)].mean() for pair in ((a, b), (a, a), (b, b)))
        found[k] = max(0.0, 2 * across - within_a - within_b)
    return found
