"""Guidance: the formula, and what it does to Gaussians whose denoisers are known."""

from __future__ import annotations

import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.generative.diffusion import Denoiser, linear_schedule
from chapters_src.generative.samplers import guided, sample

schedule = linear_schedule(200, 5e-4, 0.1, dtype=torch.float64)
LABEL, NONE = torch.tensor([0, 1, 0]), 2


def two_classes(x, t, label):
    """The best denoiser of N(±1, 0.25), and of N(0, 1.25) where the label is 2."""
    mean = torch.tensor([-1.0, 1.0, 0.0], dtype=x.dtype)[label][:, None]
    v = torch.tensor([0.25, 0.25, 1.25], dtype=x.dtype)[label][:, None]
    a, b = schedule.signal[t][:, None], schedule.noise[t][:, None]
    return b * (x - a * mean) / (a**2 * v + b**2)


@pytest.mark.parametrize("weight", [0.0, 1.0, 2.5])
def test_formula(weight):
    x = torch.randn(3, 1, generator=seed(0), dtype=torch.float64)
    t = torch.tensor([5, 100, 200])
    conditional = two_classes(x, t, LABEL)
    free = two_classes(x, t, torch.full_like(LABEL, NONE))
    found = guided(two_classes, LABEL, NONE, weight)(x, t)
    torch.testing.assert_close(found, (1 - weight) * free + weight * conditional)


def test_weight_one_is_the_conditional_walk():
    x_T = torch.randn(3, 1, generator=seed(1), dtype=torch.float64)
    plain = sample(lambda x, t: two_classes(x, t, LABEL), schedule, x_T, 20)
    torch.testing.assert_close(sample(guided(two_classes, LABEL, NONE, 1.0), schedule, x_T, 20), plain)


def test_more_weight_means_less_spread_and_a_mean_farther_out():
    label = torch.ones(500, dtype=torch.int64)
    x_T = torch.randn(500, 1, generator=seed(2), dtype=torch.float64)
    ends = [sample(guided(two_classes, label, NONE, w), schedule, x_T) for w in (1.0, 2.0, 4.0)]
    spreads, means = [x.std().item() for x in ends], [x.mean().item() for x in ends]
    assert spreads[0] == pytest.approx(0.5, abs=0.04) and spreads[0] > 1.5 * spreads[1] > 2 * spreads[2]
    assert means[0] == pytest.approx(1.0, abs=0.05) and means[1] > means[0] + 0.2


def test_a_network_with_a_class_for_no_label():
    model = Denoiser(schedule, 2, seed(0), width=4, depth=1, classes=3)
    x, t = torch.ones(3, 2, dtype=torch.float64), torch.tensor([3, 2, 1])
    assert guided(model, LABEL, NONE, 3.0)(x, t).shape == (3, 2)


def test_bad_input():
    with pytest.raises(ValueError, match="none must be at least 0"):
        guided(two_classes, LABEL, -1, 1.0)
    with pytest.raises(ValueError, match="x_t must have 3 rows, one per label; got 2"):
        guided(two_classes, LABEL, NONE, 1.0)(torch.ones(2, 1), torch.ones(2, dtype=torch.int64))
