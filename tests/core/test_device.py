"""The device picked is the fastest one present, and random numbers come from an explicit generator."""

from __future__ import annotations

import pytest
import torch

from chapters_src.core import device


def pretend(monkeypatch, cuda: bool, mps: bool) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2 * cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_pick_takes_the_fastest(monkeypatch, cuda, mps, expected):
    pretend(monkeypatch, cuda, mps)
    assert device.pick() == torch.device(expected)


def test_a_preference_that_is_here_wins(monkeypatch):
    pretend(monkeypatch, cuda=True, mps=False)
    assert device.pick("cpu") == torch.device("cpu")
    assert device.pick(torch.device("cuda:1")) == torch.device("cuda:1")
    assert device.pick("meta") == torch.device("meta")


@pytest.mark.parametrize(
    ("prefer", "message"),
    [
        ("mps", r"^pick: prefer must be a device that is here \(cuda, cpu\); got 'mps'$"),
        ("cuda:2", r"^pick: prefer must be a device that is here \(cuda, cpu\); got 'cuda:2'$"),
        ("abacus", r"^pick: prefer must name a device, such as cuda, cpu; got 'abacus'$"),
        (["cpu"], r"^pick: prefer must name a device, such as cuda, cpu; got \['cpu'\]$"),
    ],
)
def test_a_preference_that_is_not_here_is_an_error(monkeypatch, prefer, message):
    pretend(monkeypatch, cuda=True, mps=False)
    with pytest.raises(ValueError, match=message):
        device.pick(prefer)


def test_seed_gives_the_same_numbers_and_leaves_the_global_ones_alone():
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    first, second, other = (torch.randn(5, generator=device.seed(n)) for n in (3, 3, 4))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(torch.rand(3), expected)


def test_seed_on_a_device():
    assert device.seed(0, "cpu").device == torch.device("cpu")
    assert device.seed(0, torch.device("meta")).initial_seed() == 0


@pytest.mark.parametrize("bad", [-1, 1.5, None, True, "0", 2**63])
def test_seed_refuses(bad):
    with pytest.raises(ValueError, match=r"^seed: n must be "):
        device.seed(bad)
