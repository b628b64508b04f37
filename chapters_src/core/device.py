"""Where tensors live, and the random numbers that go with them."""

from __future__ import annotations

from typing import Any

import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Ask, Refusal, between

__all__ = ["Device", "Dtype", "float_type", "pick", "placed", "seed", "torch_generator"]

# None is the cpu everywhere; a notebook passes `pick()` where a GPU helps.
Device = str | torch.device | None
# None is float32, or what torch has been told to make instead.
Dtype = torch.dtype | None


@checked
def pick(prefer: Any = None) -> torch.device:
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
        refuse("prefer", f"name a device, such as {', '.join(present)}", repr(prefer))
    known = device.type in (*present, "meta")
    count = torch.cuda.device_count() if device.type == "cuda" else 1
    here = known and (device.index or 0) < count
    require(here, "prefer", f"be a device that is here ({', '.join(present)})", repr(str(device)))
    return device


@checked(n=between(0, 2**63 - 1))
def seed(n: int, device: Device = None) -> torch.Generator:
    """A generator of random numbers on a device (the cpu unless said), started from `n`.

    Nothing global is seeded: whoever draws is given the generator.
    """
    place = torch.device(device or "cpu")
    # The meta device draws nothing, but code that runs on it still hands a generator around.
    generator = torch.Generator(device="cpu" if place.type == "meta" else place)
    return generator.manual_seed(n)


def torch_generator(ask: Ask, value: Any) -> torch.Generator:
    """Read an explicit `torch.Generator`."""
    ask.require(
        isinstance(value, torch.Generator),
        "be a torch.Generator, as from device.seed(0)",
        f"a {type(value).__name__}",
    )
    return value


def placed(ask: Ask, value: Any) -> torch.device:
    """Read a device: the cpu if none is named, because the same numbers everywhere come first."""
    if value is None:
        return torch.device("cpu")
    try:
        return pick(value)
    except Refusal as refusal:
        ask.fail(refusal.rule, refusal.got)


def float_type(ask: Ask, value: Any) -> torch.dtype | None:
    """Read the type of the numbers in a tensor of floats."""
    ask.require(
        value is None or (isinstance(value, torch.dtype) and value.is_floating_point),
        "be a torch dtype of floats",
        repr(value)[:40],
    )
    return value
