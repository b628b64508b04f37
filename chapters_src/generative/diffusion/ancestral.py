"""From noise to data, one step at a time: ancestral sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from chapters_src.core import progress as bars
from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import above, one_of
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.diffusion.schedule import NoiseSchedule, posterior, x_0_from_eps

__all__ = ["expected_noise", "sample_ancestral"]

Denoise = Callable[[Any, Any], Any]  # (xₜ, steps t of shape (n,)) -> the noise expected in xₜ


@checked(t=within(1, lambda given: given["schedule"].T), clip=above(0))
def expected_noise(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x_t: Float[Tensor, "*rows d"],
    t: int,
    clip: float | None = None,
) -> tuple[Float[Tensor, "*rows d"], Float[Tensor, "*rows d"]]:
    """The noise the denoiser expects and the data this implies, kept within ±clip if that is asked for."""
    eps = _denoised(denoise, x_t, torch.full((len(x_t),), t, device=x_t.device))
    x_0 = x_0_from_eps(schedule, x_t, t, eps)
    if clip is not None:
        x_0 = x_0.clamp(-clip, clip)
        eps = (x_t - schedule.signal[t] * x_0) / schedule.noise[t]
    return eps, x_0


def _denoised(denoise: Denoise, x_t: Tensor, t: Tensor) -> Tensor:
    """What the denoiser says, which nobody has declared and may have been made for other rows."""
    try:
        eps = denoise(x_t, t)
    except RuntimeError as error:
        rule = f"take {x_t.dtype} of shape {tuple(x_t.shape)}, as x_t is"
        refuse("denoise", rule, f"RuntimeError: {str(error).splitlines()[0]}")
    if not isinstance(eps, Tensor) or eps.shape != x_t.shape:
        got = tuple(eps.shape) if isinstance(eps, Tensor) else f"a {type(eps).__name__}"
        refuse("denoise", f"return a tensor of shape {tuple(x_t.shape)}", got)
    if (eps.dtype, eps.device) != (x_t.dtype, x_t.device):
        refuse("denoise", f"return {x_t.dtype} on {x_t.device}, as x_t is", f"{eps.dtype} on {eps.device}")
    return eps


@checked(variance=one_of(["posterior", "beta"]), clip=above(0))
@torch.no_grad()
def sample_ancestral(
    denoise: Denoise,
    schedule: NoiseSchedule,
    x_T: Float[Tensor, "*rows d"],
    generator: torch.Generator,
    variance: str = "posterior",
    clip: float | None = None,
    progress: bool | None = None,
) -> Float[Tensor, "*rows d"]:
    """Turn noise into samples by going back through all T steps, each a draw around the posterior's mean.

    xₜ₋₁ = μ̃(x̂₀, xₜ) + σₜz,  σₜ² = β̃ₜ or βₜ, and no noise at the last step      {eq}`eq-diffusion-ancestral`

    ``variance`` is "posterior" for β̃ₜ, right where x₀ is one point, or "beta" for βₜ, right where x₀ is
    standard normal; for other data of variance 1 the best lies between, on average over xₜ.
    """
    x = x_T
    sigma = (schedule.posterior_variance if variance == "posterior" else schedule.beta).sqrt()
    for t in bars.bar(range(schedule.T, 0, -1), "sampling", show=progress):
        _, x_0 = expected_noise(denoise, schedule, x, t, clip)
        x, _ = posterior(schedule, x_0, x, t)
        if t > 1:
            x = x + sigma[t] * torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)
    return x
