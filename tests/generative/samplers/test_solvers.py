"""Solvers of the flow on data whose exact paths are known: on a line every point keeps its quantile."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.stats import norm

from chapters_src.generative.diffusion import gaussian_denoiser, linear_schedule, mixture_denoiser
from chapters_src.generative.samplers import dpm_step, generalised_step, heun_step, sample, solve

torch.set_num_threads(1)
schedule = linear_schedule(1000, dtype=torch.float64)
MEANS, WEIGHTS, V = np.array([-1.5, 0.2, 1.2]), np.array([0.3, 0.2, 0.5]), 0.04
denoise = mixture_denoiser(schedule, MEANS[:, None], V, WEIGHTS)
TOP = float(schedule.noise[-1] / schedule.signal[-1])


def quantile(u, level):
    spread = np.sqrt(V + level**2)
    return brentq(lambda x: WEIGHTS @ norm.cdf((x - MEANS) / spread) - u, -4e3, 4e3, xtol=1e-12)


U = (np.arange(20) + 0.5) / 20  # none at a border between two parts, where the truth jumps
START = torch.tensor([[quantile(u, TOP)] for u in U], dtype=torch.float64) * schedule.signal[-1]
TRUTH = np.array([quantile(u, 0.0) for u in U])


def off(steps, solver, power=2):
    return np.abs(solve(denoise, schedule, START, steps, solver, power)[:, 0].numpy() - TRUTH).mean()


def test_the_quantiles_are_what_a_library_finds():
    def slope(level, x):
        r = WEIGHTS * norm.pdf(x[:, None], MEANS, np.sqrt(V + level**2))
        return level * (x - r @ MEANS / r.sum(axis=1)) / (V + level**2)

    start = np.array([quantile(u, 5.0) for u in U])
    found = solve_ivp(slope, (5.0, 0.0), start, rtol=1e-9, atol=1e-10).y[:, -1]
    np.testing.assert_allclose(found, TRUTH, atol=1e-6)


@pytest.mark.parametrize("solver", ["heun", "dpm"])
def test_second_order(solver):
    errors = [off(steps, solver) for steps in (20, 40, 80)]
    assert errors[0] / errors[1] > 2.8 and errors[1] / errors[2] > 2.8
    first = np.abs(sample(denoise, schedule, START, 40)[:, 0].numpy() - TRUTH).mean()
    assert errors[1] < first / 4


def test_one_call_per_step_and_two():
    for solver, calls in (("dpm", 10), ("heun", 19)):  # the last step of Heun's has one slope
        seen = []

        def counted(x, t, seen=seen):
            seen.append(int(t[0]))
            return denoise(x, t)

        solve(counted, schedule, START, 10, solver)
        assert len(seen) == calls and min(seen) >= 1


def test_the_first_step_is_the_deterministic_one():
    eps = denoise(START, 1000)
    x_0 = (START - schedule.noise[1000] * eps) / schedule.signal[1000]
    np.testing.assert_allclose(
        dpm_step(schedule, START, x_0, 1000, 600),
        generalised_step(schedule, START, eps, 1000, 600),
        rtol=1e-10,
        atol=1e-10,
    )


def test_a_second_step_by_hand():
    """λ and the guess in the middle, with numbers that can be followed."""
    x, now, before = (torch.tensor([[value]], dtype=torch.float64) for value in (0.5, 1.0, 0.6))
    a, b = schedule.signal.numpy(), schedule.noise.numpy()
    lam = {t: np.log(a[t] / b[t]) for t in (800, 600, 450)}
    guess = 1.0 + (lam[450] - lam[600]) / (lam[600] - lam[800]) / 2 * 0.4
    expected = b[450] / b[600] * 0.5 + a[450] * (1 - np.exp(lam[600] - lam[450])) * guess
    found = dpm_step(schedule, x, now, 600, 450, before, 800)
    assert found.item() == pytest.approx(expected, rel=1e-12)
    assert dpm_step(schedule, x, now, 600, 0, before, 800).item() == pytest.approx(1.0)


def test_heun_on_standard_normal_data_by_angles():
    """Euler multiplies x by cos δ; Heun averages the slopes ε̂ = sin φ·x at both ends."""
    wide = gaussian_denoiser(schedule, np.zeros(1), np.eye(1))
    p, q = (np.arctan2(schedule.noise[t].item(), schedule.signal[t].item()) for t in (300, 270))
    x = torch.ones(1, 1, dtype=torch.float64)
    slope = (np.sin(p) + np.sin(q) * np.cos(p - q)) / 2
    expected = np.cos(q) * (1 / np.cos(p) + (np.tan(q) - np.tan(p)) * slope)
    assert heun_step(wide, schedule, x, 300, 270).item() == pytest.approx(expected, rel=1e-9)
    assert abs(expected - 1) < abs(np.cos(p - q) - 1)  # nearer to the truth, 1


@pytest.mark.parametrize("solver", ["heun", "dpm"])
def test_clipped_guesses_end_within_limits(solver):
    assert solve(denoise, schedule, START, 12, solver, clip=0.5).abs().max() <= 0.5 + 1e-9


X = torch.ones(2, 1, dtype=torch.float64)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: solve(denoise, schedule, X, 0), "solve: steps must be at least 1"),
        (lambda: solve(denoise, schedule, X, 5, "euler"), "solve: solver must be one of 'dpm', 'heun'"),
        (lambda: solve(denoise, schedule, X, 5, power=5), "solve: power must be at least 1 and at most 4"),
        (lambda: dpm_step(schedule, X, X, 5, 5), "dpm_step: s must be at least 0 and at most 4"),
        (lambda: dpm_step(schedule, X, X, 5, 2, X), "dpm_step: u must be given with x_0_before"),
        (lambda: dpm_step(schedule, X, X, 5, 2, X, 5), "dpm_step: u must be above t = 5"),
        (lambda: heun_step(denoise, schedule, X, 0, 0), "heun_step: t must be at least 1"),
        (lambda: heun_step(denoise, schedule, X, 5, 2, clip=0), "heun_step: clip must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
