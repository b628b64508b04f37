"""Exercises of the chapter on stochastic gradients: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    normal,
    probabilities,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "full_batch_survives",
    "quarter_of_the_noise",
    "repaired_epoch",
    "uneven_draws",
    "which_converges",
]


# --- predict: the batch, without replacement from nine, with a quarter of the variance of one example

quarter_of_the_noise = Predict(
    "1. Predict: a quarter of the noise",
    "There are nine examples, and batches are drawn without replacement. Which batch size gives a gradient "
    "with a quarter of the variance of a single example's gradient?",
    answer=3,
    within=1e-6,
    mistakes=[
        Mistake(4, "that is the answer with replacement; without it the noise falls faster"),
        Mistake(2, "two examples leave 7/16 of the variance: nearly a half, and it is to fall to a quarter"),
        Mistake(16, "there are only nine examples, and the variance is already a square"),
        Mistake(9, "then the batch is everything and no noise is left"),
        Mistake(2.25, r"not a quarter of the examples: put $n=9$ into $\frac1B\cdot\frac{n-B}{n-1}$"),
    ],
    hints=[
        r"The variance is $\frac{\sigma^2}B\cdot\frac{n-B}{n-1}$; for $B=1$ it is $\sigma^2$.",
        r"Solve $\frac1B\cdot\frac{9-B}8=\frac14$.",
    ],
    why=r"$4(9-B)=8B$ gives $B=3$: $\frac13\cdot\frac68=\frac14$.",
)


# --- choose: where does a fixed rate converge?

which_converges = Choose(
    "2. Choose: the run that needs no falling rate",
    r"Four runs of SGD with a small fixed rate and batches of one, each on "
    r"$\ell_i=\frac12(x_i^\top\theta-y_i)^2$ with 50 examples. "
    "Which one converges to the minimum of the mean loss?",
    options=[
        Option(
            "10 parameters, and outputs with noise that no line explains.",
            why="At the minimum the examples still pull in different directions, so the walk keeps moving.",
        ),
        Option(
            "100 parameters and independent rows.",
            right=True,
            why="With more parameters than examples some θ fits every one of them. There each gradient is "
            "zero, so the noise vanishes as the walk arrives.",
        ),
        Option(
            "1 parameter, and so many examples that their mean is known to many digits.",
            why="A batch of one has the variance of one example, however many others there are.",
        ),
        Option(
            "10 parameters and noisy outputs, but every epoch shuffled afresh.",
            why="Shuffling makes the noise of an epoch smaller; at the minimum single steps still disagree.",
        ),
    ],
    hints=[
        "What does a single example's gradient look like at the minimum?",
        "In which run can all 50 errors be zero at once?",
    ],
)


# --- find the false line: examples drawn unevenly, example i with probability pᵢ, its gradient over npᵢ


def _uneven() -> Derivation:
    names = {"n": "rows of g", r"\bar g": r"=\frac1n\sum_ig_i"}
    d = Derivation("uneven draws", where=names, g=normal(5), p=probabilities(5))
    d.start(r"\sum_ip_i\left(\frac{g_i}{np_i}-\bar g\right)^2")
    d.equals(
        r"\sum_ip_i\left(\frac{g_i}{np_i}\right)^2-\bar g^2",
        because="a variance: mean square, less squared mean",
    )
    d.equals(r"\sum_i\frac{g_i^2}{n^2p_i}-\bar g^2", because="square, and cancel")
    return d.equals(
        r"\frac1{n^2}\left(\sum_i\frac{g_i^2}{p_i}-\left(\sum_ig_i\right)^2\right)",
        because="take out $1/n^2$",
    )


uneven_draws = FalseLine(
    _uneven(),
    {
        3: Variant(r"\sum_i\frac{g_i^2}{n^2}-\bar g^2", because="square, and cancel"),
        4: Variant(
            r"\frac1{n^2}\left(\sum_ig_i^2-\left(\sum_ig_i\right)^2\right)", because="take out $1/n^2$"
        ),
    },
    name="3. Find the false line: drawing some examples more often",
    why=r"$p_i/p_i^2=1/p_i$: one factor stays in the denominator. It is why an example that is drawn rarely "
    "and weighted up makes the noise large.",
    hints=[
        r"Example $i$ is drawn with probability $p_i$ and its gradient divided by $np_i$. Take two examples "
        "with probabilities one half each.",
        r"Which power of $p_i$ is left of $p_i\cdot p_i^{-2}$?",
    ],
)


# --- repair: one epoch of SGD whose batches are computed in pieces


@dataclass(frozen=True)
class _MeanGradient:
    """The mean gradient of ½(xᵀθ − y)² over a few examples; more than ``room`` do not fit into memory."""

    X: Any
    y: Any
    room: int

    def __call__(self, theta: Any, rows: Any) -> Any:
        if not 1 <= len(rows) <= self.room:
            raise MemoryError(f"there is room for 1 to {self.room} examples at a time; got {len(rows)}")
        return self.X[rows].T @ (self.X[rows] @ theta - self.y[rows]) / len(rows)

    def __repr__(self) -> str:
        return f"a mean gradient of {len(self.y)} examples"


def _epoch_with(weight: Callable[[int, int, int, int], float]) -> Callable[..., Any]:
    """One epoch; a piece of a batch gets a weight by its own length, the batch's, B and room."""

    def epoch(gradient: Any, theta: Any, eta: float, B: int, room: int, order: Any) -> Any:
        for k in range(0, len(order), B):
            batch, g = order[k : k + B], 0.0
            for j in range(0, len(batch), room):
                piece = batch[j : j + room]
                g = g + weight(len(piece), len(batch), B, room) * gradient(theta, piece)
            theta = theta - eta * g
        return theta

    return epoch


