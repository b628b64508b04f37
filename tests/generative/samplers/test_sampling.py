"""Samplers on data whose best denoiser is known, so that only the walk can be wrong."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.diffusion import sample_ancestral
from chapters_src.generative.diffusion.optimal import gaussian_denoiser, mixture_denoiser
from chapters_src.generative.diffusion.schedule import NoiseSchedule, linear_schedule
from chapters_src.generative.gan.energy import energy_distance, expected_energy_distance
from chapters_src.generative.samplers.sampling import (
    generalised_step,
    sample,
    timesteps,
    walk_back,
)

torch.set_num_threads(1)
double = {"dtype": torch.float64, "device": "cpu"}
schedule = linear_schedule(200, 5e-4, 0.1, **double)  # ᾱ_T = 3·10⁻⁵, like the published one, in fewer steps
MEAN, S = np.array([0.5, -1.0]), np.array([[1.2, 0.6], [0.6, 0.5]])
gaussian = gaussian_denoiser(schedule, MEAN, S)


def seeded(n):
    return torch.Generator().manual_seed(n)


def noise(n, d=2, seed=0):
    return torch.randn(n, d, generator=seeded(seed), dtype=torch.float64)


@given(st.integers(1, 2000), st.data())
def test_timesteps_fall_from_T_to_0_evenly(T, data):
    steps = data.draw(st.integers(1, T))
    times = timesteps(T, steps)
    gaps = -np.diff(times)
    assert (times[0], times[-1], len(times)) == (T, 0, steps + 1)
    assert gaps.min() >= 1 and gaps.max() - gaps.min() <= 1


def test_timesteps_of_the_chapter():
    assert timesteps(1000, 25)[:3] == [1000, 960, 920]
    assert timesteps(10, 10) == list(range(10, -1, -1))
    assert timesteps(10, 4) == [10, 8, 5, 3, 0]


def closed_form(eta, steps, variance=None):
    """Mean and covariance of the samples of a Gaussian, by carrying both through the linear steps."""
    bar = schedule.alpha_bar.numpy()
    m, C, eye = np.zeros(2), np.eye(2), np.eye(2)
    times = timesteps(schedule.T, steps)
    for t, s in itertools.pairwise(times):
        K = np.sqrt(1 - bar[t]) * np.linalg.inv(bar[t] * S + (1 - bar[t]) * eye)  # ε̂ = K(x − √ᾱ m)
        sigma2 = eta**2 * (1 - bar[s]) / (1 - bar[t]) * (1 - bar[t] / bar[s])
        scale = np.sqrt(bar[s] / bar[t])
        push = np.sqrt(max(1 - bar[s] - sigma2, 0)) - scale * np.sqrt(1 - bar[t])
        A = scale * eye + push * K
        m = A @ m - push * K @ (np.sqrt(bar[t]) * MEAN)
        C = A @ C @ A.T + (sigma2 if s else 0) * eye
    return m, C


@pytest.mark.parametrize(("eta", "steps"), [(0.0, 200), (0.0, 20), (0.5, 50), (1.0, 200), (1.0, 10)])
def test_every_sampler_does_what_its_formula_says(eta, steps):
    """The walk is linear for Gaussian data, so its mean and covariance can be carried along exactly."""
    x = sample(gaussian, schedule, noise(20_000), steps, eta, seeded(1)).numpy()
    mean, covariance = closed_form(eta, steps)
    np.testing.assert_allclose(x.mean(axis=0), mean, atol=0.04)
    np.testing.assert_allclose(np.cov(x.T), covariance, atol=0.05)


@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_all_steps_with_the_best_denoiser_give_the_data(eta):
    mean, covariance = closed_form(eta, 200)
    np.testing.assert_allclose(mean, MEAN, atol=0.02)
    np.testing.assert_allclose(covariance, S, atol=0.06)  # 200 steps are not infinitely many


def test_ancestral_is_the_generalised_walk_with_eta_one():
    """Two derivations of one step: completing the square, and matching the marginals."""
    x_T = noise(50)
    one = sample_ancestral(gaussian, schedule, x_T, seeded(3))
    other = sample(gaussian, schedule, x_T, None, 1.0, seeded(3))
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


def test_a_deterministic_walk_needs_no_generator_and_repeats_itself():
    x_T = noise(30)
    first, second = (sample(gaussian, schedule, x_T, 15) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, sample(gaussian, schedule, noise(30, seed=9), 15))


def test_the_second_order_gets_there_in_fewer_steps():
    x_T = noise(300)
    exact = sample(gaussian, schedule, x_T, 200, order=2)
    off = {
        (order, steps): (sample(gaussian, schedule, x_T, steps, order=order) - exact).abs().mean().item()
        for order in (1, 2)
        for steps in (20, 40)
    }
    assert off[2, 20] < off[1, 20] / 3
    assert off[1, 20] / off[1, 40] == pytest.approx(2, abs=0.5)  # first order
    assert off[2, 20] / off[2, 40] > 3  # second order: four in the limit


def test_a_mixture_is_sampled_as_well_as_it_can_be():
    rng = np.random.default_rng(0)
    angles = np.arange(8) * np.pi / 4
    centres = 1.4 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    truth = centres[rng.integers(8, size=1000)] + 0.1 * rng.standard_normal((1000, 2))
    denoise = mixture_denoiser(schedule, centres, 0.01)
    x = sample(denoise, schedule, noise(1000, seed=2), 50, order=2)
    assert energy_distance(x, truth) < 2.5 * expected_energy_distance(truth, 1000, 1000)


def test_the_walk_tells_where_it_is():
    places = list(walk_back(gaussian, schedule, noise(4), 10))
    assert [place.t for place in places] == timesteps(200, 10)
    assert torch.equal(places[0].x, noise(4))
    assert torch.equal(places[-1].x, sample(gaussian, schedule, noise(4), 10))


def test_clip_keeps_estimates_within_limits():
    def wild(x, t):
        return torch.zeros_like(x)

    for place in walk_back(wild, schedule, noise(20), 20, clip=1.0):
        assert place.x_0.abs().max() <= 1 + 1e-12


def test_a_clipped_step_by_hand():
    """The estimate is cut on both sides, and the noise is what then led from it to xₜ."""
    x = torch.tensor([[-3.0, -0.2, 0.4, 2.0]], dtype=torch.float64)
    first, last = walk_back(lambda x, t: torch.zeros_like(x), schedule, x, 1, clip=1.0)
    x_0 = (x / schedule.signal[200]).clamp(-1, 1)
    np.testing.assert_allclose(first.x_0, x_0, rtol=1e-12)
    np.testing.assert_allclose(last.x, x_0, rtol=1e-12)
    second = list(walk_back(lambda x, t: torch.zeros_like(x), schedule, x, 2, clip=1.0))[1]
    eps = (x - schedule.signal[200] * x_0) / schedule.noise[200]
    expected = schedule.signal[100] * x_0 + schedule.noise[100] * eps
    np.testing.assert_allclose(second.x, expected, rtol=1e-12)


@settings(max_examples=20)
@given(st.integers(2, 200), st.floats(0, 1), st.data())
def test_a_step_keeps_the_marginals(t, eta, data):
    """From xₜ = √ᾱₜx₀ + √(1−ᾱₜ)ε with the true ε, xₛ has the mean √ᾱₛx₀ and the variance 1 − ᾱₛ."""
    s = data.draw(st.integers(1, t - 1))
    n, x_0 = 4000, 0.7
    eps = noise(n, 1, seed=t)
    x_t = schedule.signal[t] * x_0 + schedule.noise[t] * eps
    x_s = generalised_step(schedule, x_t, eps, t, s, eta, seeded(s))
    rest = schedule.noise[s].item() ** 2
    assert x_s.mean().item() == pytest.approx(schedule.signal[s].item() * x_0, abs=6 * (rest / n) ** 0.5)
    assert x_s.var().item() == pytest.approx(rest, rel=0.2)


def test_meta_device():
    there = NoiseSchedule(np.full(4, 0.3), device="meta")
    x = torch.ones(3, 2, device="meta")
    denoise = mixture_denoiser(there, np.ones((5, 2)), 0.1)
    g = seeded(0)
    assert sample(denoise, there, x, 2, order=2).device.type == "meta"
    assert sample(denoise, there, x, 3, 0.5, g).device.type == "meta"


X = torch.ones(3, 2, dtype=torch.float64)
g = seeded(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: timesteps(10, 11), "timesteps: steps must be at least 1 and at most 10; got 11"),
        (lambda: timesteps(0, 1), "timesteps: T must be at least 1"),
        (lambda: sample(gaussian, schedule, X, 0), "sample: steps must be at least 1"),
        (lambda: sample(gaussian, schedule, X, "5"), "sample: steps must be a whole number"),
        (
            lambda: sample(gaussian, schedule, X, 5, 1.5, g),
            "sample: eta must be at least 0 and at most 1",
        ),
        (
            lambda: sample(gaussian, schedule, X, 5, 0.5),
            "walk_back: generator must be a torch.Generator",
        ),
        (
            lambda: sample(gaussian, schedule, X, 5, 0.5, g, order=2),
            "walk_back: order must be 1 where the walk draws",
        ),
        (
            lambda: sample(gaussian, schedule, X, 5, order=3),
            "sample: order must be at least 1 and at most 2",
        ),
        (lambda: sample(None, schedule, X, 5), "sample: denoise must be a function"),
        (
            lambda: sample(lambda x, t: x[:1], schedule, X, 5),
            r"expected_noise: denoise must return a tensor of shape \(3, 2\)",
        ),
        (
            lambda: sample(lambda x, t: torch.nn.Linear(2, 2)(x), schedule, X, 5),
            r"expected_noise: denoise must take torch.float64 of shape \(3, 2\), as x_t is; got Runtime",
        ),
        (lambda: sample(gaussian, None, X, 5), "sample: schedule must be a NoiseSchedule"),
        (lambda: sample(gaussian, schedule, X.numpy(), 5), "sample: x_T must be a tensor of floats"),
        (lambda: sample(gaussian, schedule, X, 5, clip=0), "sample: clip must be above 0"),
        (
            lambda: generalised_step(schedule, X, X, 5, 5),
            "generalised_step: s must be at least 0 and at most 4; got 5",
        ),
        (lambda: generalised_step(schedule, X, X, 0, 0), "generalised_step: t must be at least 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(
    st.one_of(
        st.none(), st.text(max_size=3), st.floats(allow_nan=True), st.integers(201), st.integers(max_value=0)
    )
)
def test_any_other_number_of_steps_is_refused(bad):
    if bad is None:
        return
    with pytest.raises(ValueError, match="steps must be"):
        walk_back(gaussian, schedule, X, bad)  # at the call, before anything is asked of the walk
