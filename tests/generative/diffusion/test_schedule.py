"""The forward chain against simulation step by step, the posterior against numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from chapters_src.generative.diffusion.schedule import (
    NoiseSchedule,
    cosine_schedule,
    linear_schedule,
    noised,
    posterior,
    signal_to_noise,
    x_0_from_eps,
)

torch.set_num_threads(1)
double = {"dtype": torch.float64, "device": "cpu"}
betas = st.lists(st.floats(1e-4, 0.95), min_size=1, max_size=12)


def tensor(values):
    return torch.tensor(np.asarray(values), dtype=torch.float64)


class TestPublishedSchedule:
    """Ho and others (2020): 10⁻⁴ to 0.02 in 1,000 steps."""

    schedule = linear_schedule(1000, **double)

    def test_ends_and_indices(self):
        beta = self.schedule.beta
        assert beta.shape == (1001,)
        assert beta[[0, 1, 1000]].tolist() == pytest.approx([0, 1e-4, 0.02], abs=1e-15)
        np.testing.assert_allclose(np.diff(beta[1:].numpy()), (0.02 - 1e-4) / 999, rtol=1e-9)

    @pytest.mark.parametrize(
        ("t", "value"), [(0, 1.0), (1, 0.9999), (100, 0.897018), (500, 0.0785872), (1000, 4.03583e-5)]
    )
    def test_alpha_bar(self, t, value):
        assert self.schedule.alpha_bar[t].item() == pytest.approx(value, rel=8e-7)
        assert self.schedule.signal[t].item() == pytest.approx(value**0.5, rel=5e-7)

    def test_half_is_passed_at_260(self):
        assert (self.schedule.alpha_bar < 0.5).nonzero()[0].item() == 260

    def test_fewer_steps_in_the_same_range_do_not_reach_noise(self):
        ends = [linear_schedule(T, **double).alpha_bar[-1].item() for T in (10, 100, 500)]
        assert ends == pytest.approx([0.9037, 0.3636, 0.006353], rel=2e-4)

    def test_float32_buffers_are_rounded_once(self):
        """Computed in float32, 1 − ᾱ₁ would be wrong in the fourth digit."""
        single = linear_schedule(1000, device="cpu")
        for name, exact in self.schedule.named_buffers():
            mine = dict(single.named_buffers())[name]
            assert mine.dtype == torch.float32
            np.testing.assert_allclose(mine, exact, rtol=1e-7, atol=1e-30)


def test_cosine_follows_the_squared_cosine():
    schedule = cosine_schedule(1000, **double)
    share = np.arange(1001) / 1000
    f = np.cos(np.pi / 2 * (share + 0.008) / 1.008) ** 2
    np.testing.assert_allclose(schedule.alpha_bar[:-1], (f / f[0])[:-1], rtol=1e-9)
    assert schedule.beta.max().item() == pytest.approx(0.999)
    assert 0 < schedule.alpha_bar[-1].item() < 1e-8


@given(betas)
def test_buffers_by_their_definitions(beta):
    schedule = NoiseSchedule(np.array(beta), **double)
    bar = 1.0
    for t, b in enumerate(beta, start=1):
        before, bar = bar, bar * (1 - b)
        assert schedule.alpha[t].item() == pytest.approx(1 - b, rel=1e-12)
        assert schedule.alpha_bar[t].item() == pytest.approx(bar, rel=1e-10)
        assert schedule.noise[t].item() ** 2 == pytest.approx(1 - bar, rel=1e-9)
        assert schedule.posterior_variance[t].item() == pytest.approx(b * (1 - before) / (1 - bar), rel=1e-7)
        assert schedule.posterior_variance[t] <= schedule.beta[t] + 1e-15
    assert (schedule.alpha_bar.diff() < 0).all()
    snr = signal_to_noise(schedule)
    assert snr[0] == torch.inf and (snr[1:].diff() < 0).all()
    torch.testing.assert_close(snr[1:], (1 / schedule.alpha_bar[1:] - 1) ** -1, rtol=1e-7, atol=0)


def test_one_jump_is_as_good_as_three_hundred_steps():
    """x₀ = 2 at t = 300: mean 1.2592 and variance 0.6036, in the formula and in 40,000 chains."""
    schedule = linear_schedule(1000, **double)
    mean = noised(schedule, tensor([[2.0]]), 300, tensor([[0.0]])).item()
    assert mean == pytest.approx(1.2592, abs=5e-5)
    assert 1 - schedule.alpha_bar[300].item() == pytest.approx(0.6036, abs=5e-5)
    rng, x = np.random.default_rng(0), np.full(40_000, 2.0)
    for t in range(1, 301):
        beta = schedule.beta[t].item()
        x = np.sqrt(1 - beta) * x + np.sqrt(beta) * rng.standard_normal(len(x))
    assert x.mean() == pytest.approx(1.2592, abs=4 * (0.6036 / 40_000) ** 0.5)
    assert x.var() == pytest.approx(0.6036, abs=4 * 0.6036 * (2 / 40_000) ** 0.5)


@settings(max_examples=15)
@given(betas, st.floats(-2, 2), st.floats(-2, 2), st.data())
def test_posterior_by_numerical_integration(beta, x_0, x_t, data):
    """Bayes' rule with densities of scipy and an integral of scipy: no algebra of ours."""
    if len(beta) < 2:
        return
    t = data.draw(st.integers(2, len(beta)))
    before = float(np.prod(1 - np.array(beta[: t - 1])))
    prior = stats.norm(before**0.5 * x_0, (1 - before) ** 0.5)

    def weight(x):
        return prior.pdf(x) * stats.norm.pdf(x_t, (1 - beta[t - 1]) ** 0.5 * x, beta[t - 1] ** 0.5)

    schedule = NoiseSchedule(np.array(beta), **double)
    mean, variance = (v.item() for v in posterior(schedule, tensor([[x_0]]), tensor([[x_t]]), t))
    width = 12 * variance**0.5

    def moment(k):
        def f(x):
            return (x - mean) ** k * weight(x)

        return integrate.quad(f, mean - width, mean + width, epsabs=1e-14, epsrel=1e-9)[0]

    total = moment(0)
    assert moment(1) / total == pytest.approx(0, abs=1e-6 * variance**0.5)
    assert moment(2) / total == pytest.approx(variance, rel=1e-6)
    # and what lies outside the window is nothing: the window holds all of q(xₜ | x₀)
    bar = before * (1 - beta[t - 1])
    assert total == pytest.approx(stats.norm.pdf(x_t, bar**0.5 * x_0, (1 - bar) ** 0.5), rel=1e-7)


