"""Diffusion: data turn into noise step by step, and a network learns the way back."""

from chapters_src.generative.diffusion.ancestral import expected_noise, sample_ancestral
from chapters_src.generative.diffusion.denoiser import (
    Denoiser,
    denoising_loss,
    fit_denoiser,
    time_features,
)
from chapters_src.generative.diffusion.optimal import gaussian_denoiser, gaussian_noise_left, mixture_denoiser
from chapters_src.generative.diffusion.schedule import (
    NoiseSchedule,
    Step,
    cosine_schedule,
    linear_schedule,
    noised,
    posterior,
    signal_to_noise,
    x_0_from_eps,
)

__all__ = [
    "Denoiser",
    "NoiseSchedule",
    "Step",
    "cosine_schedule",
    "denoising_loss",
    "expected_noise",
    "fit_denoiser",
    "gaussian_denoiser",
    "gaussian_noise_left",
    "linear_schedule",
    "mixture_denoiser",
    "noised",
    "posterior",
    "sample_ancestral",
    "signal_to_noise",
    "time_features",
    "x_0_from_eps",
]
