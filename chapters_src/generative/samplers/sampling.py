"""From noise to data: walks down the steps of a diffusion with a denoiser as guide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import torch

from chapters_src.core import progress as bars
from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least, between
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.diffusion import NoiseSchedule, expected_noise, x_0_from_eps

__all__ = ["Path", "generalised_step", "sample", "timesteps", "walk_back"]

Denoise = Callable[[Any, Any], Any]  # (xₜ, steps t of shape (n,)) -> the noise expected in xₜ


NEEDED = "be a torch.Generator, because the walk draws noise"


class Path(NamedTuple):
    """Where a walk came by: the step, the points at that step, and the data they seemed to come from."""

    t: int
    x: Tensor
    x_0: Tensor


@checked(T=at_least(1), steps=within(1, lambda given: given["T"]), power=between(1, 4))
def timesteps(T: int, steps: int, power: int = 1) -> list[int]:
    """``steps`` + 1 falling whole numbers from T to 0: T·(k/steps)^power, rounded, and no number twice.

    Power 1 spaces them evenly; a higher one makes the last steps, where the noise is small, shorter.
    """
    most = steps**power
    return [max(k, (2 * T * k**power + most) // (2 * most)) for k in range(steps, -1, -1)]


@checked(
    t=within(1, lambda given: given["schedule"].T),
    s=within(0, lambda given: given["t"] - 1),
    eta=between(0, 1),
)
def generalised_step(
    schedule: NoiseSchedule,
    x_t: Float[Tensor, "*rows d"],
    eps: Float[Tensor, "*rows d"],
    t: int,
    s: int,
    eta: float = 0.0,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "*rows d"]:
    """From step t to an earlier step s: to the data that ``eps`` implies, and part of the way back.

    xₛ = √ᾱₛ·x̂₀ + √(1 − ᾱₛ − σ²)·ε̂ + σz,  σ² = η²·(1 − ᾱₛ)/(1 − ᾱₜ)·(1 − ᾱₜ/ᾱₛ)      {eq}`eq-samplers-ddim`

    With η = 0 nothing is drawn and x_T decides everything; with η = 1 and s = t − 1 it is the ancestral step.
    """
    require(eta <= 0 or s <= 0 or generator is not None, "generator", NEEDED, None)
    x_0 = x_0_from_eps(schedule, x_t, t, eps)
    bar_t, bar_s = schedule.alpha_bar[t], schedule.alpha_bar[s]
    rest_t, rest_s = schedule.noise[t] ** 2, schedule.noise[s] ** 2
    variance = eta**2 * rest_s / rest_t * (1 - bar_t / bar_s)
    x_s = schedule.signal[s] * x_0 + (rest_s - variance).clamp(min=0).sqrt() * eps
    if eta > 0 and s > 0:  # at s = 0 the variance is 0: whoever adds noise there adds it to the data
        z = torch.randn(x_t.shape, generator=generator, device=x_t.device, dtype=x_t.dtype)
        x_s = x_s + variance.sqrt() * z
    return x_s


@checked(steps=at_least(1), eta=between(0, 1), clip=above(0), order=between(1, 2))
def walk_back(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x_T: Float[Tensor, "*rows d"],
    steps: int | None = None,
    eta: float = 0.0,
    generator: torch.Generator | None = None,
    clip: float | None = None,
    order: int = 1,
) -> Iterator[Path]:
    """The walk of `sample`, step by step from T down to 0, the last with the samples themselves."""
    require(eta <= 0 or generator is not None, "generator", NEEDED, None)
    require(order != 2 or eta == 0, "order", "be 1 where the walk draws noise", f"2 with eta {eta!r}")
    times = timesteps(schedule.T, schedule.T if steps is None else steps)
    return _walk(denoise, schedule, x_T, times, eta, generator, clip, order)


@torch.no_grad()
def _walk(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x: Any,
    times: list[int],
    eta: float,
    generator: torch.Generator | None,
    clip: float | None,
    order: int,
) -> Iterator[Path]:
    """`walk_back` once its arguments are known to be right, which is said at the call."""
    sigma = schedule.noise / schedule.signal
    before: tuple[int, Tensor] | None = None
    for t, s in pairwise(times):
        eps, x_0 = expected_noise(denoise, schedule, x, t, clip)
        yield Path(t, x, x_0)
        slope = eps
        if order == 2 and before is not None:
            u, eps_u = before
            half = (sigma[s] - sigma[t]) / (sigma[t] - sigma[u]) / 2
            slope = eps + half * (eps - eps_u)  # the line through the last two slopes, half a step ahead
        x = generalised_step(schedule, x, slope, t, s, eta, generator)
        before = t, eps
    yield Path(0, x, x)


@checked(steps=at_least(1), eta=between(0, 1), clip=above(0), order=between(1, 2))
def sample(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x_T: Float[Tensor, "*rows d"],
    steps: int | None = None,
    eta: float = 0.0,
    generator: torch.Generator | None = None,
    clip: float | None = None,
    order: int = 1,
    progress: bool | None = None,
) -> Float[Tensor, "*rows d"]:
    """Turn noise into samples in any number of steps, all T unless said, each a `generalised_step`.

    η = 0 is the deterministic sampler DDIM, a method of first order; with ``order`` 2 a step also uses the
    slope of the step before (Adams and Bashforth), at no further cost. ``clip`` keeps the estimates of the
    data within ±clip, for data with known limits. ``denoise(x_t, t)`` gets one step for each row.
    """
    count = schedule.T if steps is None else steps
    walk = walk_back(denoise, schedule, x_T, count, eta, generator, clip, order)
    for place in bars.bar(walk, "sampling", total=count + 1, show=progress):
        x = place.x
    return x
