"""Exercises on adversarial networks: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from chapters_src.studio import (
    Choose,
    Derivation,
    Exercise,
    FalseLine,
    Mistake,
    Option,
    Predict,
    Variant,
    positive,
    uniform,
)

__all__ = ["least_squares_game", "only_sevens", "recall", "sorted_transport", "three_to_one"]


# --- predict: a discriminator that sees more drawn points than true ones

three_to_one = Predict(
    "1. Predict: three to one",
    "The generator is perfect, $q=p$. But each batch of the discriminator has 32 true points and 96 drawn "
    "ones, and its loss is the mean over all 128. What does the best discriminator answer?",
    answer=0.25,
    within=0.001,
    mistakes=[
        Mistake(0.5, "that is right for as many drawn points as true ones; how often is a point true here?"),
        Mistake(
            0.75, "that is the probability that a point is drawn; $D$ is the probability that it is true"
        ),
        Mistake(1 / 3, "that is the ratio of true to drawn points; divide by all points"),
        Mistake(3, "a probability is at most 1"),
    ],
    hints=[
        "Write the loss at one $x$ as $a\\,p\\log D+b\\,q\\log(1-D)$. What are $a$ and $b$?",
        "The largest value is at $D=ap/(ap+bq)$.",
    ],
    why="The best answer is p/(p + 3q), and 1/4 for q = p: how often each kind is shown counts.",
)


# --- choose: a generator that copies one digit

only_sevens = Choose(
    "2. Choose: nothing but sevens",
    "A generator has stored the training images of the digit 7 and returns one of them each time. It is "
    "compared with *held-out* images of all ten digits. Which columns of the table notice?",
    options=[
        Option(
            "precision is low, because nine digits are missing",
            why="Precision asks whether drawn points lie among true ones. Real sevens do: it is 0.94.",
        ),
        Option(
            "recall is low, Fréchet and energy distance are large; precision is high",
            right=True,
            why="Recall is 0.03, the Fréchet distance 81 and the energy distance 0.91. Precision is 0.94, as "
            "for all training images. That the images are copies shows in the last column alone.",
        ),
        Option(
            "only the last, because every image is a true one",
            why="It notices the copying. But nine digits are missing, and recall, Fréchet and energy "
            "distance compare whole clouds.",
        ),
        Option(
            "recall is high, because each drawn image has true ones near it",
            why="That is precision. Recall asks it of the true images, and most have no drawn one near.",
        ),
    ],
    hints=["Which measures ask something of each *true* image?"],
)


# --- find the false line: a game with squares


def _squares() -> Derivation:
    d = Derivation("a game with squares", p=positive(), q=positive(), D=uniform(0.05, 0.95))
    d.start(r"\frac12\left(p(D-1)^2+qD^2\right)")
    d.equals(r"\frac12\left((p+q)D^2-2pD+p\right)", because="multiply out")
    d.equals(
        r"\frac12(p+q)\left(D-\frac p{p+q}\right)^2+\frac12\left(p-\frac{p^2}{p+q}\right)",
        because="complete the square",
    )
    d.equals(
        r"\frac12(p+q)\left(D-\frac p{p+q}\right)^2+\frac12\frac{pq}{p+q}", because="a common denominator"
    )
    return d.at_least(
        r"\frac12\frac{pq}{p+q}",
        because=r"a square is at least 0, and 0 at $D=\frac p{p+q}$",
        tight={"D": lambda p, q: p / (p + q)},
    )


least_squares_game = FalseLine(
    _squares(),
    {
        4: Variant(
            r"\frac12(p+q)\left(D-\frac p{p+q}\right)^2+\frac12\frac{q^2}{p+q}",
            because="a common denominator",
        ),
        5: Variant(
            r"\frac12\frac{q^2}{p+q}",
            because=r"a square is at least 0, and 0 at $D=\frac p{p+q}$",
        ),
    },
    name="3. Find the false line: a game with squares",
    why="$p(p+q)-p^2=pq$. With squares in place of logarithms (a least-squares GAN) the best discriminator "
    "is the same, and what it still loses is largest where $q=p$.",
    hints=["Try $p=1$ and $q=2$.", "What is $p(p+q)-p^2$?"],
)


# --- repair: recall


def _recall(real: Any, fake: Any, k: int) -> float:
    reach = np.sort(cdist(fake, fake), axis=1)[:, k]
    return float((cdist(real, fake) <= reach).any(axis=1).mean())


def _nearest_counts_itself(real: Any, fake: Any, k: int) -> float:
    reach = np.sort(cdist(fake, fake), axis=1)[:, k - 1]
    return float((cdist(real, fake) <= reach).any(axis=1).mean())


def _every_ball(real: Any, fake: Any, k: int) -> float:
    reach = np.sort(cdist(fake, fake), axis=1)[:, k]
    return float((cdist(real, fake) <= reach).all(axis=1).mean())


def _reach_across(real: Any, fake: Any, k: int) -> float:
    reach = np.sort(cdist(fake, real), axis=1)[:, k - 1]
    return float((cdist(real, fake) <= reach).any(axis=1).mean())


def _balls_of_the_true(real: Any, fake: Any, k: int) -> float:
    reach = np.sort(cdist(real, real), axis=1)[:, k]
    return float((cdist(real, fake) <= reach[:, None]).any(axis=1).mean())


def _clouds(seed: int, n: int, m: int, k: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"real": rng.normal(size=(n, 2)), "fake": 0.5 * rng.normal(size=(m, 2)) + 0.6, "k": k}


recall = Exercise(
    "the recall of a generator",
    answer=_recall,
    cases=[_clouds(0, 60, 40, 2), _clouds(1, 30, 50, 3), _clouds(2, 40, 25, 1)],
    mistakes=[
        Mistake(
            _nearest_counts_itself,
            "the nearest point of a cloud to one of its own points is that point, at distance 0",
        ),
        Mistake(
            lambda real, fake, k: _recall(fake, real, k), "that is precision: true and drawn changed places"
        ),
        Mistake(_every_ball, "inside *one* of the balls is enough"),
        Mistake(_reach_across, "a ball reaches to a neighbour in its own cloud"),
        Mistake(
            _balls_of_the_true,
            "these balls stand around true points; a wide gap in the data would make them large",
        ),
    ],
    hint="which column of the sorted distances inside a cloud holds the k-th neighbour?",
)


# --- implement: the distance of two samples on a line


def _sorted_transport(x: Any, y: Any) -> float:
    return float(np.abs(np.sort(x) - np.sort(y)).mean())


def _pair(seed: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"x": rng.normal(size=n), "y": 2 * rng.normal(size=n) + 0.5}


sorted_transport = Exercise(
    "the Wasserstein distance of two samples on a line",
    answer=_sorted_transport,
    cases=[{"x": np.array([3.0, 0.0, 1.0]), "y": np.array([2.0, 7.0, -1.0])}, _pair(1, 8), _pair(2, 31)],
    mistakes=[
        Mistake(lambda x, y: np.abs(x - y).mean(), "that is one plan of many; which pairs cross each other?"),
        Mistake(
            lambda x, y: abs(x.mean() - y.mean()),
            "that is the gap for the critic $f(x)=x$ alone; two heaps with one mean can still differ",
        ),
        Mistake(lambda x, y: np.abs(x[:, None] - y).mean(), "that plan spreads every point over all others"),
        Mistake(
            lambda x, y: np.abs(np.sort(x) - np.sort(y)).sum(),
            "each point has mass $1/n$; you moved mass 1 each",
        ),
        Mistake(
            lambda x, y: np.sqrt(np.square(np.sort(x) - np.sort(y)).mean()),
            "the pairs are right; the cost is the distance, not its square",
        ),
        Mistake(
            lambda x, y: np.abs(x[:, None] - y).min(axis=1).mean(),
            "several points went to the same place; every $y$ must receive mass $1/n$",
        ),
    ],
    hint="if two pairs cross, uncrossing them never costs more; which plan has no crossings?",
)
