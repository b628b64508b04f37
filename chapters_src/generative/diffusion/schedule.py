"""Diffusion: how data turn into noise step by step, and the step back that knowing the data would allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from chapters_src.core.contract import checked, refuse
from chapters_src.core.device import Device, Dtype
from chapters_src.core.readers import Ask, Limits, between, whole
from chapters_src.core.shapes import Float, Tensor, ndarray

__all__ = [
    "NoiseSchedule",
    "Step",
    "cosine_schedule",
    "linear_schedule",
    "noised",
    "posterior",
    "signal_to_noise",
    "x_0_from_eps",
]

Step = int | Tensor
PROPER = Limits(above=0, below=1)


def _from_1(ask: Ask, t: Any) -> Any:
    """Read steps of at least 1, where they can be seen without waiting for a device."""
    T = ask.arguments["schedule"].T
    if not isinstance(t, Tensor):
        return whole(ask, t, between(1, T))
    ask.require(
        t.device.type != "cpu" or not t.numel() or not bool((t < 1).any()),
        f"be from 1 to {T}",
        "a step outside",
    )
    return t


class NoiseSchedule(torch.nn.Module):
    """How much noise each step adds: β₁, …, β_T, and all that follows from them, as buffers on a device.

    αₜ = 1 − βₜ,  ᾱₜ = α₁⋯αₜ                           {eq}`eq-diffusion-alpha-bar`

    Every buffer has T + 1 entries, so that entry t belongs to step t; entry 0 is the data: β₀ = 0, ᾱ₀ = 1.
    All are computed in float64 and rounded once. In float32 1 − ᾱ₁ would lose four of its seven digits.
    """

    beta: Tensor
    alpha: Tensor
    alpha_bar: Tensor
    signal: Tensor
    noise: Tensor
    posterior_from_x_0: Tensor
    posterior_from_x_t: Tensor
    posterior_variance: Tensor

    @checked(beta=PROPER)
    def __init__(
        self, beta: Float[ndarray, "T"], device: Device = None, dtype: Dtype = torch.float32
    ) -> None:
        super().__init__()
        if not torch.tensor(np.exp(np.log1p(-beta).sum()), dtype=dtype) > 0:
            rule = f"leave some signal at the last step, or its ᾱ is 0 in {dtype}"
            refuse("beta", rule, f"a sum of {beta.sum():g}")
        self.T = len(beta)
        b = np.concatenate([[0.0], beta])
        log_bar = np.cumsum(np.log1p(-b))  # a sum of logarithms, because 1 − ᾱ would lose digits at both ends
        bar, rest = np.exp(log_bar), -np.expm1(log_bar)
        before, rest_before = np.append(1.0, bar[:-1]), np.append(0.0, rest[:-1])
        divisor = np.where(rest > 0, rest, 1.0)  # only entry 0 is 0, and no step ends there
        for key, value in {
            "beta": b,
            "alpha": 1 - b,
            "alpha_bar": bar,
            "signal": np.sqrt(bar),
            "noise": np.sqrt(rest),
            "posterior_from_x_0": np.sqrt(before) * b / divisor,
            "posterior_from_x_t": np.sqrt(1 - b) * rest_before / divisor,
            "posterior_variance": b * rest_before / divisor,
        }.items():
            self.register_buffer(key, torch.tensor(value, dtype=dtype, device=device))

    def at(self, values: Float[Tensor, "_"], t: Step, x: Float[Tensor, "*rows d"]) -> Float[Tensor, "..."]:
        """The entries ``values[t]``, shaped to multiply x: one for each row, or one for all."""
        if not isinstance(t, Tensor):
            return values[whole(Ask("t"), t, between(0, self.T))]
        if t.shape != x.shape[:1] or t.dtype.is_floating_point or t.dtype == torch.bool:
            rule = f"be one step, or whole numbers of shape ({len(x)},), one per row of x"
            refuse("t", rule, f"shape {tuple(t.shape)}, {t.dtype}")
        try:  # index_select refuses −1, which indexing would take for T; nothing here waits for the device
            found = values.index_select(0, t)
        except (IndexError, RuntimeError) as error:
            if t.device != values.device or "index out of range" not in str(error):
                raise
            refuse("t", f"be from 0 to {self.T}", "a step outside")
        return found.reshape(-1, *[1] * (x.ndim - 1))  # (n,) -> (n, 1, …)

    def extra_repr(self) -> str:
        return f"T={self.T}"


@checked(T=between(1, 100_000), first=PROPER, last=PROPER)
def linear_schedule(
    T: int,
    first: float = 1e-4,
    last: float = 0.02,
    device: Device = None,
    dtype: Dtype = torch.float32,
) -> NoiseSchedule:
    """β rises along a straight line from ``first`` at t = 1 to ``last`` at t = T.

    βₜ = β₁ + (β_T − β₁)·(t − 1)/(T − 1)              {eq}`eq-diffusion-linear`
    """
    return NoiseSchedule(np.linspace(first, last, T), device, dtype)


@checked(T=between(1, 100_000), offset=between(0, 1), largest=PROPER)
def cosine_schedule(
    T: int,
    offset: float = 0.008,
    largest: float = 0.999,
    device: Device = None,
    dtype: Dtype = torch.float32,
) -> NoiseSchedule:
    """The β for which ᾱ falls along a squared cosine; where that asks for β above ``largest``, ``largest``.

    ᾱₜ = f(t)/f(0),  f(t) = cos²(π/2·(t/T + δ)/(1 + δ)),  δ = ``offset``     {eq}`eq-diffusion-cosine`
    """
    f = np.cos(np.pi / 2 * (np.arange(T + 1) / T + offset) / (1 + offset)) ** 2
    return NoiseSchedule(np.minimum(1 - f[1:] / f[:-1], largest), device, dtype)


@checked
def noised(
    schedule: NoiseSchedule, x_0: Float[Tensor, "*rows d"], t: Step, eps: Float[Tensor, "*rows d"]
) -> Float[Tensor, "*rows d"]:
    """x at step t in one jump from the data, with ``eps`` standard normal.

    xₜ = √ᾱₜ·x₀ + √(1 − ᾱₜ)·ε                          {eq}`eq-diffusion-closed`
    """
    return schedule.at(schedule.signal, t, x_0) * x_0 + schedule.at(schedule.noise, t, x_0) * eps


@checked(t=_from_1)
def posterior(
    schedule: NoiseSchedule, x_0: Float[Tensor, "*rows d"], x_t: Float[Tensor, "*rows d"], t: Step
) -> tuple[Float[Tensor, "*rows d"], Float[Tensor, "..."]]:
    """Mean and variance of the step before, xₜ₋₁, when both ends are known.

    μ̃ = √ᾱₜ₋₁βₜ/(1−ᾱₜ)·x₀ + √αₜ(1−ᾱₜ₋₁)/(1−ᾱₜ)·xₜ,  β̃ₜ = βₜ(1−ᾱₜ₋₁)/(1−ᾱₜ)   {eq}`eq-diffusion-posterior`

    At t = 1 the step before is x₀ itself: the mean is x₀ and the variance 0.
    """
    from_x_0 = schedule.at(schedule.posterior_from_x_0, t, x_0)
    from_x_t = schedule.at(schedule.posterior_from_x_t, t, x_0)
    return from_x_0 * x_0 + from_x_t * x_t, schedule.at(schedule.posterior_variance, t, x_0)


@checked
def signal_to_noise(schedule: NoiseSchedule) -> Float[Tensor, "_"]:
    """Variance of the signal over that of the noise at t = 0, …, T, for data of variance 1; infinite at 0.

    SNR(t) = ᾱₜ/(1 − ᾱₜ)                              {eq}`eq-diffusion-snr`
    """
    return (schedule.signal / schedule.noise) ** 2


@checked
def x_0_from_eps(
    schedule: NoiseSchedule, x_t: Float[Tensor, "*rows d"], t: Step, eps: Float[Tensor, "*rows d"]
) -> Float[Tensor, "*rows d"]:
    """The data point that xₜ came from if ``eps`` was the noise.

    x₀ = (xₜ − √(1 − ᾱₜ)·ε)/√ᾱₜ                        {eq}`eq-diffusion-estimate`
    """
    return (x_t - schedule.at(schedule.noise, t, x_t) * eps) / schedule.at(schedule.signal, t, x_t)
