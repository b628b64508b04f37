"""The network, its loss and its training: against the best denoiser, and without a transfer to the host."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from chapters_src.generative.diffusion.denoiser import Denoiser, denoising_loss, fit_denoiser, time_features
from chapters_src.generative.diffusion.optimal import gaussian_denoiser, gaussian_noise_left
from chapters_src.generative.diffusion.schedule import linear_schedule

torch.set_num_threads(1)
schedule = linear_schedule(1000, device="cpu")


def seeded(n):
    return torch.Generator().manual_seed(n)


class HostTransfers(TorchDispatchMode):
    """Counts what makes the host wait for a device: reading a number, and copying to another device."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = str(function)
        moved = "_to_copy" in name and (kwargs or {}).get("device") is not None
        if "_local_scalar_dense" in name or "nonzero" in name or "is_nonzero" in name or moved:
            self.found.append(name)
        return function(*args, **(kwargs or {}))


def test_a_fresh_network_knows_the_standard_normal():
    """ε̂ = √(1 − ᾱ)·x is the best guess for standard normal data, and the network starts there."""
    model = Denoiser(schedule, 3, seeded(0), width=16)
    x, t = torch.randn(5, 3, generator=seeded(1)), torch.tensor([1, 10, 500, 900, 1000])
    np.testing.assert_allclose(model(x, t).detach(), schedule.noise[t][:, None] * x, rtol=1e-6)


def test_loss_of_a_known_guess():
    """Always guessing 0 costs the variance of ε, which is 1; guessing ε costs nothing."""

    def zero(x, t):
        return torch.zeros_like(x)

    loss = denoising_loss(zero, schedule, torch.zeros(20_000, 2), seeded(0))
    assert loss.item() == pytest.approx(1, abs=0.03)

    def at_the_origin(x, t):
        return x / schedule.noise[t][:, None]

    assert denoising_loss(at_the_origin, schedule, torch.zeros(50, 2), seeded(0)).item() < 1e-10


def test_every_step_is_practised_and_no_other():
    few, seen = linear_schedule(3, device="cpu"), []

    def guess(x, t):
        seen.extend(t.tolist())
        return torch.zeros_like(x)

    denoising_loss(guess, few, torch.zeros(600, 1), seeded(0))
    counts = np.bincount(seen, minlength=4)
    assert len(counts) == 4 and counts[0] == 0 and (counts[1:] > 150).all()


def test_the_forward_pass_by_hand():
    few = linear_schedule(5, 0.1, 0.5, device="cpu", dtype=torch.float64)
    model = Denoiser(few, 2, seeded(0), width=3, depth=2, classes=4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.7, generator=seeded(parameter.numel()))
    x = torch.randn(6, 2, generator=seeded(1), dtype=torch.float64)
    t, label = torch.tensor([1, 2, 3, 4, 5, 5]), torch.tensor([0, 1, 2, 3, 0, 1])
    silu = lambda a: a / (1 + np.exp(-a))  # noqa: E731
    of = lambda layer, a: a @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()  # noqa: E731
    condition = of(model.time, time_features(t, 5).double().numpy()) + of(model.label, np.eye(4)[label])
    h = of(model.first, x.numpy()) + condition
    for hidden, gate in zip(model.hidden, model.gates, strict=True):
        h = h + of(hidden, silu(h) * (1 + of(gate, silu(condition))))
    signal, noise = few.signal[t].numpy()[:, None], few.noise[t].numpy()[:, None]
    expected = noise * x.numpy() + signal * of(model.last, silu(h))
    np.testing.assert_allclose(model(x, t, label).detach(), expected, rtol=1e-12)


def test_gradient_of_the_loss_against_differences():
    """Two references: autograd of torch and differences of the loss with the same noise."""
    exact = linear_schedule(50, 1e-3, 0.2, dtype=torch.float64, device="cpu")
    model = Denoiser(exact, 2, seeded(0), width=8, depth=2)
    x_0 = torch.randn(6, 2, generator=seeded(1), dtype=torch.float64)
    with torch.no_grad():
        model.last.weight.normal_(generator=seeded(2))

    def loss():
        return denoising_loss(model, exact, x_0, seeded(3))

    loss().backward()
    for weight in (model.first.weight, model.gates[1].weight, model.time.bias, model.last.weight):
        at = (0,) * weight.ndim
        h = 1e-5
        with torch.no_grad():
            weight[at] += h
            up = loss().item()
            weight[at] -= 2 * h
            down = loss().item()
            weight[at] += h
        assert weight.grad[at].item() == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-9)


