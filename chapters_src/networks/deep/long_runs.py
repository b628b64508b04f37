"""Does training use depth? Targets made by composition, and the record of runs too long for a page.

``python -m chapters_src.networks.deep.long_runs`` trains them all and writes the record.
"""

from __future__ import annotations

import datetime
import math
import os
import platform
from collections.abc import Callable, Iterator

import numpy as np
import torch

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.device import seed
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.core.side_by_side import SideBySide
from chapters_src.core.training import train
from chapters_src.data.records import write_record
from chapters_src.networks.deep.folds import zigzag
from chapters_src.networks.deep.luck import hinges_side_by_side
from chapters_src.networks.deep.network import forward, width_within

__all__ = ["JOINS", "tree_of_pairs", "unexplained_tree", "unexplained_zigzag"]

SHAPES = ((99, 1), (9, 4), (624, 1), (24, 4))  # width and depth: twice 298 and twice 1,873 parameters
ZIGZAGS = [(width, depth, steps) for width, depth in SHAPES for steps in (1000, 8000)]
JOINS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "difference": lambda u, v: (u - v).abs(),
    "maximum": lambda u, v: torch.maximum(u, -v),
    "product": lambda u, v: u * v,
}
TREES = [
    (join, inputs, width_within(1500, inputs, 1, depth), depth, None)
    for join in JOINS
    for inputs in (4, 8)
    for depth in (1, 3)
]
FEW = [("difference", 8, 149, 1, 2000), ("difference", 8, 24, 3, 2000)]  # always the same 2,000 examples


def _trained(
    model: SideBySide,
    errors: Callable[[torch.nn.Module, torch.Tensor], torch.Tensor],
    batches: Iterator[torch.Tensor],
    steps: int,
    learning_rate: float,
) -> SideBySide:
    """All networks by Adam, the rate falling to 0 along a cosine."""
    rate = lambda step: learning_rate * (1 + math.cos(math.pi * step / steps)) / 2  # noqa: E731
    adam = torch.optim.Adam(model.parameters())
    total = lambda model, X: errors(model, X).sum()  # noqa: E731
    train(model, total, batches, adam, steps, rate, progress=False)
    return model


@checked(width=at_least(1), depth=at_least(1), steps=at_least(0), count=at_least(1))
def unexplained_zigzag(
    width: int, depth: int, steps: int, generator: torch.Generator, count: int = 16
) -> Float[ndarray, "count"]:
    """The share of the variance of a zigzag of 16 pieces that each trained network leaves, least first.

    Trained on 65 points, four on each piece; the networks start with joints all over the interval.
    """
    x = np.linspace(0, 1, 65)[:, None]
    y = bare(forward)(bare(zigzag)(2, 4), x) - 0.5
    X, Y = (torch.tensor(part, dtype=torch.float32) for part in (2 * x - 1, y))

    def errors(model: torch.nn.Module, X: torch.Tensor) -> torch.Tensor:
        return ((model(X) - Y) ** 2).mean(dim=(1, 2)) / Y.var(correction=0)

    model = hinges_side_by_side(count, [1, *[width] * depth, 1], generator, spread=1.0)
    _trained(model, errors, iter([X] * steps), steps, 0.01)
    return np.sort(errors(model, X).detach().numpy().astype(float))


@checked(join=one_of(JOINS))
def tree_of_pairs(X: Float[Tensor, "n d"], join: str) -> Float[Tensor, "n 1"]:
    """Neighbours are joined to one number until one is left in each row; d is a power of two."""
    require(X.shape[1].bit_count() == 1, "X", "have 1, 2, 4, 8, … columns", X.shape[1])
    while X.shape[1] > 1:
        X = JOINS[join](X[:, 0::2], X[:, 1::2])
    return X


@checked(
    join=one_of(JOINS),
    inputs=at_least(2),
    width=at_least(1),
    depth=at_least(1),
    steps=at_least(0),
    known=at_least(1),
    count=at_least(1),
)
def unexplained_tree(
    join: str,
    inputs: int,
    width: int,
    depth: int,
    steps: int,
    generator: torch.Generator,
    known: int | None = None,
    count: int = 8,
) -> Float[ndarray, "count"]:
    """The share of the variance of a tree of pairs that each trained network leaves on new data, least first.

    A step takes 128 examples: always new ones, or drawn from ``known`` ones if that is given.
    """

    require(inputs.bit_count() == 1, "inputs", "be a power of two", inputs)

    def drawn(n: int) -> torch.Tensor:
        return torch.rand(n, inputs, generator=generator) * 2 - 1

    def batches() -> Iterator[torch.Tensor]:
        fixed = drawn(known or 1)
        while True:
            yield fixed[torch.randint(known, (128,), generator=generator)] if known else drawn(128)

    def target(X: torch.Tensor) -> torch.Tensor:
        return bare(tree_of_pairs)(X, join)

    test = drawn(4000)
    middle, spread = target(test).mean(), target(test).std()

    def errors(model: torch.nn.Module, X: torch.Tensor) -> torch.Tensor:
        return ((model(X) - (target(X) - middle) / spread) ** 2).mean(dim=(1, 2))

    model = hinges_side_by_side(count, [inputs, *[width] * depth, 1], generator, spread=0.5)
    _trained(model, errors, batches(), steps, 0.005)
    with torch.no_grad():
        return np.sort(errors(model, test).numpy().astype(float))


def _stored(left: ndarray) -> list[float]:
    rounded: list[float] = left.round(4).tolist()
    return rounded


def _main() -> None:
    torch.set_num_threads(1)
    runs = {
        "zigzag": [
            {"width": m, "depth": K, "steps": T, "left": _stored(unexplained_zigzag(m, K, T, seed(0)))}
            for m, K, T in ZIGZAGS
        ],
        "tree": [
            {
                "join": join,
                "inputs": d,
                "width": m,
                "depth": K,
                "known": known,
                "left": _stored(unexplained_tree(join, d, m, K, 5000, seed(0), known)),
            }
            for join, d, m, K, known in [*TREES, *FEW]
        ],
    }
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread, no GPU",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "runs": runs,
    }
    write_record("depth", record)


if __name__ == "__main__":
    _main()