_whole_batches = _epoch_with(lambda piece, batch, B, room: piece / batch)


def _steps_of_pieces(gradient: Any, theta: Any, eta: float, B: int, room: int, order: Any) -> Any:
    for k in range(0, len(order), B):
        batch = order[k : k + B]
        for j in range(0, len(batch), room):
            piece = batch[j : j + room]
            theta = theta - eta * len(piece) / len(batch) * gradient(theta, piece)
    return theta


def _as_stored(gradient: Any, theta: Any, eta: float, B: int, room: int, order: Any) -> Any:
    return _whole_batches(gradient, theta, eta, B, room, np.arange(len(order)))


def _last_dropped(gradient: Any, theta: Any, eta: float, B: int, room: int, order: Any) -> Any:
    return _whole_batches(gradient, theta, eta, B, room, order[: len(order) - len(order) % B])


def _epoch_case(seed: int, n: int, d: int, B: int, room: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    gradient = _MeanGradient(rng.normal(size=(n, d)), rng.normal(size=n), room)
    start = {"theta": rng.normal(size=d), "eta": 0.1, "B": B, "room": room}
    return {"gradient": gradient, **start, "order": rng.permutation(n)}


repaired_epoch = Exercise(
    "repaired epoch",
    answer=_whole_batches,
    cases=[
        _epoch_case(0, 5, 2, 3, 2),
        _epoch_case(1, 7, 3, 4, 2),
        _epoch_case(2, 6, 2, 6, 4),
        _epoch_case(3, 4, 1, 1, 1),
    ],
    mistakes=[
        Mistake(
            _epoch_with(lambda piece, batch, B, room: 1),
            "this is the function as given: a sum of two means is not the mean of the batch",
        ),
        Mistake(
            _epoch_with(lambda piece, batch, B, room: 1 / -(-batch // room)),
            "the mean of the means counts a short piece as much as a long one",
        ),
        Mistake(
            _epoch_with(lambda piece, batch, B, room: piece / B),
            "the last batch is smaller: its mean is a sum over its own length",
        ),
        Mistake(
            _epoch_with(lambda piece, batch, B, room: piece),
            "this is the sum over the batch, and the step wants the mean",
        ),
        Mistake(
            _steps_of_pieces,
            r"$\theta$ moves between the pieces: all of a batch need their gradient at one place",
        ),
        Mistake(_as_stored, "this takes the examples as they stand: the batches are cut from `order`"),
        Mistake(_last_dropped, "the last, smaller batch belongs to the epoch too"),
    ],
    hint="compare g with the gradient of the whole batch: how much should each piece count?",
)


# --- break: inputs x on which descent on ½x²θ² with rate 1 converges and SGD with single examples does not


def _judge_survivor(attempt: Any) -> str | None:
    x = as_numbers(attempt)
    if x.ndim != 1 or not 2 <= len(x) <= 10 or not np.isfinite(x).all():
        return f"give 2 to 10 finite numbers in one dimension; got shape {x.shape}."
    full = abs(1 - np.mean(x**2))
    if full >= 1:
        return f"the full gradient multiplies θ by {1 - np.mean(x**2):.2f}: it does not converge either."
    if full > 0.95:
        return f"the full gradient keeps {full:.2f} of θ: make it converge with room, at most 0.95."
    epoch = float(np.prod(np.abs(1 - x**2)))
    if epoch >= 1.05:
        return None
    return f"one epoch of single examples multiplies |θ| by {epoch:.2f}: it must grow, by 1.05 or more."


full_batch_survives = Exercise(
    "inputs on which only the full batch survives",
    judge=_judge_survivor,
    answer=np.array([0.0, 1.9]),
    hint="a single step multiplies θ by $1-x_i^2$: one $x_i^2$ above 2, their mean below",
)