def test_trained_on_gaussian_data_it_comes_near_the_best():
    mean, S = np.zeros(2), np.array([[1.3, 0.9], [0.9, 0.8]])
    x_0 = torch.tensor(np.random.default_rng(0).multivariate_normal(mean, S, 5000), dtype=torch.float32)
    model = Denoiser(schedule, 2, seeded(0), width=32, depth=2)
    fit_denoiser(model, x_0, seeded(1), steps=700, batch_size=256, learning_rate=1e-2)
    floor = gaussian_noise_left(schedule, S)[1:].mean().item()
    fresh = torch.tensor(np.random.default_rng(1).multivariate_normal(mean, S, 20_000), dtype=torch.float32)
    with torch.no_grad():
        mine = denoising_loss(model, schedule, fresh, seeded(2)).item()
        best = denoising_loss(gaussian_denoiser(schedule, mean, S), schedule, fresh, seeded(2)).item()
    assert best == pytest.approx(floor, rel=0.02)
    assert best < mine < 1.05 * best


def test_training_changes_only_the_model_and_repeats_itself():
    x_0 = torch.randn(40, 2, generator=seeded(5))
    before = x_0.clone()
    fits = []
    for _ in range(2):
        model = Denoiser(schedule, 2, seeded(0), width=8, depth=1)
        fits.append(fit_denoiser(model, x_0, seeded(1), steps=5, batch_size=16).losses)
    assert torch.equal(x_0, before)
    assert torch.equal(*fits) and fits[0].shape == (5,)
    assert not fits[0].requires_grad


def test_no_step_of_training_waits_for_the_device():
    model = Denoiser(schedule, 2, seeded(0), width=8, depth=1, classes=3)
    x_0, label = torch.randn(40, 2, generator=seeded(5)), torch.arange(40) % 3
    with HostTransfers() as setting_up:
        fit_denoiser(model, x_0, seeded(1), steps=2, batch_size=16, label=label)
    with HostTransfers() as longer:
        fit_denoiser(model, x_0, seeded(1), steps=12, batch_size=16, label=label)
    with HostTransfers() as one_loss:
        denoising_loss(model, schedule, x_0, seeded(0), label).backward()
    assert one_loss.found == []
    # torch's Adam counts its steps in a tensor on the CPU and reads it there; with capturable it would not.
    steps_of_adam = [name for name in longer.found if "_local_scalar_dense" not in name]
    assert steps_of_adam == []
    assert len(setting_up.found) / 2 == len(longer.found) / 12 == adam_reads(model)


def adam_reads(model):
    """How often a bare torch.optim.Adam reads its own step counter, on the CPU, in one step."""
    adam = torch.optim.Adam(model.parameters())
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with HostTransfers() as counted:
        adam.step()
    return len(counted.found)


def test_a_transfer_would_be_counted():
    with HostTransfers() as counted:
        torch.ones(3).sum().item()
        torch.ones(3).to("meta")
    assert len(counted.found) == 2


def test_meta_device_trains():
    """Nothing is left behind on the CPU, and no number is read: on meta there is none."""
    there = linear_schedule(10, device="meta")
    model = Denoiser(there, 2, seeded(0), width=8, depth=1, classes=3)
    x_0, label = torch.ones(20, 2, device="meta"), torch.ones(20, dtype=torch.long, device="meta")
    losses = fit_denoiser(model, x_0, seeded(1), steps=3, batch_size=8, label=label).losses
    assert losses.device.type == "meta" and losses.shape == (3,)


def test_time_features_tell_all_steps_apart():
    features = time_features(torch.arange(1, 1001), 1000)
    assert features.shape == (1000, 32)
    assert torch.pdist(features).min() > 0.05
    assert features.abs().max() <= 1


