"""One step of `AdamByBlocks` on a million parameters beside `torch.optim.Adam`, float64, one thread each."""

from __future__ import annotations

import numpy as np
import torch

from benchmarks._timing import Row, against
from chapters_src.optimisation.adaptive import AdamByBlocks as Adam

TITLE = "One Adam step on a million parameters, float64, one thread"


def rows(parameters: int = 1_000_000) -> list[Row]:
    """Return the comparison; both have to end at the same place."""
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

    try:
        # the first steps set up the memory
        found = against(our_step, {"torch.optim.Adam": theirs.step}, repeats=15, warm_up=3)
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_allclose(theta, point.detach().numpy(), rtol=1e-12, atol=1e-12)
    return found
