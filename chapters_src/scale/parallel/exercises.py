"""Exercises of the chapter on many machines: predict, choose, find the false line, implement, repair."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["fair_loss", "mean_of_means", "reduce_scatter", "ring_of_eight", "what_to_cut"]


# --- predict: bytes in a ring

ring_of_eight = Predict(
    "1. Predict: a ring of eight",
    "Eight workers add their gradients of 350 million parameters in float32 around a ring. How many "
    "gigabytes (billions of bytes) does each worker send? (Three digits.)",
    answer=2 * 7 / 8 * 1.4,
    within=0.006,
    mistakes=[
        Mistake(2 * 7 / 8 * 0.35, "that counts numbers; each has four bytes"),
        Mistake(7 / 8 * 1.4, "that is one of the two phases"),
        Mistake(1.4, "a chunk at a time, in how many rounds?"),
        Mistake(2.8, "nearly: one chunk of each phase stays at home"),
        Mistake(7 * 1.4, "that is what all to all would cost"),
    ],
    hints=["A chunk has 350/8 million numbers.", "There are 14 rounds, seven in each phase."],
    why="Fourteen rounds with an eighth of 1.4 GB each make 2.45 GB.",
)


# --- choose: a model that does not fit

what_to_cut = Choose(
    "2. Choose: what to cut",
    "A model of 3 billion parameters is trained in mixed precision on 16 devices of 24 GB each; activations "
    "need 6 GB on each. The program divides the rows of a batch and is to go on doing so, and no more may be "
    "sent than with copies. What is cut?",
    options=[
        Option(
            "nothing: a copy in each process",
            why="16 bytes for each parameter are 48 GB, more than a device has.",
        ),
        Option(
            "the optimiser",
            right=True,
            why="2 + 2 bytes for each parameter and 12/16 of a byte make 14.25 GB. With activations that is "
            "20.25 GB, and no more is sent than with copies.",
        ),
        Option(
            "everything",
            why="It fits, with 3 GB, but parameters have to be fetched twice in every step, and half as much "
            "again is sent.",
        ),
        Option(
            "the layers, as a pipeline",
            why="It would fit, and send even less. But it is another program, and most devices would wait "
            "unless the batch has many parts.",
        ),
    ],
    hints=["Count bytes for each parameter: 2, 2 and 12.", "Divide only what is cut by 16."],
)


# --- find the false line: the mean of means


def _means() -> Derivation:
    names = {"a": "rows of x", "b": "rows of y"}
    d = Derivation("the mean of a batch in two shares", where=names, x=normal(6), y=normal(3))
    d.start(r"\frac1{a+b}\left(\sum_{i=1}^ax_i+\sum_{i=1}^by_i\right)")
    d.equals(
        r"\frac a{a+b}\cdot\frac1a\sum_{i=1}^ax_i+\frac b{a+b}\cdot\frac1b\sum_{i=1}^by_i",
        because="multiply and divide by the rows of each share",
    )
    return d.equals(
        r"\frac1a\sum_{i=1}^ax_i+\frac b{a+b}\left(\frac1b\sum_{i=1}^by_i-\frac1a\sum_{i=1}^ax_i\right)",
        because=r"$\frac a{a+b}=1-\frac b{a+b}$",
    )


mean_of_means = FalseLine(
    _means(),
    {
        3: Variant(
            r"\frac12\left(\frac1a\sum_{i=1}^ax_i+\frac1b\sum_{i=1}^by_i\right)",
            because="both shares are means",
        )
    },
    name="3. Find the false line: the mean of means",
    why="The weights are one half only if both shares have as many rows.",
    hints=["Try shares of one row and of two."],
)


# --- implement: the first phase of the ring


def _scattered(vectors: ndarray) -> ndarray:
    return np.roll(vectors.sum(axis=0), -1)


def _in_place_order(vectors: ndarray) -> ndarray:
    return vectors.sum(axis=0)


def _other_way(vectors: ndarray) -> ndarray:
    return np.roll(vectors.sum(axis=0), 1)


def _without_own(vectors: ndarray) -> ndarray:
    sums = np.roll(vectors.sum(axis=0), -1)
    return sums - np.array([vectors[i, (i + 1) % len(vectors)] for i in range(len(vectors))])


def _rows(vectors: ndarray) -> ndarray:
    return vectors.sum(axis=1)


def _vectors(seed: int, p: int) -> dict[str, ndarray]:
    return {"vectors": np.random.default_rng(seed).integers(1, 50, (p, p)).astype(float)}


reduce_scatter = Exercise(
    "4. Implement: half a ring",
    answer=_scattered,
    cases=[_vectors(0, 4), _vectors(1, 2), _vectors(2, 5)],
    mistakes=[
        Mistake(_in_place_order, "these are the sums, but worker i ends with chunk i + 1, not with chunk i"),
        Mistake(_other_way, "the ring turns the other way: worker i ends with chunk i + 1"),
        Mistake(_without_own, "one worker is missing in each sum: the last receiver adds its own number too"),
        Mistake(_rows, "a worker's own numbers belong to different chunks; add over workers"),
    ],
    hint="In round r worker i sends chunk i − r to worker i + 1. How many rounds are needed?",
)


# --- repair: shares that are not equal


def _fair(losses: ndarray, rank: int, count: int) -> float:
    return float(np.array_split(losses, count)[rank].sum() * count / len(losses))


def _plain(losses: ndarray, rank: int, count: int) -> float:
    return float(np.array_split(losses, count)[rank].mean())


def _no_count(losses: ndarray, rank: int, count: int) -> float:
    return float(np.array_split(losses, count)[rank].sum() / len(losses))


def _upside_down(losses: ndarray, rank: int, count: int) -> float:
    mine = np.array_split(losses, count)[rank]
    return float(mine.mean() * len(losses) / (count * len(mine)))


def _losses(seed: int, n: int, rank: int, count: int) -> dict[str, ndarray | int]:
    return {"losses": np.random.default_rng(seed).uniform(1, 5, n), "rank": rank, "count": count}


fair_loss = Exercise(
    "5. Repair: a fair loss",
    answer=_fair,
    cases=[_losses(0, 7, 0, 2), _losses(1, 8, 2, 3), _losses(2, 6, 1, 3)],
    mistakes=[
        Mistake(_plain, "that is the colleague's: rows of a small share count more than others"),
        Mistake(_no_count, "the mean over processes divides by their number once more"),
        Mistake(_upside_down, "the factor is upside down: a larger share must weigh more"),
    ],
    hint="The mean over processes of what you return must be the sum of all losses divided by their number.",
)
