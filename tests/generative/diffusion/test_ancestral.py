"""Ancestral sampling on data whose best denoiser is known, so that only the walk can be wrong."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from chapters_src.generative.diffusion.ancestral import expected_noise, sample_ancestral
from chapters_src.generative.diffusion.optimal import gaussian_denoiser, mixture_denoiser
from chapters_src.generative.diffusion.schedule import NoiseSchedule, linear_schedule

torch.set_num_threads(1)
double = {"dtype": torch.float64, "device": "cpu"}
schedule = linear_schedule(200, 5e-4, 0.1, **double)  # ᾱ_T = 3·10⁻⁵, like the published one, in fewer steps
MEAN, S = np.array([0.5, -1.0]), np.array([[1.2, 0.6], [0.6, 0.5]])
gaussian = gaussian_denoiser(schedule, MEAN, S)


def seeded(n):
    return torch.Generator().manual_seed(n)


def noise(n, d=2, seed=0):
    return torch.randn(n, d, generator=seeded(seed), dtype=torch.float64)


@pytest.mark.parametrize("kind", ["posterior", "beta"])
def test_mean_and_covariance_are_those_of_the_linear_walk(kind):
    """For Gaussian data each step is linear, so mean and covariance can be carried along exactly."""
    bar, beta = schedule.alpha_bar.numpy(), schedule.beta.numpy()
    m, C, eye = np.zeros(2), np.eye(2), np.eye(2)
    for t in range(schedule.T, 0, -1):
        K = np.linalg.inv(bar[t] * S + (1 - bar[t]) * eye)  # minus the score is K(x − √ᾱ m)
        A = (eye - beta[t] * K) / np.sqrt(1 - beta[t])  # (x + β·score)/√α
        m = A @ m + beta[t] * K @ MEAN * np.sqrt(bar[t]) / np.sqrt(1 - beta[t])
        tilde = beta[t] * (1 - bar[t - 1]) / (1 - bar[t])
        C = A @ C @ A.T + (0 if t == 1 else tilde if kind == "posterior" else beta[t]) * eye
    x = sample_ancestral(gaussian, schedule, noise(20_000), seeded(1), kind).numpy()
    np.testing.assert_allclose(x.mean(axis=0), m, atol=0.04)
    np.testing.assert_allclose(np.cov(x.T), C, atol=0.05)


def test_ancestral_variances():
    """Too small a variance for wide data, too large for a point: the truth lies between."""
    wide = gaussian_denoiser(schedule, np.zeros(2), np.eye(2))
    spread = {
        kind: sample_ancestral(wide, schedule, noise(4000), seeded(4), kind).var().item()
        for kind in ("posterior", "beta")
    }
    assert spread["posterior"] < spread["beta"]
    assert spread["beta"] == pytest.approx(1.0, abs=0.05)  # exact for standard normal data
    point = gaussian_denoiser(schedule, np.ones(2), np.zeros((2, 2)))
    np.testing.assert_allclose(sample_ancestral(point, schedule, noise(50), seeded(5)), 1.0, atol=1e-6)


def test_the_last_ancestral_step_adds_no_noise():
    point = np.array([[0.7, -0.2]])  # β₁ is not 0, so noise at the last step would be seen
    denoise = mixture_denoiser(schedule, point)
    x = sample_ancestral(denoise, schedule, noise(50), seeded(1), variance="beta")
    np.testing.assert_allclose(x.numpy(), np.tile(point, (50, 1)), atol=1e-9)


def test_expected_noise_by_hand():
    """The estimate is cut on both sides, and the noise is what then led from it to xₜ."""
    x = torch.tensor([[-3.0, -0.2, 0.4, 2.0]], dtype=torch.float64)
    eps, x_0 = expected_noise(lambda x, t: torch.full_like(x, 0.1), schedule, x, 50, clip=1.0)
    signal, rest = schedule.alpha_bar[50] ** 0.5, (1 - schedule.alpha_bar[50]) ** 0.5
    np.testing.assert_allclose(x_0, ((x - rest * 0.1) / signal).clamp(-1, 1), rtol=1e-12)
    np.testing.assert_allclose(signal * x_0 + rest * eps, x, rtol=1e-12)
    free, _ = expected_noise(lambda x, t: torch.full_like(x, 0.1), schedule, x, 50)
    assert torch.equal(free, torch.full_like(x, 0.1))


def test_the_denoiser_gets_one_step_for_each_row():
    seen = []

    def denoise(x, t):
        seen.append(t)
        return torch.zeros_like(x)

    sample_ancestral(denoise, schedule, noise(3), seeded(0))
    assert [int(t[0]) for t in seen] == list(range(200, 0, -1)) and seen[0].shape == (3,)


def test_meta_device():
    there = NoiseSchedule(np.full(4, 0.3), device="meta")
    denoise = mixture_denoiser(there, np.ones((5, 2)), 0.1)
    assert sample_ancestral(denoise, there, torch.ones(3, 2, device="meta"), seeded(0)).device.type == "meta"


X = torch.ones(3, 2, dtype=torch.float64)
g = seeded(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sample_ancestral(gaussian, schedule, X, None),
            "sample_ancestral: generator must be a torch.Gen",
        ),
        (
            lambda: sample_ancestral(gaussian, schedule, X, g, "big"),
            "sample_ancestral: variance must be one of 'posterior', 'beta'",
        ),
        (
            lambda: sample_ancestral(gaussian, schedule, X, g, clip=0),
            "sample_ancestral: clip must be above 0",
        ),
        (
            lambda: expected_noise(gaussian, schedule, X, 0),
            "expected_noise: t must be at least 1 and at most 200; got 0",
        ),
        (
            lambda: expected_noise(lambda x, t: x[:1], schedule, X, 5),
            r"expected_noise: denoise must return a tensor of shape \(3, 2\); got \(1, 2\)",
        ),
        (
            lambda: expected_noise(lambda x, t: None, schedule, X, 5),
            "expected_noise: denoise must return a tensor of shape .* got a NoneType",
        ),
        (
            lambda: expected_noise(lambda x, t: x.float(), schedule, X, 5),
            "expected_noise: denoise must return torch.float64 on cpu, as x_t is",
        ),
        (
            lambda: expected_noise(lambda x, t: nn.Linear(2, 2)(x), schedule, X, 5),
            r"expected_noise: denoise must take torch.float64 of shape \(3, 2\), as x_t is; got Runtime",
        ),
        (
            lambda: sample_ancestral(lambda x, t: nn.Linear(2, 2)(x), schedule, X, g),
            "expected_noise: denoise must take torch.float64",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
