"""The best denoisers there can be, for data whose distribution is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.covariances import positive_semidefinite
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.generative.diffusion.schedule import NoiseSchedule, Step

__all__ = ["gaussian_denoiser", "gaussian_noise_left", "mixture_denoiser"]

Denoise = Callable[[Any, Any], Any]


def _tensor(name: str, values: ndarray, schedule: NoiseSchedule) -> Tensor:
    """Numbers of an argument in the precision of the schedule, if they fit into it."""
    like = schedule.alpha_bar
    result = torch.tensor(values, dtype=like.dtype, device=like.device)
    if like.device.type != "meta" and not bool(torch.isfinite(result).all()):
        refuse(name, f"fit into {like.dtype}", f"{np.abs(values).max():.3g}")
    return result


@checked(covariance=positive_semidefinite)
def gaussian_denoiser(
    schedule: NoiseSchedule, mean: Float[ndarray, "d"], covariance: Float[ndarray, "d d"]
) -> Denoise:
    """The expected noise in xₜ when the data are N(m, S), as a function of xₜ and t.

    E[ε | xₜ] = √(1 − ᾱₜ)·(ᾱₜS + (1 − ᾱₜ)I)⁻¹(xₜ − √ᾱₜ·m)       {eq}`eq-diffusion-gaussian`

    Along the axes of S, where the inverse is a division.
    """
    spread, axes = np.linalg.eigh(covariance)
    lam = _tensor("covariance", np.maximum(spread, 0), schedule)
    Q = _tensor("covariance", axes, schedule)
    centre = _tensor("mean", mean, schedule)

    @checked
    def denoise(x_t: Float[Tensor, "n d"], t: Step) -> Float[Tensor, "n d"]:
        require(x_t.shape[1:] == centre.shape, "x_t", f"have {len(centre)} columns", tuple(x_t.shape))
        signal, noise = (schedule.at(one, t, x_t) for one in (schedule.signal, schedule.noise))
        along = (x_t - signal * centre) @ Q  # (n, d) @ (d, d) -> (n, d)
        return noise * (along / (signal**2 * lam + noise**2)) @ Q.T

    return denoise


@checked(covariance=positive_semidefinite)
def gaussian_noise_left(schedule: NoiseSchedule, covariance: Float[ndarray, "d d"]) -> Float[Tensor, "_"]:
    """The loss of the best denoiser of Gaussian data at t = 0, …, T: the variance of ε given xₜ, mean over d.

    (1/d) Σⱼ ᾱₜλⱼ/(ᾱₜλⱼ + 1 − ᾱₜ),  λⱼ the eigenvalues of S      {eq}`eq-diffusion-floor`
    """
    lam = _tensor("covariance", np.maximum(np.linalg.eigvalsh(covariance), 0), schedule)
    signal = schedule.signal[:, None] ** 2 * lam  # (T + 1, d)
    total = signal + schedule.noise[:, None] ** 2
    return torch.where(total > 0, signal / total.where(total > 0, torch.ones_like(total)), 1.0).mean(dim=1)


@checked(variance=at_least(0), weights=above(0))
def mixture_denoiser(
    schedule: NoiseSchedule,
    means: Float[ndarray, "k d"],
    variance: float = 0.0,
    weights: Float[ndarray, "k"] | None = None,
) -> Denoise:
    """The expected noise in xₜ when the data are a mixture of round Gaussians N(cᵢ, ρ²I).

    rᵢ ∝ wᵢ·N(xₜ; √ᾱₜcᵢ, uₜI),  uₜ = ᾱₜρ² + 1 − ᾱₜ,  E[ε | xₜ] = √(1 − ᾱₜ)/uₜ·(xₜ − √ᾱₜ Σᵢ rᵢcᵢ)
                                                       {eq}`eq-diffusion-mixture`

    With ρ² = 0 and the training set as means it is what a network with no limits would learn from that set;
    then t must be at least 1, because at t = 0 there is no noise to expect.
    """
    w = np.ones(len(means)) if weights is None else weights
    centres = _tensor("means", means, schedule)
    log_w = _tensor("weights", np.log(w / w.sum()), schedule)

    @checked
    def denoise(x_t: Float[Tensor, "n d"], t: Step) -> Float[Tensor, "n d"]:
        require(
            x_t.shape[1:] == centres.shape[1:], "x_t", f"have {centres.shape[1]} columns", tuple(x_t.shape)
        )
        signal, noise = (schedule.at(one, t, x_t) for one in (schedule.signal, schedule.noise))
        u = signal**2 * variance + noise**2
        # −‖xₜ − √ᾱc‖²/2u without ‖xₜ‖², which is the same for all i: (n, d) @ (d, k) -> (n, k)
        fit = (signal * (x_t @ centres.T) - signal**2 * (centres**2).sum(dim=1) / 2) / u
        r = torch.softmax(log_w + fit, dim=1)
        return noise / u * (x_t - signal * (r @ centres))

    return denoise
