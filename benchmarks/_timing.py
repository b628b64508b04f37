"""Two ways of doing a thing, timed in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Row(NamedTuple):
    """One comparison; a ratio above 1 means that ours is quicker."""

    what: str
    ours: float
    theirs: float
    ratio: float


def against(
    ours: Callable[[], object],
    others: Mapping[str, Callable[[], object]],
    *,
    repeats: int = 9,
    warm_up: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Row]:
    """Median seconds of ours and of each other, interleaved so that whatever else runs hits all alike.

    ``clock=time.process_time`` counts the processor's seconds, which other programs do not lengthen.
    """
    contestants = {"ours": ours, **others}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(warm_up + repeats):
        for name, run in contestants.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    median = {name: statistics.median(times[warm_up:]) for name, times in seconds.items()}
    mine = median.pop("ours")
    return [Row(f"against {name}", mine, theirs, theirs / mine) for name, theirs in median.items()]
