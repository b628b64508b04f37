"""Where the variance of a score comes from, if each source of chance can be drawn again on its own."""

from __future__ import annotations

from itertools import product

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.shapes import Float, ndarray

__all__ = ["change_variances", "variance_components"]


@checked
def change_variances(scores: Float[ndarray, "*draws m"]) -> Float[ndarray, "*draws"]:
    """Half the mean squared change of a score when some sources are drawn again and the others kept.

    D[S] = ½ E(Y − Y′)²,  Y′ has other draws of S          {eq}`eq-resampling-change`

    The scores have one axis of length 2 per source, its first and its second draw, then the m repetitions.
    Entry (1, 0, 1) of the result is for drawing the first and third source again.
    """
    sources = scores.ndim - 1
    require(sources >= 1, "scores", "have an axis per source and one for repetitions", scores.shape)
    require(scores.shape[:-1] == (2,) * sources, "scores", "have two draws per source", scores.shape)
    result = np.zeros((2,) * sources)
    for drawn_again in product((0, 1), repeat=sources):
        axes = tuple(source for source in range(sources) if drawn_again[source])
        result[drawn_again] = np.mean((scores - np.flip(scores, axes)) ** 2) / 2
    return result


@checked
def variance_components(scores: Float[ndarray, "*draws m"]) -> Float[ndarray, "*draws"]:
    """The variance that each set of sources brings beyond what its parts bring, as in ANOVA.

    D[S] = Σ_{U ∩ S ≠ ∅} σ²_U                            {eq}`eq-resampling-components`

    Entry (1, 0, 0) is what the first source brings alone, (1, 1, 0) the interaction of the first two. Each
    estimate is right on average, so one that is really 0 may come out negative.
    """
    changed = change_variances(scores)
    parts = changed.flat[-1] - np.flip(changed)  # all components inside a set: what sharing it saves
    for source in range(parts.ndim):
        parts = np.concatenate([parts.take([0], source), np.diff(parts, axis=source)], axis=source)
    return parts
