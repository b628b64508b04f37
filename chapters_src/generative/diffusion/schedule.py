"""Diffusion: how data turn into noise step by step, and the step back that knowing the data would allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from chapters_src.core import checks
from chapters_src.core import device as devices
from chapters_src.core.shapes import Float, Tensor, ndarray

__all__ = [
    "NoiseSchedule",
    "cosine_schedule",
    "eps_from_x_0",
    "linear_schedule",
    "noised",
    "posterior",
    "score_from_eps",
    "signal_to_noise",
    "x_0_from_eps",
]

Device = str | torch.device | None
Step = int | Tensor


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

    def __init__(
        self, beta: Float[ndarray, "T"], device: Device = None, dtype: torch.dtype = torch.float32
    ) -> None:
        super().__init__()
        name = "NoiseSchedule"
        steps = checks.vector(name, "beta", beta)
        if not ((steps > 0) & (steps < 1)).all():
            worst = float(steps[np.argmax(np.abs(steps - 0.5))])
            checks.fail(name, "beta", "lie between 0 and 1, without either", f"{worst:g}")
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
            checks.fail(name, "dtype", "be a floating-point type of torch", repr(dtype)[:40])
        if not torch.tensor(np.exp(np.log1p(-steps).sum()), dtype=dtype) > 0:
            rule = f"leave some signal at the last step, or its ᾱ is 0 in {dtype}"
            checks.fail(name, "beta", rule, f"a sum of {steps.sum():g}")
        place = devices.pick(device)
        self.T = len(steps)
        b = np.concatenate([[0.0], steps])
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
            self.register_buffer(key, torch.tensor(value, dtype=dtype, device=place))

    def at(self, values: Float[Tensor, "_"], t: Step, x: Float[Tensor, "n ..."]) -> Float[Tensor, "..."]:
        """The entries ``values[t]``, shaped to multiply x: one for each row, or one for all."""
        if not isinstance(t, Tensor):
            return values[checks.integer("NoiseSchedule.at", "t", t, at_least=0, at_most=self.T)]
        if t.shape != x.shape[:1] or t.dtype.is_floating_point or t.dtype == torch.bool:
            rule = f"be one step, or whole numbers of shape ({len(x)},), one per row of x"
            checks.fail("NoiseSchedule.at", "t", rule, f"shape {tuple(t.shape)}, {t.dtype}")
        try:  # index_select refuses −1, which indexing would take for T; nothing here waits for the device
            found = values.index_select(0, t)
        except (IndexError, RuntimeError) as error:
            if t.device != values.device:
                raise
            if "index out of range" not in str(error):
                raise
            checks.fail("NoiseSchedule.at", "t", f"be from 0 to {self.T}", "a step outside")
        return found.reshape(-1, *[1] * (x.ndim - 1))  # (n,) -> (n, 1, …)

    def extra_repr(self) -> str:
        return f"T={self.T}"


def linear_schedule(
    T: int,
    first: float = 1e-4,
    last: float = 0.02,
    device: Device = None,
    dtype: torch.dtype = torch.float32,
) -> NoiseSchedule:
    """β rises along a straight line from ``first`` at t = 1 to ``last`` at t = T.

    βₜ = β₁ + (β_T − β₁)·(t − 1)/(T − 1)              {eq}`eq-diffusion-linear`
    """
    T = checks.integer("linear_schedule", "T", T, at_least=1, at_most=100_000)
    first = checks.number("linear_schedule", "first", first, above=0, below=1)
    last = checks.number("linear_schedule", "last", last, above=0, below=1)
    return NoiseSchedule(np.linspace(first, last, T), device, dtype)


def cosine_schedule(
    T: int,
    offset: float = 0.008,
    largest: float = 0.999,
    device: Device = None,
    dtype: torch.dtype = torch.float32,
) -> NoiseSchedule:
    """The β for which ᾱ falls along a squared cosine; where that asks for β above ``largest``, ``largest``.

    ᾱₜ = f(t)/f(0),  f(t) = cos²(π/2·(t/T + s)/(1 + s)),  s = ``offset``     {eq}`eq-diffusion-cosine`
    """
    T = checks.integer("cosine_schedule", "T", T, at_least=1, at_most=100_000)
    offset = checks.number("cosine_schedule", "offset", offset, at_least=0, at_most=1)
    largest = checks.number("cosine_schedule", "largest", largest, above=0, below=1)
    f = np.cos(np.pi / 2 * (np.arange(T + 1) / T + offset) / (1 + offset)) ** 2
    return NoiseSchedule(np.minimum(1 - f[1:] / f[:-1], largest), device, dtype)


def _schedule(function: str, schedule: Any) -> NoiseSchedule:
    if not isinstance(schedule, NoiseSchedule):
        checks.fail(function, "schedule", "be a NoiseSchedule", f"a {type(schedule).__name__}")
    return schedule


def _from_1(function: str, schedule: NoiseSchedule, t: Step) -> Step:
    """t of at least 1, where it can be seen without waiting for a device."""
    if not isinstance(t, Tensor):
        return checks.integer(function, "t", t, at_least=1, at_most=schedule.T)
    if t.device.type == "cpu" and t.numel() and bool((t < 1).any()):
        checks.fail(function, "t", f"be from 1 to {schedule.T}", "a step outside")
    return t


def _rows(function: str, name: str, x: Any, like: Any = None) -> Tensor:
    """x as it is, once it is known to be a tensor of rows; its values are not looked at, which would wait."""
    if not isinstance(x, Tensor) or not x.is_floating_point() or x.ndim < 1 or x.numel() == 0:
        got = f"shape {tuple(x.shape)}, {x.dtype}" if isinstance(x, Tensor) else f"a {type(x).__name__}"
        checks.fail(function, name, "be a tensor of floats with one example a row", got)
    if like is not None and x.shape != like.shape:
        checks.fail(function, name, f"have shape {tuple(like.shape)}, as the others", tuple(x.shape))
    return x


def noised(
    schedule: NoiseSchedule, x_0: Float[Tensor, "n ..."], t: Step, eps: Float[Tensor, "n ..."]
) -> Float[Tensor, "n ..."]:
    """x at step t in one jump from the data, with ``eps`` standard normal.

    xₜ = √ᾱₜ·x₀ + √(1 − ᾱₜ)·ε                          {eq}`eq-diffusion-closed`
    """
    schedule = _schedule("noised", schedule)
    x_0 = _rows("noised", "x_0", x_0)
    eps = _rows("noised", "eps", eps, x_0)
    return schedule.at(schedule.signal, t, x_0) * x_0 + schedule.at(schedule.noise, t, x_0) * eps


def posterior(
    schedule: NoiseSchedule, x_0: Float[Tensor, "n ..."], x_t: Float[Tensor, "n ..."], t: Step
) -> tuple[Float[Tensor, "n ..."], Float[Tensor, "..."]]:
    """Mean and variance of the step before, xₜ₋₁, when both ends are known.

    μ̃ = √ᾱₜ₋₁βₜ/(1−ᾱₜ)·x₀ + √αₜ(1−ᾱₜ₋₁)/(1−ᾱₜ)·xₜ,  β̃ₜ = βₜ(1−ᾱₜ₋₁)/(1−ᾱₜ)   {eq}`eq-diffusion-posterior`

    At t = 1 the step before is x₀ itself: the mean is x₀ and the variance 0.
    """
    schedule = _schedule("posterior", schedule)
    x_0 = _rows("posterior", "x_0", x_0)
    x_t = _rows("posterior", "x_t", x_t, x_0)
    t = _from_1("posterior", schedule, t)
    from_x_0 = schedule.at(schedule.posterior_from_x_0, t, x_0)
    from_x_t = schedule.at(schedule.posterior_from_x_t, t, x_0)
    return from_x_0 * x_0 + from_x_t * x_t, schedule.at(schedule.posterior_variance, t, x_0)


def signal_to_noise(schedule: NoiseSchedule) -> Float[Tensor, "_"]:
    """Variance of the signal over that of the noise at t = 0, …, T, for data of variance 1; infinite at 0.

    SNR(t) = ᾱₜ/(1 − ᾱₜ)                              {eq}`eq-diffusion-snr`
    """
    schedule = _schedule("signal_to_noise", schedule)
    return (schedule.signal / schedule.noise) ** 2


def x_0_from_eps(
    schedule: NoiseSchedule, x_t: Float[Tensor, "n ..."], t: Step, eps: Float[Tensor, "n ..."]
) -> Float[Tensor, "n ..."]:
    """The data point that xₜ came from if ``eps`` was the noise.

    x₀ = (xₜ − √(1 − ᾱₜ)·ε)/√ᾱₜ                        {eq}`eq-diffusion-estimate`
    """
    schedule = _schedule("x_0_from_eps", schedule)
    x_t = _rows("x_0_from_eps", "x_t", x_t)
    eps = _rows("x_0_from_eps", "eps", eps, x_t)
    return (x_t - schedule.at(schedule.noise, t, x_t) * eps) / schedule.at(schedule.signal, t, x_t)


def eps_from_x_0(
    schedule: NoiseSchedule, x_t: Float[Tensor, "n ..."], t: Step, x_0: Float[Tensor, "n ..."]
) -> Float[Tensor, "n ..."]:
    """The noise that led from ``x_0`` to xₜ, for t of at least 1: ε = (xₜ − √ᾱₜ·x₀)/√(1 − ᾱₜ)."""
    schedule = _schedule("eps_from_x_0", schedule)
    x_t = _rows("eps_from_x_0", "x_t", x_t)
    x_0 = _rows("eps_from_x_0", "x_0", x_0, x_t)
    t = _from_1("eps_from_x_0", schedule, t)
    return (x_t - schedule.at(schedule.signal, t, x_t) * x_0) / schedule.at(schedule.noise, t, x_t)


def score_from_eps(schedule: NoiseSchedule, t: Step, eps: Float[Tensor, "n ..."]) -> Float[Tensor, "n ..."]:
    """The direction in which noisy data get more likely, from the expected noise, for t of at least 1.

    ∇ log q(xₜ) = −E[ε | xₜ]/√(1 − ᾱₜ)                 {eq}`eq-diffusion-score`
    """
    schedule = _schedule("score_from_eps", schedule)
    eps = _rows("score_from_eps", "eps", eps)
    t = _from_1("score_from_eps", schedule, t)
    return -eps / schedule.at(schedule.noise, t, eps)
