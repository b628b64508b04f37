"""The best denoisers against quadrature, autograd of the noisy density, and regression on samples."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from chapters_src.generative.diffusion.optimal import gaussian_denoiser, gaussian_noise_left, mixture_denoiser
from chapters_src.generative.diffusion.schedule import linear_schedule, noised

torch.set_num_threads(1)
schedule = linear_schedule(1000, dtype=torch.float64, device="cpu")
MEAN, S = np.array([0.5, -1.0]), np.array([[1.2, 0.6], [0.6, 0.5]])


def gaussian_log_density(mean, covariance, x):
    return torch.distributions.MultivariateNormal(mean, covariance).log_prob(x)


@pytest.mark.parametrize("t", [1, 100, 700, 1000])
def test_gaussian_against_the_score_by_autograd(t):
    """−√(1 − ᾱ)·∇ log q(xₜ), with the density of xₜ from torch.distributions."""
    bar = schedule.alpha_bar[t]
    covariance = bar * torch.tensor(S) + (1 - bar) * torch.eye(2, dtype=torch.float64)
    x = torch.randn(6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(t)).requires_grad_()
    (score,) = torch.autograd.grad(
        gaussian_log_density(bar.sqrt() * torch.tensor(MEAN), covariance, x).sum(), x
    )
    found = gaussian_denoiser(schedule, MEAN, S)(x.detach(), torch.full((6,), t))
    np.testing.assert_allclose(found, -((1 - bar) ** 0.5) * score, rtol=1e-9, atol=1e-12)


def test_gaussian_against_regression():
    """The conditional mean of Gaussians is linear, so least squares on samples has to find it."""
    rng, t = np.random.default_rng(0), 300
    x_0 = torch.tensor(rng.multivariate_normal(MEAN, S, 40_000))
    eps = torch.tensor(rng.standard_normal((40_000, 2)))
    x_t = noised(schedule, x_0, t, eps)
    fit = LinearRegression().fit(x_t, eps)
    best = gaussian_denoiser(schedule, MEAN, S)(x_t, t)
    np.testing.assert_allclose(fit.predict(x_t)[:500], best[:500], atol=0.05)
    assert ((eps - best) ** 2).mean().item() == pytest.approx(
        gaussian_noise_left(schedule, S)[t].item(), rel=0.02
    )


def test_standard_normal_data_need_no_network():
    x = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    t = torch.tensor([1, 50, 400, 999, 1000])
    best = gaussian_denoiser(schedule, np.zeros(3), np.eye(3))(x, t)
    np.testing.assert_allclose(best, schedule.noise[t][:, None] * x, rtol=1e-10)
    np.testing.assert_allclose(gaussian_noise_left(schedule, np.eye(3)), schedule.alpha_bar, rtol=1e-10)


def test_a_flat_direction_is_all_noise():
    flat = np.diag([1.0, 0.0])
    x = torch.tensor([[0.3, 0.7]], dtype=torch.float64)
    found = gaussian_denoiser(schedule, np.zeros(2), flat)(x, 500)
    assert found[0, 1].item() == pytest.approx(0.7 / schedule.noise[500].item(), rel=1e-10)
    left = gaussian_noise_left(schedule, flat)
    assert left[500].item() == pytest.approx(schedule.alpha_bar[500].item() / 2, rel=1e-10)


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.integers(1, 1000), st.sampled_from([0.0, 0.04, 1.0]))
def test_mixture_against_the_score_by_autograd(seed, t, variance):
    rng = np.random.default_rng(seed)
    means, weights = rng.standard_normal((4, 2)), rng.uniform(0.2, 2.0, 4)
    bar = schedule.alpha_bar[t]
    x = torch.tensor(rng.standard_normal((5, 2))).requires_grad_()
    parts = torch.distributions.MixtureSameFamily(
        torch.distributions.Categorical(torch.tensor(weights)),
        torch.distributions.Independent(
            torch.distributions.Normal(
                bar.sqrt() * torch.tensor(means), (bar * variance + 1 - bar).sqrt().expand(4, 2)
            ),
            1,
        ),
    )
    (score,) = torch.autograd.grad(parts.log_prob(x).sum(), x)
    found = mixture_denoiser(schedule, means, variance, weights)(x.detach(), t)
    np.testing.assert_allclose(found, -((1 - bar) ** 0.5) * score, rtol=1e-6, atol=1e-9)


def test_two_points_give_a_hyperbolic_tangent():
    """Data at ±1: E[x₀ | xₜ] = tanh(√ᾱ·xₜ/(1 − ᾱ)), a textbook case."""
    x, t = torch.linspace(-2, 2, 9, dtype=torch.float64)[:, None], 400
    eps = mixture_denoiser(schedule, np.array([[-1.0], [1.0]]))(x, t)
    bar = schedule.alpha_bar[t]
    x_0 = (x - (1 - bar).sqrt() * eps) / bar.sqrt()
    np.testing.assert_allclose(x_0, torch.tanh(bar.sqrt() * x / (1 - bar)), rtol=1e-9)


def test_one_wide_component_is_a_gaussian():
    x = torch.randn(4, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    one = mixture_denoiser(schedule, MEAN[None], 0.3)(x, 200)
    np.testing.assert_allclose(one, gaussian_denoiser(schedule, MEAN, 0.3 * np.eye(2))(x, 200), rtol=1e-9)


def test_meta_device():
    there = linear_schedule(20, device="meta")
    x, t = torch.ones(3, 2, device="meta"), torch.ones(3, dtype=torch.long, device="meta")
    for denoise in (gaussian_denoiser(there, MEAN, S), mixture_denoiser(there, np.ones((5, 2)), 0.1)):
        assert denoise(x, t).shape == (3, 2)
    assert gaussian_noise_left(there, S).device.type == "meta"


X = torch.ones(2, 2, dtype=torch.float64)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_denoiser(None, MEAN, S), "gaussian_denoiser: schedule must be a NoiseSchedule"),
        (
            lambda: gaussian_denoiser(schedule, MEAN, S[:1]),
            r"gaussian_denoiser: covariance must have shape \(2, 2\)",
        ),
        (
            lambda: gaussian_denoiser(schedule, MEAN, [[1, 2], [0, 1]]),
            "gaussian_denoiser: covariance must be symm",
        ),
        (
            lambda: gaussian_denoiser(schedule, MEAN, -S),
            "gaussian_denoiser: covariance must have no negative eigenvalues; got one of -",
        ),
        (
            lambda: gaussian_denoiser(schedule, MEAN, S)(X[:, :1], 1),
            "denoise: x_t must have 2 columns",
        ),
        (
            lambda: gaussian_denoiser(schedule, MEAN, S)(X.numpy(), 1),
            "denoise: x_t must be a tensor",
        ),
        (lambda: gaussian_noise_left(schedule, MEAN), "gaussian_noise_left: covariance must have two axes"),
        (
            lambda: gaussian_noise_left(linear_schedule(4), 1e154 * np.eye(2)),
            r"gaussian_noise_left: covariance must fit into torch.float32; got 1e\+154",
        ),
        (lambda: mixture_denoiser(schedule, MEAN), "mixture_denoiser: means must have two axes"),
        (lambda: mixture_denoiser(schedule, S, -1), "mixture_denoiser: variance must be at least 0"),
        (
            lambda: mixture_denoiser(schedule, S, 0, [1, 0]),
            "mixture_denoiser: weights must be above 0; got 0",
        ),
        (lambda: mixture_denoiser(schedule, S, 0, [1]), r"mixture_denoiser: weights must have shape \(2,\)"),
        (lambda: mixture_denoiser(schedule, S)(X[:, :1], 1), "denoise: x_t must have 2 columns"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(st.one_of(st.none(), st.text(max_size=3), st.just([]), st.just([[np.nan]]), st.builds(object)))
def test_anything_else_is_refused(bad):
    for call in (
        lambda: gaussian_denoiser(schedule, bad, S),
        lambda: gaussian_denoiser(schedule, MEAN, bad),
        lambda: mixture_denoiser(schedule, bad),
    ):
        with pytest.raises(ValueError, match="must"):
            call()
