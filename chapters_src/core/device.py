"""Where tensors live, and the random numbers that go with them."""

from __future__ import annotations

from typing import Any

import torch

from chapters_src.core import checks
from chapters_src.core.readers import Ask

__all__ = ["Device", "Dtype", "float_type", "pick", "placed", "seed", "torch_generator"]

# None is the cpu everywhere; a notebook passes `pick()` where a GPU helps.
Device = str | torch.device | None
# None is float32, or what torch has been told to make instead.
Dtype = torch.dtype | None


def pick(prefer: str | torch.device | None = None) -> torch.device:
    """The preferred device, or else the fastest one here: cuda, then mps, then cpu.

    A preferred device that is not here is an error, because a silent fallback costs hours. "meta" is always
    here: its tensors have shapes and no values.
    """
    present = [
        *(["cuda"] if torch.cuda.is_available() else []),
        *(["mps"] if torch.backends.mps.is_available() else []),
        "cpu",
    ]
    if prefer is None:
        return torch.device(present[0])
    try:
        device = torch.device(prefer)
    except (RuntimeError, TypeError):
        checks.fail("pick", "prefer", f"name a device, such as {', '.join(present)}", repr(prefer))
    known = device.type in (*present, "meta")
    count = torch.cuda.device_count() if device.type == "cuda" else 1
    if not known or (device.index or 0) >= count:
        checks.fail("pick", "prefer", f"be a device that is here ({', '.join(present)})", repr(str(device)))
    return device


def seed(n: int, device: str | torch.device | None = None) -> torch.Generator:
    """A generator of random numbers on a device (the cpu unless said), started from `n`.

    Nothing global is seeded: whoever draws is given the generator.
    """
    n = checks.integer("seed", "n", n, at_least=0, at_most=2**63 - 1)
    place = torch.device("cpu") if device is None else pick(device)
    # The meta device draws nothing, but code that runs on it still hands a generator around.
    generator = torch.Generator(device="cpu" if place.type == "meta" else place)
    return generator.manual_seed(n)


def torch_generator(ask: Ask, value: Any) -> torch.Generator:
    """Read an explicit `torch.Generator`."""
    if not isinstance(value, torch.Generator):
        ask.fail("be a torch.Generator, as from device.seed(0)", f"a {type(value).__name__}")
    return value


def placed(ask: Ask, value: Any) -> torch.device:
    """Read a device: the cpu if none is named, because the same numbers everywhere come first."""
    if value is None:
        return torch.device("cpu")
    try:
        return pick(value)
    except ValueError as error:
        rule, _, got = str(error).removeprefix("pick: prefer must ").partition("; got ")
        ask.fail(rule, got)


def float_type(ask: Ask, value: Any) -> torch.dtype | None:
    """Read the type of the numbers in a tensor of floats."""
    if value is not None and not (isinstance(value, torch.dtype) and value.is_floating_point):
        ask.fail("be a torch dtype of floats", repr(value)[:40])
    return value
