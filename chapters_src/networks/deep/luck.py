"""Networks that differ in their draws alone: what depends on luck needs more than one run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.modules import normal_weights
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
    drawn = lambda *shape: normal_weights((count, *shape), 1.0, generator, device)  # noqa: E731
    shapes = list(pairwise(widths))
    W = [(2 / m) ** 0.5 * drawn(m, n) for m, n in shapes]
    b = [(0.0 if k else spread) * drawn(1, n) for k, (_, n) in enumerate(shapes)]
    return SideBySide(list(zip(W, b, strict=True)))
