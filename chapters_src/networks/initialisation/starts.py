"""First weights that turn signals without stretching some directions more than others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow import Layer, layer_widths

__all__ = ["initialise_orthogonal"]


@checked(widths=layer_widths, c=at_least(0))
def initialise_orthogonal(widths: Sequence[int], rng: np.random.Generator, c: float = 1.0) -> list[Layer]:
    """Layers of which each turns its input at random, biases 0; ``widths`` are the widths, input first.

    W = √(c d_max/d_in) Q,  QᵀQ = I or QQᵀ = I               {eq}`eq-initialisation-orthogonal`

    d_max is the larger of d_in and d_out; the mean square of a weight is c/d_in, as with `initialise`.
    """
    return [Layer(np.sqrt(c * max(a, b) / a) * _turned(a, b, rng), np.zeros(b)) for a, b in pairwise(widths)]


def _turned(inputs: int, outputs: int, rng: np.random.Generator) -> Float[ndarray, "inputs outputs"]:
    Q, R = np.linalg.qr(rng.standard_normal((max(inputs, outputs), min(inputs, outputs))))
    Q = Q * np.sign(np.diag(R))  # QR chooses its own signs; undone, every turn is equally likely
    return Q if inputs >= outputs else Q.T
