"""2,000 samples in 25 deterministic steps beside 1,000 ancestral ones, from one network, with their quality.

Quality is the energy distance to data the network has not seen, in units of what two samples of the data are
apart on average; a mean over draws, because single draws scatter by half of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from benchmarks._timing import Row, against
from chapters_src import data
from chapters_src.core.device import seed
from chapters_src.generative.diffusion import Denoiser, fit_denoiser, linear_schedule, sample_ancestral
from chapters_src.generative.gan import energy_distance, expected_energy_distance
from chapters_src.generative.samplers import sample

TITLE = "2,000 samples of a spiral: 25 deterministic steps beside 1,000 ancestral ones, one thread"
POINTS = 2000


def rows(training_steps: int = 5000, repeats: int = 6) -> list[Row | tuple[str, str, str, str]]:
    """Return the times and, below them, the distances to held-out data."""
    rng, schedule = np.random.default_rng(0), linear_schedule(1000, device="cpu")
    train = torch.tensor(data.swiss_roll(20_000, 0.05, rng).X, dtype=torch.float32)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = Denoiser(schedule, 2, seed(0), width=64, depth=3)
        fit_denoiser(model, train, seed(1), training_steps, 256, 4e-3, progress=False)
        noise = seed(2)
        made: dict[str, list[torch.Tensor]] = {"second": [], "first": [], "ancestral": []}

        def drawing(name: str, draw: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[], None]:
            return lambda: made[name].append(draw(torch.randn(POINTS, 2, generator=noise)))

        second = drawing("second", lambda x: sample(model, schedule, x, 25, order=2, progress=False))
        first = drawing("first", lambda x: sample(model, schedule, x, 25, progress=False))
        slow = drawing("ancestral", lambda x: sample_ancestral(model, schedule, x, noise, progress=False))
        (fast_row,) = against(second, {"1,000 ancestral steps": slow}, repeats=repeats, warm_up=1)
        for _ in range(repeats + 1):
            first()
    finally:
        torch.set_num_threads(threads)
    yardstick = expected_energy_distance(data.swiss_roll(4000, 0.05, rng).X, POINTS, POINTS)
    held_out = [data.swiss_roll(POINTS, 0.05, rng).X for _ in range(repeats + 1)]

    def quality(name: str) -> float:
        pairs = zip(made[name], held_out, strict=True)
        return float(np.mean([energy_distance(x, y) for x, y in pairs])) / yardstick

    ancestral = quality("ancestral")
    found: list[Row | tuple[str, str, str, str]] = [fast_row]
    for name, words in (("second", "second order, as timed"), ("first", "first order, DDIM")):
        mine = quality(name)
        what = f"energy distance, data against data = 1: {words}"
        found.append((what, f"{mine:.2f}", f"{ancestral:.2f}", f"{ancestral / mine:.2f}"))
    return found
