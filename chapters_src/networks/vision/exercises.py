"""Exercises of the chapter on vision: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.networks.vision import oriented_gradients
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, positive
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["class_map", "last_layer", "twins", "what_it_sees", "worst_case"]


# --- predict: the parameters of the dense layer behind convolution and pooling

last_layer = Predict(
    "1. Predict: the price of the last layer",
    "A grey image of 64×64 pixels goes through 8 filters of 5×5 with stride 2 and padding 2, then through "
    "max pooling with windows of 3 and stride 2, then into a dense layer of 10 units. How many parameters "
    "does the dense layer have, biases included?",
    answer=18_010,
    within=0.5,
    mistakes=[
        Mistake(18_000, "ten biases are missing"),
        Mistake(20_490, "windows of 3 with stride 2 fit fewer times than windows of 2: round down"),
        Mistake(2_260, "all eight maps are flattened, not one"),
        Mistake(2_250, "all eight maps are flattened, not one, and there are biases"),
        Mistake(76_890, "the convolution has stride 2"),
        Mistake(81_930, "pooling makes the maps smaller too"),
    ],
    hints=[
        "Follow the side of the image: 64 → ? → ?",
        "The convolution gives ⌊(64 + 4 − 5)/2⌋ + 1 = 32 places along a side. Do the same for the pooling.",
        "15 × 15 × 8 numbers arrive at each of the ten units.",
    ],
    why="64 → 32 → 15, so 8·15·15 = 1,800 inputs, and 1,800·10 + 10 parameters. The convolution has 208.",
)


# --- choose: what the hand-made features notice

what_it_sees = Choose(
    "2. Choose: what do the hand-made features notice?",
    "A digit in white ink on black is changed. For which change does `oriented_gradients` (directions from 0 "
    "to 180 degrees, one scale per image) return other numbers?",
    options=[
        Option(
            "Black ink on white: $1-x$.",
            why="Every gradient changes its sign. Its length stays, and modulo 180 degrees its direction.",
        ),
        Option(
            "A faded print: $0.3x+0.5$.",
            why="The constant has no gradient, and the factor is divided out.",
        ),
        Option(
            "A photograph of it in a mirror.",
            right=True,
            why="Cells change places, and a stroke that leant to the right leans to the left.",
        ),
        Option(
            "A negative, faded: $0.9-0.5x$.",
            why="A constant, a sign and a factor: none of the three can be seen.",
        ),
    ],
    hints=["Write the gradient of each changed image as a multiple of the old one, where you can."],
)


# --- find the false line: the worst small change for a linear model


def _worst() -> Derivation:
    d = Derivation(
        "the worst change for a linear model",
        where={r"\operatorname{sign}": np.sign},
        w=normal(5),
        x=normal(5),
        e=positive(),
    )
    d.start(r"\log\left(1+\exp\left(-w^\top(x-e\operatorname{sign}(w))\right)\right)")
    d.equals(
        r"\log\left(1+\exp\left(-w^\top x+e\,w^\top\operatorname{sign}(w)\right)\right)",
        because="multiply out",
    )
    d.equals(
        r"\log\left(1+\exp\left(-w^\top x+e\sum_{j=1}^5\lvert w_j\rvert\right)\right)",
        because=r"$w_j\operatorname{sign}(w_j)=\lvert w_j\rvert$",
    )
    return d.at_most(
        r"\log\left(1+\exp\left(-w^\top x\right)\right)+e\sum_{j=1}^5\lvert w_j\rvert",
        because=r"the slope of $\log(1+\exp u)$ is at most 1",
        tight={"w": np.zeros(5)},
    )


worst_case = FalseLine(
    _worst(),
    {
        3: Variant(
            r"\log\left(1+\exp\left(-w^\top x+e\sqrt{\sum_{j=1}^5w_j^2}\right)\right)",
            because=r"$w^\top\operatorname{sign}(w)$ is the length of $w$",
        ),
        4: Variant(
            r"\log\left(1+\exp\left(-w^\top x\right)\right)+e\sqrt{\sum_{j=1}^5w_j^2}",
            because=r"the slope of $\log(1+\exp u)$ is at most 1",
        ),
    },
    name="3. Find the false line: the worst change for a linear model",
    why=r"$w^\top\operatorname{sign}(w)=\sum_j\lvert w_j\rvert$, which grows with the number of pixels $d$, "
    r"where the length grows with $\sqrt d$.",
    hints=[
        "Try $w=(1,1)$.",
        r"What is $w_j\operatorname{sign}(w_j)$, and which norm is the sum of these?",
    ],
)


# --- implement: the map behind a logit


def _class_map(h: Any, W: Any, k: int) -> Any:
    return np.tensordot(np.asarray(W)[:, k], np.asarray(h), axes=1)


def _row(h: Any, W: Any, k: int) -> Any:
    return np.tensordot(np.asarray(W)[k], np.asarray(h), axes=1)


def _mean_first(h: Any, W: Any, k: int) -> Any:
    return np.asarray(h).mean(axis=(1, 2)) @ np.asarray(W)[:, k]


def _per_place(h: Any, W: Any, k: int) -> Any:
    return _class_map(h, W, k) / np.asarray(h)[0].size


def _relu(h: Any, W: Any, k: int) -> Any:
    return np.maximum(_class_map(h, W, k), 0)


def _map_case(seed: int, channels: int, classes: int, rows: int, columns: int, k: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "h": rng.normal(size=(channels, rows, columns)),
        "W": rng.normal(size=(channels, classes)),
        "k": k,
    }


class_map = Exercise(
    "class map",
    answer=_class_map,
    cases=[_map_case(0, 3, 3, 2, 4, 1), _map_case(1, 5, 5, 3, 3, 0), _map_case(2, 4, 6, 5, 2, 3)],
    mistakes=[
        Mistake(_row, "W has a row per channel and a column per class"),
        Mistake(_mean_first, "this is the logit itself; leave the mean over places to the reader of the map"),
        Mistake(
            _per_place, "the mean of the map is to be the logit, so the map is not divided by the places"
        ),
        Mistake(_relu, "cut nothing off: places that speak against the class belong to the mean too"),
    ],
    hint="exchange the two sums: the one over channels and the one over places",
)


# --- break: two images that the features cannot tell apart


def _judge_twins(attempt: Any) -> str | None:
    pair = as_numbers(attempt)
    if pair.shape != (2, 8, 8) or not np.isfinite(pair).all():
        return f"give two finite images of 8×8 pixels, please; got shape {pair.shape}."
    if min(np.ptp(one) for one in pair) == 0:
        return "an image of one grey has no edges at all; give both some."
    alike = float(np.corrcoef(pair.reshape(2, -1))[0, 1])
    if abs(alike) > 0.5:
        return f"these are nearly the same picture, or its negative: their correlation is {alike:.2f}."
    features = oriented_gradients(pair)
    gap = float(np.linalg.norm(features[0] - features[1]))
    if gap > 1e-6:
        return f"the features tell them apart: they are {gap:.2f} from each other, and each has length 1."
    return None


def _spots() -> Any:
    pair = np.zeros((2, 8, 8))
    pair[0, 1, 1] = pair[1, 2, 2] = 1.0
    return pair


twins = Exercise(
    "two images that the features cannot tell apart",
    judge=_judge_twins,
    answer=_spots(),
    hint="a cell of 4×4 pixels counts directions and forgets where in the cell they were",
)
