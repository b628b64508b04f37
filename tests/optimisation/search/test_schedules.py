"""Schedules against torch.optim.lr_scheduler, step for step."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.optim import lr_scheduler

from chapters_src.optimisation.search import (
    cosine_rate,
    exponential_rate,
    inverse_time_rate,
    one_cycle_rate,
    restart_rate,
    step_rate,
    warm_up_cosine_rate,
    warm_up_linear_rate,
    warm_up_rate,
)


def theirs(make, steps, high=0.3):
    """The rates torch would use at steps 0, 1, …"""
    point = torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.SGD([point], lr=high, momentum=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schedule = make(optimiser)
        rates = []
        for _ in range(steps):
            rates.append(optimiser.param_groups[0]["lr"])
            optimiser.step()
            schedule.step()
    return rates


def test_staircase():
    for every, factor in ((3, 0.1), (1, 0.9), (7, 0.5)):
        expected = theirs(lambda o, k=every, f=factor: lr_scheduler.StepLR(o, k, f), 40)
        assert [step_rate(t, 0.3, every, factor) for t in range(40)] == pytest.approx(expected, rel=1e-12)


def test_exponential():
    expected = theirs(lambda o: lr_scheduler.ExponentialLR(o, 0.93), 40)
    assert [exponential_rate(t, 0.3, 0.93) for t in range(40)] == pytest.approx(expected, rel=1e-12)


def test_inverse_time():
    expected = theirs(lambda o: lr_scheduler.LambdaLR(o, lambda t: 8 / (8 + t)), 40)
    assert [inverse_time_rate(t, 0.3, 8) for t in range(40)] == pytest.approx(expected, rel=1e-12)
    assert inverse_time_rate(8, 0.3, 8) == pytest.approx(0.15)


@pytest.mark.parametrize(("first", "growth", "low"), [(10, 1, 0.0), (5, 2, 0.02), (3, 3, 0.0)])
def test_restarts(first, growth, low):
    expected = theirs(lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, first, growth, low), 60)
    ours = [restart_rate(t, 0.3, first, growth, low) for t in range(60)]
    assert ours == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert ours[first] == 0.3


def test_warm_up_then_a_line():
    def make(optimiser):
        first = lr_scheduler.LinearLR(optimiser, 1e-12, 1.0, 10)
        second = lr_scheduler.LinearLR(optimiser, 1.0, 0.2, 30)
        return lr_scheduler.SequentialLR(optimiser, [first, second], [10])

    ours = [warm_up_linear_rate(t, 0.3, 10, 40, low=0.06) for t in range(60)]
    assert ours == pytest.approx(theirs(make, 60), rel=1e-9, abs=1e-11)
    assert max(ours) == ours[10] == 0.3


@pytest.mark.parametrize("low", [0.0, 0.05])
def test_cosine(low):
    expected = theirs(lambda o: lr_scheduler.CosineAnnealingLR(o, 40, low), 41)
    assert [cosine_rate(t, 0.3, 40, low) for t in range(41)] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert cosine_rate(20, 0.3, 40, low) == pytest.approx((0.3 + low) / 2)
    assert cosine_rate(400, 0.3, 40, low) == pytest.approx(low)


def test_warm_up():
    expected = theirs(lambda o: lr_scheduler.LinearLR(o, 0.2, 1.0, 10), 30)
    assert [warm_up_rate(t, 0.3, 10, 0.06) for t in range(30)] == pytest.approx(expected, rel=1e-12)
    assert warm_up_rate(0, 0.3, 10) == 0


def test_warm_up_then_cosine():
    def make(optimiser):
        first = lr_scheduler.LinearLR(optimiser, 1e-12, 1.0, 10)
        second = lr_scheduler.CosineAnnealingLR(optimiser, 30)
        return lr_scheduler.SequentialLR(optimiser, [first, second], [10])

    ours = [warm_up_cosine_rate(t, 0.3, 10, 40) for t in range(41)]
    assert ours == pytest.approx(theirs(make, 41), rel=1e-9, abs=1e-11)
    assert max(ours) == ours[10] == 0.3


@pytest.mark.parametrize("rise", [0.1, 0.3, 0.5, 0.77])
@pytest.mark.parametrize("steps", [20, 41, 100])
def test_one_cycle(rise, steps):
    expected = theirs(lambda o: lr_scheduler.OneCycleLR(o, 0.3, total_steps=steps, pct_start=rise), steps - 1)
    ours = [one_cycle_rate(t, 0.3, steps, rise) for t in range(steps)]
    assert ours[:-1] == pytest.approx(expected, rel=1e-12)
    assert ours[0] == pytest.approx(0.3 / 25)
    assert ours[-1] == pytest.approx(0.3 / 25e4)


def test_one_cycle_with_ends_of_its_own():
    def make(optimiser):
        return lr_scheduler.OneCycleLR(optimiser, 0.3, total_steps=30, div_factor=3, final_div_factor=10)

    ours = [one_cycle_rate(t, 0.3, 30, 0.3, start=0.1, end=0.01) for t in range(29)]
    assert ours == pytest.approx(theirs(make, 29), rel=1e-12)
    assert one_cycle_rate(500, 0.3, 30, 0.3, start=0.1, end=0.01) == pytest.approx(0.01)


GOOD = {
    step_rate: {"t": 3, "high": 0.1, "every": 2, "factor": 0.5},
    exponential_rate: {"t": 3, "high": 0.1, "factor": 0.5},
    inverse_time_rate: {"t": 3, "high": 0.1, "delay": 5.0},
    warm_up_linear_rate: {"t": 3, "high": 0.1, "warm_up": 5, "steps": 10, "low": 0.01},
    restart_rate: {"t": 3, "high": 0.1, "first": 5, "growth": 2, "low": 0.01},
    cosine_rate: {"t": 3, "high": 0.1, "steps": 10, "low": 0.01},
    warm_up_rate: {"t": 3, "high": 0.1, "steps": 10, "start": 0.01},
    warm_up_cosine_rate: {"t": 3, "high": 0.1, "warm_up": 5, "steps": 10, "low": 0.01},
    one_cycle_rate: {"t": 3, "high": 0.1, "steps": 20, "rise": 0.3, "start": 0.01, "end": 0.001},
}


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
@pytest.mark.parametrize("bad", [-1, -0.5, float("nan"), float("inf"), "1", True, 1e9])
def test_bad_input_is_named(function, bad):
    for name in GOOD[function]:
        if bad == 1e9 and name in ("high", "delay"):  # as large as you like
            continue
        with pytest.raises(ValueError, match=rf"^{function.__name__}: {name} must .+; got "):
            function(**{**GOOD[function], name: bad})


def test_more_messages():
    with pytest.raises(
        ValueError, match=r"one_cycle_rate: rise must give more than one of the 3 steps; got 0\.3"
    ):
        one_cycle_rate(0, 0.1, 3)
    with pytest.raises(ValueError, match="warm_up_cosine_rate: steps must be at least 11; got 10"):
        warm_up_cosine_rate(0, 0.1, 10, 10)
