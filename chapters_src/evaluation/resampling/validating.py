"""Scores on rows that the fit has not seen: folds, and folds inside folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.shrinkage import folds

__all__ = ["cross_validated", "nested"]


@checked(n=at_least(2), k=at_least(2))
def cross_validated(
    score: Callable[..., Any], n: int, k: int, rng: np.random.Generator
) -> Float[ndarray, "k"]:
    """``score(train, test)`` for each of k parts of the row numbers as ``test``, the other rows as ``train``.

    (1/k) Σⱼ Sⱼ is the cross-validated score              {eq}`eq-resampling-cross-validation`
    """
    parts = bare(folds)(n, k, rng)
    return np.array([float(score(np.setdiff1d(np.arange(n), test), test)) for test in parts])


def _some(ask: Ask, candidates: list[Any]) -> list[Any]:
    ask.require(len(candidates) >= 1, "be one or more", "none")
    return candidates


@checked(candidates=_some, n=at_least(4), k=at_least(2))
def nested(
    score: Callable[..., Any],
    candidates: Sequence[Any],
    n: int,
    k: int,
    rng: np.random.Generator,
) -> Float[ndarray, "k"]:
    """The score of *choosing and then fitting*: what is chosen inside the training rows is judged outside.

    ``score(train, test, candidate)`` fits and judges one candidate. In each of k outer parts the candidate
    with the best mean over k inner parts of the training rows is fitted to all of them.
    """

    def choose_and_judge(train: ndarray, test: ndarray) -> Any:
        seed = rng.integers(2**32)  # all candidates meet the same inner parts

        def inside(candidate: Any) -> float:
            scores = bare(cross_validated)(
                lambda seen, held_out: score(train[seen], train[held_out], candidate),
                len(train),
                k,
                np.random.default_rng(seed),
            )
            return float(scores.mean())

        return score(train, test, max(candidates, key=inside))

    return bare(cross_validated)(choose_and_judge, n, k, rng)
