"""How to spend a given number of operations: on a larger model, or on more tokens."""

from __future__ import annotations

from typing import NamedTuple

from chapters_src.core.contract import checked
from chapters_src.core.readers import above

__all__ = ["FITS", "TwoTermLaw", "best_size", "predicted_loss"]


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
