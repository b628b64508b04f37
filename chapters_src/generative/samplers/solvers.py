"""Methods of second order for the flow from noise to data: Heun's, and DPM-Solver++ with two steps."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least, between, one_of
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.diffusion import NoiseSchedule, expected_noise
from chapters_src.generative.samplers.sampling import generalised_step, timesteps

__all__ = ["dpm_step", "heun_step", "solve"]

Denoise = Callable[[Any, Any], Any]  # (xₜ, steps t of shape (n,)) -> the noise expected in xₜ


@checked(
    t=within(1, lambda given: given["schedule"].T),
    s=within(0, lambda given: given["t"] - 1),
    clip=above(0),
)
def heun_step(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x_t: Float[Tensor, "*rows d"],
    t: int,
    s: int,
    clip: float | None = None,
) -> Float[Tensor, "*rows d"]:
    """From step t to s with the mean of the slopes at both ends; into s = 0 with the first alone.

    x̄ₛ = x̄ₜ + (ςₛ − ςₜ)·½(ε̂(xₜ, t) + ε̂(x′ₛ, s)),  x′ₛ the deterministic step      {eq}`eq-samplers-heun`

    At s = 0 there is no noise left to guess, so the second slope does not exist.
    """
    eps, _ = expected_noise(denoise, schedule, x_t, t, clip)
    x_s = generalised_step(schedule, x_t, eps, t, s)
    if s == 0:
        return x_s
    eps_s, _ = expected_noise(denoise, schedule, x_s, s, clip)
    return generalised_step(schedule, x_t, (eps + eps_s) / 2, t, s)


@checked(
    t=within(1, lambda given: given["schedule"].T),
    s=within(0, lambda given: given["t"] - 1),
)
def dpm_step(
    schedule: NoiseSchedule,
    x_t: Float[Tensor, "*rows d"],
    x_0: Float[Tensor, "*rows d"],
    t: int,
    s: int,
    x_0_before: Float[Tensor, "*rows d"] | None = None,
    u: int | None = None,
) -> Float[Tensor, "*rows d"]:
    """From step t to s, with the guess of the data at t and, if given, the one at the step u before t.

    xₛ = (bₛ/bₜ)·xₜ + (aₛ − aₜbₛ/bₜ)·D,  D = x̂₀ + (λₛ − λₜ)/(2(λₜ − λᵤ))·(x̂₀ − x̂₀ᵘ)   {eq}`eq-samplers-dpm`

    Here a = √ᾱ, b = √(1 − ᾱ) and λ = log(a/b). Without an earlier guess, and into s = 0 where λ is infinite,
    D is x̂₀, and the step is the deterministic one.
    """
    a, b = schedule.signal, schedule.noise
    require((x_0_before is None) == (u is None), "u", "be given with x_0_before, and only then", u)
    require(u is None or t < u <= schedule.T, "u", f"be above t = {t} and at most {schedule.T}", u)
    guess = x_0
    if x_0_before is not None and u is not None and s > 0:
        lam = torch.log(a / b)
        guess = x_0 + (lam[s] - lam[t]) / (2 * (lam[t] - lam[u])) * (x_0 - x_0_before)
    return b[s] / b[t] * x_t + (a[s] - a[t] * b[s] / b[t]) * guess


@checked(steps=at_least(1), solver=one_of(["dpm", "heun"]), power=between(1, 4), clip=above(0))
@torch.no_grad()
def solve(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x_T: Float[Tensor, "*rows d"],
    steps: int,
    solver: str = "dpm",
    power: int = 2,
    clip: float | None = None,
) -> Float[Tensor, "*rows d"]:
    """Turn noise into samples by a method of second order: ``dpm``, one call per step, or ``heun``, two.

    The steps are ``timesteps(T, steps, power)``.
    """
    x, x_0_before, u = x_T, None, None
    for t, s in pairwise(timesteps(schedule.T, steps, power)):
        if solver == "heun":
            x = heun_step(denoise, schedule, x, t, s, clip)
        else:
            _, x_0 = expected_noise(denoise, schedule, x, t, clip)
            x = dpm_step(schedule, x, x_0, t, s, x_0_before, u)
            x_0_before, u = x_0, t
    return x