X, t, g = torch.ones(3, 2), torch.tensor([1, 2, 3]), seeded(0)
plain = Denoiser(schedule, 2, g, width=4, depth=1)
conditional = Denoiser(schedule, 2, g, width=4, depth=1, classes=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Denoiser(None, 2, g), "Denoiser: schedule must be a NoiseSchedule"),
        (lambda: Denoiser(schedule, 0, g), "Denoiser: d must be at least 1"),
        (lambda: Denoiser(schedule, 2, 0), "Denoiser: generator must be a torch.Generator, as from device"),
        (lambda: Denoiser(schedule, 2, g, width=0), "Denoiser: width must be at least 1"),
        (lambda: Denoiser(schedule, 2, g, depth=1.0), "Denoiser: depth must be a whole number"),
        (lambda: Denoiser(schedule, 2, g, classes=-1), "Denoiser: classes must be at least 0"),
        (lambda: plain(torch.ones(3, 4), t), r"Denoiser: x_t must have shape \(n, 2\); got \(3, 4\)"),
        (lambda: plain(X, t, t), "Denoiser: label must be left out"),
        (lambda: conditional(X, t), "Denoiser: label must be given"),
        (
            lambda: plain(X, t[:2]),
            r"Denoiser: t must have shape \(3,\), one per row of x_t; got \(2,\)",
        ),
        (lambda: plain(X, 1), r"Denoiser: t must be a tensor of .*whole numbers.* shape \(3,\); got a int"),
        (lambda: conditional(X, t, t), "Denoiser: label must be from 0 to 1; got another class"),
        (lambda: denoising_loss(plain, schedule, X, None), "denoising_loss: generator must be"),
        (lambda: denoising_loss(plain, schedule, X.numpy(), g), "denoising_loss: x_0 must be a tensor"),
        (lambda: fit_denoiser(torch.nn.Linear(2, 2), X, g, 5), "fit_denoiser: model must be a Denoiser"),
        (lambda: fit_denoiser(plain, X, g, 1), "fit_denoiser: steps must be at least 2"),
        (lambda: fit_denoiser(plain, X, g, 5, 0), "fit_denoiser: batch_size must be at least 1"),
        (lambda: fit_denoiser(plain, X, g, 5, 4, 0.0), "fit_denoiser: learning_rate must be above 0"),
        (
            lambda: fit_denoiser(conditional, X, g, 5, label=t[:2]),
            r"fit_denoiser: label must have shape \(3,\)",
        ),
        (
            lambda: denoising_loss(plain, schedule, X.double(), g),
            "Denoiser: x_t must be torch.float32 on cpu, as the model is; got torch.float64 on cpu",
        ),
        (
            lambda: fit_denoiser(plain, X.double(), g, 5),
            "fit_denoiser: x_0 must be torch.float32 on cpu, as the model is; got torch.float64 on cpu",
        ),
        (lambda: fit_denoiser(plain, X, g, 5, progress=1), "fit_denoiser: progress must be True or False"),
        (lambda: denoising_loss(3, schedule, X, g), "denoising_loss: model must be a function; got 3"),
        (
            lambda: time_features(torch.tensor([1, 11]), 10),
            "time_features: t must be from 0 to 10; got a step",
        ),
        (
            lambda: time_features(torch.tensor([-1, 1]), 10),
            "time_features: t must be from 0 to 10; got a step",
        ),
        (lambda: time_features(torch.tensor([math.nan]), 10), "time_features: t must be a tensor of .*whole"),
        (lambda: time_features(t, 0), "time_features: T must be at least 1"),
        (lambda: time_features(t, 10, 7), "time_features: count must be even"),
        (lambda: time_features(5, 10), "time_features: t must be a tensor of .*whole numbers"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(
    st.one_of(
        st.none(),
        st.text(max_size=3),
        st.floats(),
        st.just([[1.0]]),
        st.just(np.ones((2, 2))),
        st.builds(object),
    )
)
def test_anything_but_a_tensor_is_refused(bad):
    for call in (
        lambda: plain(bad, t),
        lambda: denoising_loss(plain, schedule, bad, g),
        lambda: fit_denoiser(plain, bad, g, 5),
    ):
        with pytest.raises(ValueError, match="must be a tensor of floats"):
            call()
