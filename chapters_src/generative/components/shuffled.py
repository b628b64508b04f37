"""How many components are more than chance: the same data with every column shuffled by itself."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.components.principal import pca

__all__ = ["beyond_chance", "shuffled_variances"]


@checked(repeats=at_least(1))
def shuffled_variances(
    X: Float[ndarray, "n d"], rng: np.random.Generator, repeats: int = 20
) -> Float[ndarray, "repeats m"]:
    """The variances of all components after each column was shuffled by itself, a row per shuffle.

    A shuffle keeps what each column holds and destroys what the columns have to do with each other.
    """
    return np.stack([pca(rng.permuted(X, axis=0)).variances for _ in range(repeats)])


@checked(variances=at_least(0), chance=at_least(0), share=above(0))
def beyond_chance(
    variances: Float[ndarray, "m"], chance: Float[ndarray, "repeats m"], share: float = 0.95
) -> int:
    """How many leading variances exceed this share of the shuffled ones of the same rank."""
    above_chance = variances > np.quantile(chance, min(share, 1.0), axis=0)
    return int(np.cumprod(above_chance).sum())
