"""How far two clouds of points are from being samples of one distribution."""

from __future__ import annotations

from typing import Any

import torch

from chapters_src.core import checks
from chapters_src.core.shapes import Tensor, ndarray

__all__ = ["energy_distance", "expected_energy_distance", "mean_distance"]

Cloud = Tensor | ndarray


def _cloud(function: str, name: str, value: Any) -> Tensor:
    """The points in float64 on the CPU: a measurement, made once, where precision counts and not speed."""
    if isinstance(value, Tensor):
        if value.device.type == "meta":
            checks.fail(function, name, "have values", "a tensor on the meta device")
        value = value.detach().cpu().numpy()
    return torch.from_numpy(checks.matrix(function, name, value).copy())


def _pair(function: str, X: Any, Y: Any) -> tuple[Tensor, Tensor]:
    x, y = _cloud(function, "X", X), _cloud(function, "Y", Y)
    if x.shape[1] != y.shape[1]:
        checks.fail(function, "Y", f"have {x.shape[1]} columns, as X has", y.shape[1])
    return x, y


def _mean_distance(x: Tensor, y: Tensor, block: int) -> float:
    total = torch.zeros((), dtype=torch.float64)
    for part in x.split(block):
        # By differences, not by ‖a‖² + ‖b‖² − 2aᵀb, which would lose half of the digits where a is near b.
        total += torch.cdist(part, y, compute_mode="donot_use_mm_for_euclid_dist").sum()
    return float(total) / (len(x) * len(y))


def mean_distance(X: Cloud, Y: Cloud, block: int = 512) -> float:
    """The mean of ‖x − y‖ over all pairs of a row of X and a row of Y, ``block`` rows of X at a time."""
    x, y = _pair("mean_distance", X, Y)
    return _mean_distance(x, y, checks.integer("mean_distance", "block", block, at_least=1))


def energy_distance(X: Cloud, Y: Cloud, block: int = 512) -> float:
    """Zero for equal clouds and larger the more they differ; in the limit zero for equal distributions only.

    D² = 2·E‖x − y‖ − E‖x − x′‖ − E‖y − y′‖           {eq}`eq-diffusion-energy`

    A V-statistic: the means run over all pairs, a point with itself included. It is never negative, but two
    samples of one distribution are a little apart by it; `expected_energy_distance` says how much.
    """
    x, y = _pair("energy_distance", X, Y)
    block = checks.integer("energy_distance", "block", block, at_least=1)
    across = _mean_distance(x, y, block)
    return max(0.0, 2 * across - _mean_distance(x, x, block) - _mean_distance(y, y, block))


def expected_energy_distance(X: Cloud, n: int, m: int, block: int = 512) -> float:
    """The mean energy distance of samples of n and m points of one distribution, estimated from its sample X.

    E[D²] = (1/n + 1/m)·E‖x − x′‖                      {eq}`eq-diffusion-energy-null`

    Here x ≠ x′, so the mean over pairs of X leaves out each point with itself.
    """
    name = "expected_energy_distance"
    x = _cloud(name, "X", X)
    if len(x) < 2:
        checks.fail(name, "X", "have two rows or more", f"{len(x)}")
    n, m = (checks.integer(name, key, value, at_least=1) for key, value in (("n", n), ("m", m)))
    block = checks.integer(name, "block", block, at_least=1)
    spread = _mean_distance(x, x, block) * len(x) / (len(x) - 1)
    return (1 / n + 1 / m) * spread
