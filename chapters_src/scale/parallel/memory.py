"""Bytes on each device: parameters, gradients and the optimiser's state, whole or cut into pieces."""

from __future__ import annotations

from typing import NamedTuple

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, one_of

__all__ = ["PRECISIONS", "SHARDED", "Bytes", "bytes_per_device"]

# bytes of a parameter, of its gradient, and of what Adam keeps: two moments, and in mixed precision the
# parameter itself once more in float32
PRECISIONS = {"float32": (4, 4, 8), "mixed": (2, 2, 12)}
SHARDED = ("nothing", "optimiser", "optimiser and gradients", "everything")


class Bytes(NamedTuple):
    """What one device keeps between two steps."""

    parameters: float
    gradients: float
    optimiser: float

    @property
    def total(self) -> float:
        """All three."""
        return sum(self)


@checked(parameters=at_least(0), devices=at_least(1), sharded=one_of(SHARDED), precision=one_of(PRECISIONS))
def bytes_per_device(
    parameters: float, devices: int = 1, sharded: str = "nothing", precision: str = "mixed"
) -> Bytes:
    """Bytes on each device, for so many parameters trained with Adam; activations come on top.

    (a + b + c)·N with nothing cut;  (a + b + c)·N/p with everything cut   {eq}`eq-parallel-memory`
    """
    a, b, c = PRECISIONS[precision]
    cut = SHARDED.index(sharded)
    return Bytes(
        a * parameters / (devices if cut >= 3 else 1),
        b * parameters / (devices if cut >= 2 else 1),
        c * parameters / (devices if cut >= 1 else 1),
    )
