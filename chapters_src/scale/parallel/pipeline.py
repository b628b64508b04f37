"""Layers on different devices, one after the other: a schedule, and how long devices wait."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Int, ndarray

__all__ = ["SCHEDULES", "Schedule", "bubble", "schedule"]

SCHEDULES = ("all forwards first", "one forwards, one backwards")
FREE = 0


class Schedule(NamedTuple):
    """Rows are devices, columns ticks: k + 1 for forwards with part k, −(k + 1) for backwards, 0 for waiting.

    ``kept`` is the most parts whose activations one device holds at a time.
    """

    table: Int[ndarray, "p t"]
    kept: int

    @property
    def waiting(self) -> float:
        """The share of device-ticks in which nothing is done."""
        return float(np.mean(self.table == FREE))


@checked(devices=at_least(1), parts=at_least(1))
def bubble(devices: int, parts: int) -> float:
    """The share of time that devices wait, when a batch goes through in so many parts.

    (p − 1)/(m + p − 1)                                            {eq}`eq-parallel-bubble`
    """
    return (devices - 1) / (parts + devices - 1)


@checked(devices=at_least(1), parts=at_least(1), order=one_of(SCHEDULES), backward=at_least(1))
def schedule(devices: int, parts: int, order: str = SCHEDULES[0], backward: int = 2) -> Schedule:
    """Play a pipeline tick by tick: forwards takes one tick, backwards ``backward`` of them.

    A device works when what it needs has come: from the device before it for forwards, from the device after
    it for backwards, which goes first. All forwards come first in one order; in the other, device i has at
    most p − i parts under way.
    """
    together = order == SCHEDULES[0]
    # when part k has left device i − 1 forwards, and device i backwards
    came, returned = np.full((devices + 1, parts), np.inf), np.full((devices + 1, parts), np.inf)
    came[0] = 0
    forwards, backwards, free_at = (np.zeros(devices, int) for _ in range(3))
    rows: list[list[int]] = [[] for _ in range(devices)]
    tick = kept = 0
    while backwards.min() < parts:
        for i in np.flatnonzero(free_at <= tick):
            f, b = forwards[i], backwards[i]
            gradient = came[devices] if i == devices - 1 else returned[i + 1]
            may_forward = f < parts and came[i, f] <= tick and (together or f - b < devices - i)
            may_backward = b < f and gradient[b] <= tick and (not together or f == parts)
            if may_backward:
                rows[i] += [-(b + 1)] * backward
                backwards[i], free_at[i] = b + 1, tick + backward
                returned[i, b] = free_at[i]
            elif may_forward:
                rows[i].append(f + 1)
                forwards[i], free_at[i] = f + 1, tick + 1
                came[i + 1, f] = free_at[i]
                kept = max(kept, f + 1 - b)
            else:
                rows[i].append(FREE)
        tick += 1
    length = max(map(len, rows))
    return Schedule(np.array([row + [FREE] * (length - len(row)) for row in rows]), int(kept))
