"""Learning merges: places and a heap beside counting everything again, and time against length."""

from __future__ import annotations

import statistics
import time

import numpy as np

from benchmarks._timing import Row
from chapters_src import data
from chapters_src.sequences.tokens import BytePairs, count_pairs, fit_byte_pairs_incremental, join_pair

TITLE = "Byte pairs: 1,000 merges of the Python language reference, and encoding it"
MERGES, STAGES = 1000, 9


def seconds(run: object, repeats: int = 3) -> float:
    """The median time of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def literal_seconds(text: str, learned: BytePairs) -> float:
    """What 1,000 merges by recounting take.

    A step costs what the length of the text at that step makes it cost, so we time the two halves of a step,
    counting and joining, at nine stages from the first merge to the last and integrate between them. All
    steps in full would take two minutes or so.
    """
    stages = np.linspace(0, MERGES - 1, STAGES).astype(int)
    costs = []
    for done in stages:
        tokens = BytePairs(learned.merges[:done]).encode(text)
        start = time.perf_counter()
        counts = count_pairs(tokens)
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        join_pair(tokens, best, 256 + int(done))
        costs.append(time.perf_counter() - start)
        if best != learned.merges[done]:
            raise AssertionError("the two trainers differ")
    return float(np.interp(np.arange(MERGES), stages, costs).sum())


def rows() -> list[tuple]:
    """Return the comparisons: the two trainers, the exponent of the text length, and encoding."""
    text = data.language_reference()
    learned = fit_byte_pairs_incremental(text, MERGES)
    quick = seconds(lambda: fit_byte_pairs_incremental(text, MERGES))
    literal = literal_seconds(text, learned)
    what = f"{MERGES} merges of {len(text.encode()) // 1000} kB, against recounting (9 steps timed)"
    table: list[tuple] = [Row(what, quick, literal, literal / quick)]
    lengths = np.array([1, 2, 4, 8, 16]) * (len(text) // 4)
    repeated = text * 4
    times = [seconds(lambda n=n: fit_byte_pairs_incremental(repeated[:n], MERGES)) for n in lengths]
    exponent = np.polyfit(np.log(lengths), np.log(times), 1)[0]
    span = f"{lengths[0] // 1000} to {lengths[-1] // 1000} kB (the text repeated)"
    long = f"{span}, {MERGES} merges: time grows like length to the"
    table.append((long, f"{times[0]:.2f} s", f"{times[-1]:.2f} s", f"{exponent:.2f}"))
    encode = seconds(lambda: learned.encode(text))
    tokens = learned.encode(text)
    decode = seconds(lambda: learned.decode(tokens))
    table.append(("encoding the text, and decoding it again", f"{encode:.2f} s", f"{decode:.2f} s", "–"))
    return table
