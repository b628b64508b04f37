"""One step of `Adam` on a million parameters beside `torch.optim.Adam`, in float64 and on one thread each."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from chapters_src.optimisation.stochastic import Adam


class Row(NamedTuple):
    """One comparison; a ratio below 1 means that ours is quicker."""

    name: str
    ours_seconds: float
    theirs_seconds: float
    ratio: float


def rows(parameters: int = 1_000_000, repeats: int = 15) -> list[Row]:
    """Median times of interleaved repeats, so that whatever else the machine does hits all alike."""
    rng = np.random.default_rng(0)
    theta, gradient = rng.standard_normal(parameters), rng.standard_normal(parameters)
    point = torch.tensor(theta, requires_grad=True)
    point.grad = torch.tensor(gradient)
    ours, theirs = Adam(1e-3), torch.optim.Adam([point], lr=1e-3)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # numpy's arithmetic on arrays never uses more

    def our_step() -> None:
        nonlocal theta
        theta = ours.step(theta, gradient)

    contestants: dict[str, Callable[[], object]] = {"ours": our_step, "theirs": theirs.step}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    try:
        for _ in range(repeats):
            for name, run in contestants.items():
                start = time.perf_counter()
                run()
                seconds[name].append(time.perf_counter() - start)
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_allclose(theta, point.detach().numpy(), rtol=1e-12, atol=1e-12)
    # the first steps set up the memory
    median = {name: statistics.median(times[3:]) for name, times in seconds.items()}
    ratio = median["ours"] / median["theirs"]
    return [Row("Adam step, 10⁶ parameters / torch.optim.Adam", median["ours"], median["theirs"], ratio)]


def main() -> None:
    """Print the comparison."""
    for row in rows():
        print(f"{row.name:45} {row.ours_seconds:.4f} s  {row.theirs_seconds:.4f} s  ratio {row.ratio:.2f}")


if __name__ == "__main__":
    main()