def test_the_first_step_is_undone_exactly():
    schedule = linear_schedule(50, **double)
    x_0, x_1 = tensor([[1.0, -2.0]]), tensor([[0.5, 3.0]])
    mean, variance = posterior(schedule, x_0, x_1, 1)
    np.testing.assert_allclose(mean, x_0, rtol=1e-12)
    assert variance.item() == 0


@given(st.integers(0, 2**31), st.integers(1, 40))
def test_the_noise_leads_back_to_the_data(seed, t):
    schedule = cosine_schedule(40, **double)
    g = torch.Generator().manual_seed(seed)
    x_0, eps = torch.randn(2, 5, 3, generator=g, dtype=torch.float64)
    x_t = noised(schedule, x_0, t, eps)
    np.testing.assert_allclose(x_0_from_eps(schedule, x_t, t, eps), x_0, rtol=1e-6, atol=1e-6)


def test_a_step_for_every_row():
    schedule = linear_schedule(100, **double)
    x_0, eps = torch.randn(2, 4, 3, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    t = torch.tensor([1, 7, 100, 50])
    together = noised(schedule, x_0, t, eps)
    for i in range(4):
        alone = noised(schedule, x_0[i : i + 1], int(t[i]), eps[i : i + 1])
        np.testing.assert_allclose(together[i : i + 1], alone, rtol=1e-12)


def test_meta_device():
    """Buffers follow the device they are given: a tensor left behind on the CPU would raise here."""
    schedule = linear_schedule(10, device="meta")
    x = torch.ones(4, 2, device="meta")
    t = torch.ones(4, dtype=torch.long, device="meta")
    mean, variance = posterior(schedule, x, noised(schedule, x, t, x), t)
    assert mean.device.type == variance.device.type == "meta"
    assert x_0_from_eps(schedule, x, t, x).shape == (4, 2)
    assert schedule.to("meta").T == 10


GOOD = linear_schedule(10, device="cpu")
X = torch.ones(3, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: NoiseSchedule([0.1, 1.0]),
            "NoiseSchedule: beta must be above 0 and below 1; got 1",
        ),
        (lambda: NoiseSchedule([0.0, 0.1]), "NoiseSchedule: beta must be above 0 and below 1; got 0"),
        (
            lambda: NoiseSchedule([-0.1]),
            "NoiseSchedule: beta must be above 0 and below 1; got -0.1",
        ),
        (lambda: NoiseSchedule([]), "NoiseSchedule: beta must not be empty"),
        (lambda: NoiseSchedule([[0.1]]), "NoiseSchedule: beta must have one axis"),
        (lambda: NoiseSchedule([np.nan]), "NoiseSchedule: beta must be finite"),
        (
            lambda: NoiseSchedule([0.1], dtype=torch.int64),
            "NoiseSchedule: dtype must be a torch dtype",
        ),
        (lambda: NoiseSchedule([0.1], device="nowhere"), "NoiseSchedule: device must name a device"),
        (lambda: linear_schedule(0), "linear_schedule: T must be at least 1"),
        (lambda: linear_schedule(10.0), "linear_schedule: T must be a whole number"),
        (lambda: linear_schedule(10, first=0.0), "linear_schedule: first must be above 0"),
        (lambda: linear_schedule(10, last=1.0), "linear_schedule: last must be above 0 and below 1"),
        (lambda: cosine_schedule(10, offset=-1), "cosine_schedule: offset must be at least 0"),
        (lambda: cosine_schedule(10, largest=1), "cosine_schedule: largest must be above 0 and below 1"),
        (lambda: noised("linear", X, 1, X), "noised: schedule must be a NoiseSchedule; got 'linear'"),
        (lambda: noised(GOOD, X, 11, X), "noised: t must be at least 0 and at most 10; got 11"),
        (lambda: noised(GOOD, X, 2.0, X), "noised: t must be a whole number"),
        (lambda: noised(GOOD, X, torch.tensor([1, 2]), X), r"noised: t must be one step, or whole"),
        (lambda: noised(GOOD, X, torch.ones(3), X), r"noised: t must be one step, or whole"),
        (lambda: noised(GOOD, X, torch.tensor([1, 2, 11]), X), "noised: t must be from 0 to 10"),
        (lambda: noised(GOOD, X, torch.tensor([1, 2, -1]), X), "noised: t must be from 0 to 10"),
        (lambda: noised(GOOD, X.numpy(), 1, X), "noised: x_0 must be a tensor of floats"),
        (lambda: noised(GOOD, X.long(), 1, X), "noised: x_0 must be a tensor of floats"),
        (
            lambda: noised(GOOD, X, 1, X[:2]),
            r"noised: eps must have shape \(3, 2\), the shape of x_0; got \(2, 2\)",
        ),
        (lambda: NoiseSchedule([0.9] * 1000), "NoiseSchedule: beta must leave some signal at the last step"),
        (lambda: posterior(GOOD, X, X, 0), "posterior: t must be at least 1"),
        (lambda: posterior(GOOD, X, X, torch.tensor([1, 0, 2])), "posterior: t must be from 1 to 10"),
        (lambda: posterior(GOOD, X, X[:, :1], 2), "posterior: x_t must have shape"),
        (lambda: x_0_from_eps(GOOD, X[:0], 1, X), "x_0_from_eps: x_t must be a tensor of floats"),
        (lambda: signal_to_noise(None), "signal_to_noise: schedule must be a NoiseSchedule"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "make", [lambda: NoiseSchedule([0.1]), lambda: linear_schedule(4), lambda: cosine_schedule(4)]
)
def test_no_device_is_the_cpu_even_where_a_faster_one_is(make, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert make().alpha_bar.device.type == "cpu"


junk = st.one_of(
    st.none(),
    st.text(max_size=3),
    st.floats(allow_nan=True),
    st.integers(-20, 20).filter(lambda v: not 1 <= v <= 10),
    st.lists(st.floats(0, 1), max_size=2),
    st.builds(object),
    st.just(torch.ones(2, 2)),
)


@given(junk)
def test_any_other_step_is_refused(bad):
    with pytest.raises(ValueError, match=r"t must be"):
        posterior(GOOD, X, X, bad)


@given(st.one_of(junk, st.just(X.numpy()), st.just(torch.zeros(0, 2)), st.just(torch.ones(3, 2, dtype=int))))
def test_any_other_array_is_refused(bad):
    for call in (
        lambda: noised(GOOD, bad, 1, X),
        lambda: noised(GOOD, X, 1, bad),
        lambda: posterior(GOOD, X, bad, 2),
    ):
        with pytest.raises(ValueError, match=r"must (be a tensor of floats|have shape)"):
            call()
