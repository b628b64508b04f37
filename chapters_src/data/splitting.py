"""What is held out."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Limits
from chapters_src.core.shapes import Num, ndarray

__all__ = ["train_test_split"]


@checked(test_fraction=Limits(above=0, below=1))
def train_test_split(
    *arrays: Num[ndarray, "n ..."], test_fraction: float, rng: np.random.Generator
) -> tuple[Num[ndarray, "..."], ...]:
    """Shuffle the rows of all arrays alike; return train and test part of each: X_train, X_test, y_train, …

    The test part has round(n·test_fraction) rows, at least one, and leaves at least one to train.
    """
    require(arrays, "arrays", "be one array or more", "none")
    parts = [np.asarray(one) for one in arrays]
    n = len(parts[0]) if parts[0].ndim else 0
    if n < 2:
        refuse("arrays", "have two rows or more", f"shape {parts[0].shape}")
    for one in parts[1:]:
        require(one.shape[:1] == (n,), "arrays", f"all have {n} rows", f"shape {one.shape}")
    held_out = min(max(round(n * test_fraction), 1), n - 1)
    order = rng.permutation(n)
    train, test = order[held_out:], order[:held_out]
    return tuple(one[rows] for one in parts for rows in (train, test))
