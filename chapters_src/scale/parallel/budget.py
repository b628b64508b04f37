"""What a model costs: bytes on each device, whole or in pieces, and operations, for size or for tokens."""

from __future__ import annotations

from typing import NamedTuple

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least, one_of

__all__ = [
    "FITS",
    "PRECISIONS",
    "SHARDED",
    "Bytes",
    "TwoTermLaw",
    "best_size",
    "bytes_per_device",
    "predicted_loss",
]

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


class TwoTermLaw(NamedTuple):
    """L = E + A/N^α + B/D^β nats per token, for N parameters and D tokens."""

    E: float
    A: float
    B: float
    alpha: float
    beta: float


# two published fits to one set of runs
FITS = {
    "as published in 2022": TwoTermLaw(1.69, 406.4, 410.7, 0.34, 0.28),
    "fitted again in 2024": TwoTermLaw(1.8172, 482.01, 2085.43, 0.3478, 0.3658),
}


@checked(N=above(0), D=above(0))
def predicted_loss(law: TwoTermLaw, N: float, D: float) -> float:
    """L(N, D) = E + A/N^α + B/D^β                                 {eq}`eq-parallel-law`"""
    return law.E + law.A / N**law.alpha + law.B / D**law.beta


@checked(operations=above(0))
def best_size(law: TwoTermLaw, operations: float) -> tuple[float, float]:
    """The N and D with the least loss among those with 6ND = C operations.

    N = (αA/βB)^{1/(α+β)} · (C/6)^{β/(α+β)},  D = C/6N             {eq}`eq-parallel-best-size`
    """
    _, A, B, a, b = law
    N = (a * A / (b * B)) ** (1 / (a + b)) * (operations / 6) ** (b / (a + b))
    return N, operations / 6 / N
