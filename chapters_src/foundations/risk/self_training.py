"""Self-training: a model's own answers become labels for what has none."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["spread_labels"]

UNKNOWN = -1


def _some_known(ask: Ask, labels: Any) -> Any:
    ask.require(not (labels == UNKNOWN).all(), "name the class of one row or more", "−1 throughout")
    return labels


@checked(labels=_some_known)
def spread_labels(X: Float[ndarray, "n d"], labels: Int[ndarray, "n"]) -> Int[ndarray, "rounds 2"]:
    """Label rows one by one, always the unlabelled row nearest to a labelled one; −1 is unlabelled.

    Each row of the result is a row of X and the class it got, in the order in which they were labelled. A
    class, once given, is never taken back, and counts like a true one from then on.
    """
    labels = labels.copy()
    nearest = np.full(len(X), np.inf)
    lender = np.zeros(len(X), dtype=np.int64)
    given: list[tuple[int, int]] = []
    fresh = list(np.flatnonzero(labels != UNKNOWN))
    while True:
        for row in fresh:
            distance = np.sum((X - X[row]) ** 2, axis=1)
            closer = distance < nearest
            nearest[closer], lender[closer] = distance[closer], row
        open_rows = np.flatnonzero(labels == UNKNOWN)
        if not len(open_rows):
            return np.array(given, dtype=np.int64).reshape(-1, 2)
        row = open_rows[np.argmin(nearest[open_rows])]
        labels[row] = labels[lender[row]]
        given.append((row, labels[row]))
        fresh = [row]
