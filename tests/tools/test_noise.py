"""Gradients that are a little off, as another device would give them."""

from __future__ import annotations

import runpy

import pytest
import torch
from torch.optim import optimizer

from tools.chapters import ROOT


@pytest.fixture
def noisy():
    """The start-up of the kernels that run the standalone notebooks; its hook is taken away again."""
    before = dict(optimizer._global_optimizer_pre_hooks)
    names = runpy.run_path(str(ROOT / "tools/noise.py"))
    yield names
    optimizer._global_optimizer_pre_hooks.clear()
    optimizer._global_optimizer_pre_hooks.update(before)


def stepped(dtype=torch.float64):
    weights = torch.ones(1000, dtype=dtype, requires_grad=True)
    weights.grad = torch.full_like(weights, 2.0)
    torch.optim.SGD([weights], lr=1).step()
    return weights.detach()


@pytest.mark.usefixtures("noisy")
def test_gradients_are_off_by_a_millionth():
    off = (stepped() + 1) / 2
    assert off.abs().max() < 1e-5
    assert off.std().item() == pytest.approx(1e-6, rel=0.2)
    assert (stepped(torch.float32) != -1).any()


@pytest.mark.usefixtures("noisy")
def test_no_other_random_number_changes():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    stepped()
    assert torch.equal(torch.rand(3), expected)


def test_nothing_is_off_without_it():
    assert torch.equal(stepped(), torch.full((1000,), -1.0, dtype=torch.float64))


def test_the_readers_names_stay_free(noisy):
    assert not [name for name in noisy if not name.startswith("__")]
