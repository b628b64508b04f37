"""Schedules, posterior and steps beside an implementation that shares no code: the schedulers of diffusers.

Its steps count from 0, so its step t − 1 is ours t. It keeps the schedule in float32; where a step is
compared, it is given its own ᾱ in float64, so that only the formulas can differ.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from diffusers import DDIMScheduler, DDPMScheduler, DPMSolverMultistepScheduler

from chapters_src.generative.diffusion import (
    cosine_schedule,
    linear_schedule,
    noised,
    posterior,
    x_0_from_eps,
)
from chapters_src.generative.samplers import dpm_step, generalised_step, timesteps

T = 1000
OURS = {
    "linear": linear_schedule(T, dtype=torch.float64),
    "squaredcos_cap_v2": cosine_schedule(T, dtype=torch.float64),
}
close = {"rtol": 1e-6, "atol": 1e-6}


def theirs(kind, name, **options):
    """One of their schedulers, its own formulas in float64."""
    made = kind(T, beta_schedule=name, **options)
    if hasattr(made.config, "clip_sample"):
        made.register_to_config(clip_sample=False)
    made.betas = betas(name)
    made.alphas = 1 - made.betas
    made.alphas_cumprod = made.alphas.cumprod(0)
    return made


def betas(name):
    """The β that they round to float32, before rounding; for the cosine by the formula of the paper."""
    if name == "linear":
        return torch.linspace(1e-4, 0.02, T, dtype=torch.float64)
    bar = [np.cos((t / T + 0.008) / 1.008 * np.pi / 2) ** 2 for t in range(T + 1)]
    return torch.tensor([min(1 - after / before, 0.999) for before, after in pairwise(bar)])


def draws(seed, n=4):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(n, 3, generator=generator, dtype=torch.float64) for _ in range(3)]


@pytest.mark.parametrize("name", OURS)
def test_schedules(name):
    made, ours = DDPMScheduler(T, beta_schedule=name), OURS[name]
    np.testing.assert_allclose(ours.beta[1:], made.betas, **close)
    np.testing.assert_allclose(ours.alpha_bar[1:], made.alphas_cumprod, atol=1e-6, rtol=1e-4)
    np.testing.assert_allclose(ours.alpha_bar[1:], betas(name).neg().add(1).cumprod(0), **close)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("t", [1, 2, 17, 500, 999, 1000])
def test_noise_added(name, t):
    x_0, eps, _ = draws(t)
    expected = theirs(DDPMScheduler, name).add_noise(x_0, eps, torch.full((4,), t - 1))
    np.testing.assert_allclose(noised(OURS[name], x_0, t, eps), expected, **close)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("t", [1, 2, 17, 500, 999])
def test_posterior(name, t):
    """Their step draws around our posterior's mean with our posterior's variance."""
    x_t, eps, _ = draws(t)
    scheduler, ours = theirs(DDPMScheduler, name), OURS[name]
    mean, variance = posterior(ours, x_0_from_eps(ours, x_t, t, eps), x_t, t)
    generator = torch.Generator().manual_seed(7)
    step = scheduler.step(eps, t - 1, x_t, generator=generator).prev_sample
    z = torch.randn(x_t.shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    expected = mean + variance.sqrt() * z if t > 1 else mean
    np.testing.assert_allclose(step, expected, **close)


@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("steps", [10, 25, 1000])
def test_generalised_steps(eta, steps):
    scheduler = theirs(DDIMScheduler, "linear", timestep_spacing="trailing")
    scheduler.set_timesteps(steps)
    times = timesteps(T, steps)
    assert (scheduler.timesteps + 1).tolist() == times[:-1]
    for k in (0, 1, steps // 2, steps - 2, steps - 1):
        t, s = times[k], times[k + 1]
        x_t, eps, _ = draws(k)
        step = scheduler.step(eps, t - 1, x_t, eta, generator=torch.Generator().manual_seed(k)).prev_sample
        ours = generalised_step(OURS["linear"], x_t, eps, t, s, eta, torch.Generator().manual_seed(k))
        np.testing.assert_allclose(ours, step, **close)


@pytest.mark.parametrize("steps", [5, 20, 40])
def test_dpm_solver(steps):
    """Step by step from the same place, because their steps are rounded to float32 one by one."""
    scheduler = theirs(
        DPMSolverMultistepScheduler, "linear", timestep_spacing="trailing", lower_order_final=False
    )
    scheduler.set_timesteps(steps)
    ours, times = OURS["linear"], timesteps(T, steps)
    assert (scheduler.timesteps + 1).tolist() == times[:-1]
    scheduler.sigmas = (ours.noise / ours.signal)[times]
    x, _, _ = draws(0)
    before = {}
    for k in range(steps):
        t, s = times[k], times[k + 1]
        eps = torch.tanh(2 * x + t / T)  # any function will do
        x_0 = x_0_from_eps(ours, x, t, eps)
        mine = dpm_step(ours, x, x_0, t, s, **before)
        step = scheduler.step(eps, t - 1, x).prev_sample.double()
        np.testing.assert_allclose(mine, step, rtol=2e-6, atol=1e-6)
        x, before = mine, {"x_0_before": x_0, "u": t}
