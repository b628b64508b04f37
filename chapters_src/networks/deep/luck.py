"""Networks that differ in their draws alone: what depends on luck needs more than one run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.readers import at_least
from chapters_src.core.side_by_side import SideBySide
from chapters_src.networks.shallow import layer_widths

__all__ = ["hinges_side_by_side"]


@checked(count=at_least(1), widths=layer_widths, spread=at_least(0))
def hinges_side_by_side(
    count: int,
    widths: Sequence[int],
    generator: torch.Generator,
    spread: float = 0.0,
    device: Device = None,
) -> SideBySide:
    """Networks of hinges, each with its own draws: weights of variance 2/inputs.

    Hₖ = φ(Hₖ₋₁Wₖ + bₖ) for each network                {eq}`eq-deep-layers`

    Biases begin at 0, those of the first layer with standard deviation ``spread``.
    """

    def drawn(scale: float, *shape: int) -> torch.Tensor:
        values = torch.randn(count, *shape, generator=generator, device=generator.device)
        return (scale * values).to(device)

    shapes = list(pairwise(widths))
    W = [drawn((2 / m) ** 0.5, m, n) for m, n in shapes]
    b = [drawn(0.0 if k else spread, 1, n) for k, (_, n) in enumerate(shapes)]
    return SideBySide(list(zip(W, b, strict=True)))
