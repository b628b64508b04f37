"""Splits into a training and a test part that keep classes balanced or groups together."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Limits, at_least
from chapters_src.core.shapes import Float, Int, Num, ndarray

__all__ = ["grouped_split", "output_intervals", "stratified_split"]

Rows = tuple[Int[ndarray, "train"], Int[ndarray, "test"]]


@checked(test_fraction=Limits(above=0, below=1))
def stratified_split(labels: Num[ndarray, "n"], test_fraction: float, rng: np.random.Generator) -> Rows:
    """Train and test rows in which every label has its share, as nearly as whole examples allow.

    Rows are shuffled, then sorted by label, and the test part takes evenly spaced places of that queue.
    """
    n = len(labels)
    require(n >= 2, "labels", "have two rows or more", f"shape {labels.shape}")
    held_out = min(max(round(n * test_fraction), 1), n - 1)
    shuffled = rng.permutation(n)
    queue = shuffled[np.argsort(labels[shuffled], kind="stable")]
    places = (np.arange(held_out) * n + rng.integers(n)) // held_out
    taken = np.zeros(n, dtype=bool)
    taken[places] = True
    return np.sort(queue[~taken]), np.sort(queue[taken])


@checked(test_fraction=Limits(above=0, below=1))
def grouped_split(groups: Num[ndarray, "n"], test_fraction: float, rng: np.random.Generator) -> Rows:
    """Train and test rows such that no group is in both; the test part has that fraction of the groups."""
    names = np.unique(groups)
    require(len(names) >= 2, "groups", "name two groups or more", f"{len(names)}")
    held_out = min(max(round(len(names) * test_fraction), 1), len(names) - 1)
    in_test = np.isin(groups, rng.permutation(names)[:held_out])
    return np.flatnonzero(~in_test), np.flatnonzero(in_test)


@checked(intervals=at_least(1))
def output_intervals(y: Float[ndarray, "n"], intervals: int) -> Int[ndarray, "n"]:
    """Which of some equally full intervals each output lies in, so that numbers can be stratified too."""
    edges = np.quantile(y, np.arange(1, intervals) / intervals)
    return np.searchsorted(edges, y, side="right").astype(np.int64)
