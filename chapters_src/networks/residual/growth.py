"""How large signals become on their way through residual blocks."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["block_variances"]


@checked(blocks=at_least(0))
def block_variances(
    h: Float[ndarray, "n d"],
    blocks: int,
    rng: np.random.Generator,
    skip: float = 1.0,
    branch: float = 1.0,
    batch_norm: bool = False,
) -> Float[ndarray, "_"]:
    """The variance of all entries before the first block h ← skip·h + branch·ReLU(h)W and after each.

    Weights are He's, N(0, 2/d). With ``batch_norm`` a branch first brings every unit to mean 0 and
    variance 1 over the rows. See {eq}`eq-residual-doubling`.
    """
    d, sizes = h.shape[1], [h.var()]
    for _ in range(blocks):
        u = (h - h.mean(axis=0)) / np.sqrt(h.var(axis=0) + 1e-5) if batch_norm else h
        W = rng.normal(0, np.sqrt(2 / d), size=(d, d))
        h = skip * h + branch * np.maximum(u, 0) @ W
        sizes.append(h.var())
    return np.array(sizes)
