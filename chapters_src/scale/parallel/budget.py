"""What a model costs: bytes on each device, whole or in pieces, and operations, for size or for tokens.

``python -m chapters_src.scale.parallel.budget`` trains models of several sizes on equal budgets and writes
their record.
"""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.optimize import minimize, nnls

from chapters_src import data
from chapters_src.core.contract import checked
from chapters_src.core.device import seed
from chapters_src.core.progress import bar
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.data.records import write_record
from chapters_src.sequences.language_model import (
    GPT,
    SIZES_RECIPE,
    Config,
    TokenisedText,
    parameters,
    tokenised,
    trained_bits,
)

__all__ = [
    "FITS",
    "PRECISIONS",
    "SHARDED",
    "Bytes",
    "TwoTermLaw",
    "best_size",
    "bytes_per_device",
    "fit_law",
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
def predicted_loss(
    law: TwoTermLaw, N: Float[ndarray, "*shape"], D: Float[ndarray, "*shape"]
) -> Float[ndarray, "*shape"]:
    """L(N, D) = E + A/N^α + B/D^β                                 {eq}`eq-parallel-law`"""
    return np.asarray(law.E + law.A / N**law.alpha + law.B / D**law.beta)


@checked(operations=above(0))
def best_size(law: TwoTermLaw, operations: float) -> tuple[float, float]:
    """The N and D with the least loss among those with 6ND = C operations.

    N = (αA/βB)^{1/(α+β)} · (C/6)^{β/(α+β)},  D = C/6N             {eq}`eq-parallel-best-size`
    """
    _, A, B, a, b = law
    N = (a * A / (b * B)) ** (1 / (a + b)) * (operations / 6) ** (b / (a + b))
    return N, operations / 6 / N


@checked(N=above(0), D=above(0), losses=above(0))
def fit_law(N: Float[ndarray, "n"], D: Float[ndarray, "n"], losses: Float[ndarray, "n"]) -> TwoTermLaw:
    """The law with the least squared error of the losses, found from α = β = 0.3.

    Given α and β, the loss is linear in E, A, B ≥ 0:  L ≈ (1, N^(−α), D^(−β))·(E, A, B)
    """

    def columns(powers: ndarray) -> ndarray:
        return np.stack([np.ones_like(N), N ** -powers[0], D ** -powers[1]], axis=1)

    def miss(logs: ndarray) -> float:
        return float(nnls(columns(np.exp(logs)), losses)[1])

    powers = np.exp(minimize(miss, np.log([0.3, 0.3]), method="Nelder-Mead").x)
    E, A, B = nnls(columns(powers), losses)[0]
    return TwoTermLaw(float(E), float(A), float(B), *powers.tolist())


MERGES, WIDTHS, BUDGETS = 512, (8, 16, 24, 32, 48, 64), (2e10, 6e10, 1.8e11)


def _runs(text: TokenisedText) -> Iterator[dict[str, Any]]:
    """For every budget of operations every width, for as many steps as 6ND pays; from two starts."""
    per_step = SIZES_RECIPE.batch_size * SIZES_RECIPE.length
    for operations in BUDGETS:
        for d in WIDTHS:
            config, bits = Config(len(text.tokeniser), 64, d, 4, 2), []
            N = parameters(config)["total"]
            steps = round(operations / (6 * N * per_step))
            recipe = replace(SIZES_RECIPE, steps=steps, warm_up=max(1, steps // 12))
            for number in range(2):
                generator = seed(number)
                bits.append(trained_bits(GPT(config, generator), recipe, text, generator))
            yield {
                "operations": operations,
                "d": d,
                "parameters": N,
                "tokens": steps * per_step,
                "bits": [round(b, 4) for b in bits],
            }


def _main() -> None:
    torch.set_num_threads(1)
    text = tokenised(data.language_reference(), MERGES)
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread, no GPU",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "training tokens": len(text.train),
        "tokens per character": round(len(text.held_out) / text.characters, 4),
        "recipe": asdict(SIZES_RECIPE),
        "runs": list(bar(_runs(text), "models", total=len(BUDGETS) * len(WIDTHS))),
    }
    write_record("compute", record)


if __name__ == "__main__":
    _main()
