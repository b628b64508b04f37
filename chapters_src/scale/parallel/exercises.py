"""Exercises of the chapter on many machines: predict, choose, find the false line, implement, repair."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["clipped_pieces", "fixed_batch", "one_collects", "reduce_scatter", "what_to_cut"]


# --- predict: one worker that collects, in place of a ring

one_collects = Predict(
    "1. Predict: one collects",
    "Eight workers add their gradients, but not in a ring: all others send their whole vectors to worker 1, "
    "which adds them up and sends the sum back to each. How many times as many numbers pass through the "
    "network connection of worker 1, in and out, as through that of a worker in a ring of eight?",
    answer=4,
    within=0.01,
    mistakes=[
        Mistake(1, "over all workers the totals agree; asked is the connection of one worker"),
        Mistake(14, "so many vectors go in and out of worker 1; divide by what a worker in the ring has"),
        Mistake(7, "a worker in a ring sends more than one vector, and receives as much"),
        Mistake(3.5, "nearly: a worker in a ring of eight stays below two vectors each way"),
        Mistake(8, "for worker 1 you count both ways; do so for the worker in the ring, too"),
        Mistake(2, "for the worker in the ring you count both ways; do so for worker 1, too"),
        Mistake(0.25, "upside down"),
    ],
    hints=[
        "How many vectors does worker 1 receive, and how many does it send?",
        "In a ring each worker sends $2\\cdot\\frac78$ of a vector and receives as much.",
    ],
    why="Worker 1 receives 7 vectors and sends 7, a worker in the ring 7/4 each way: 14/3.5 = 4, and $p/2$ "
    "for $p$ workers. Over all workers the totals agree. The ring spreads them, so that no connection is "
    "busier than the others.",
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


# --- find the false line: more devices for the same batch


def _fixed_batch() -> Derivation:
    d = Derivation(
        "a batch of fixed size",
        p=uniform(2, 64),
        s=uniform(2, 4),
        N=uniform(1, 9),
        T=uniform(1, 9),
        F=uniform(1, 9),
        R=uniform(1, 9),
    )
    d.start(r"\frac{2\frac{p-1}psN/R}{6N\frac Tp/F}")
    d.equals(
        r"\frac{2(p-1)sN}{pR}\cdot\frac{pF}{6NT}",
        because="dividing by a fraction is multiplying by its inverse",
    )
    d.equals(r"\frac{2(p-1)pNsF}{6pNRT}", because="multiply the fractions")
    return d.equals(r"\frac{(p-1)sF}{3TR}", because="$2$, $N$ and $p$ cancel")


fixed_batch = FalseLine(
    _fixed_batch(),
    {4: Variant(r"\frac{(p-1)sF}{3pTR}", because="$2$ and $N$ cancel")},
    name="3. Find the false line: a batch of fixed size",
    question="A batch of $T$ tokens is divided equally among $p$ devices; what are then the seconds of "
    "communication over those of computation? One line has been changed, and it no longer agrees with the "
    "others. Which one?",
    why="$p$ stands above and below and cancels. With a fixed batch of $T$ tokens the ratio of communication "
    "to computation grows with $p$; with fixed tokens per device it stays below a limit.",
    hints=["Try $p=2$ and everything else 1."],
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


# --- repair: a gradient in pieces, clipped


def _clipped(pieces: ndarray, most: float) -> ndarray:
    return pieces * min(1, most / np.linalg.norm(pieces))


def _each_its_own(pieces: ndarray, most: float) -> ndarray:
    return pieces * np.minimum(1, most / np.linalg.norm(pieces, axis=1, keepdims=True))


def _by_the_longest(pieces: ndarray, most: float) -> ndarray:
    return pieces * min(1, most / np.linalg.norm(pieces, axis=1).max())


def _by_the_mean(pieces: ndarray, most: float) -> ndarray:
    return pieces * min(1, most / np.sqrt((pieces**2).sum(axis=1).mean()))


def _lengths_added(pieces: ndarray, most: float) -> ndarray:
    return pieces * min(1, most / np.linalg.norm(pieces, axis=1).sum())


def _gradient(seed: int, p: int, most: float) -> dict[str, ndarray | float]:
    return {"pieces": np.random.default_rng(seed).normal(size=(p, 5)), "most": most}


clipped_pieces = Exercise(
    "5. Repair: clipping in pieces",
    answer=_clipped,
    cases=[_gradient(0, 2, 1.0), _gradient(1, 4, 0.5), _gradient(2, 3, 50.0)],
    mistakes=[
        Mistake(_each_its_own, "each piece gets a factor of its own, so the whole changes its direction"),
        Mistake(_by_the_longest, "the whole is longer than the longest of its pieces"),
        Mistake(_by_the_mean, "a mean over processes is too small; the squares have to be added"),
        Mistake(_lengths_added, "lengths do not add up; which powers of them do?"),
    ],
    hint="Which one number must all processes know, and what can each contribute to it?",
    within=1e-5,  # torch divides by the length plus a millionth
)
