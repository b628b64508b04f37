"""Exercises of the chapter on stochastic gradients: predict, choose, find the false line, repair, break."""

from __future__ import annotations

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
        Mistake(2, "that halves the error with neither formula: the variance is to fall to a quarter"),
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


# --- repair: one epoch of SGD on ½(xᵀθ − y)² along a given order


def _epoch(X: Any, y: Any, theta: Any, eta: float, B: int, order: Any) -> Any:
    for k in range(0, len(y), B):
        rows = order[k : k + B]
        theta = theta - eta * X[rows].T @ (X[rows] @ theta - y[rows]) / len(rows)
    return theta


def _both_bugs(X: Any, y: Any, theta: Any, eta: float, B: int, order: Any) -> Any:
    for k in range(0, len(y), B):
        rows = order[k : k + B]
        theta = theta - eta * X[rows].T @ (X[rows] @ theta - y[k : k + B]) / B
    return theta


def _unshuffled_y(X: Any, y: Any, theta: Any, eta: float, B: int, order: Any) -> Any:
    for k in range(0, len(y), B):
        rows = order[k : k + B]
        theta = theta - eta * X[rows].T @ (X[rows] @ theta - y[k : k + B]) / len(rows)
    return theta


def _divided_by_B(X: Any, y: Any, theta: Any, eta: float, B: int, order: Any) -> Any:
    for k in range(0, len(y), B):
        rows = order[k : k + B]
        theta = theta - eta * X[rows].T @ (X[rows] @ theta - y[rows]) / B
    return theta


def _never_shuffled(X: Any, y: Any, theta: Any, eta: float, B: int, order: Any) -> Any:
    return _epoch(X, y, theta, eta, B, np.arange(len(y)))


def _last_dropped(X: Any, y: Any, theta: Any, eta: float, B: int, order: Any) -> Any:
    whole = len(y) - len(y) % B
    return _epoch(X[order[:whole]], y[order[:whole]], theta, eta, B, np.arange(whole))


def _epoch_case(seed: int, n: int, d: int, B: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    data = {"X": rng.normal(size=(n, d)), "y": rng.normal(size=n), "theta": rng.normal(size=d)}
    return {**data, "eta": 0.1, "B": B, "order": rng.permutation(n)}


repaired_epoch = Exercise(
    "repaired epoch",
    answer=_epoch,
    cases=[
        _epoch_case(0, 5, 2, 2),
        _epoch_case(1, 7, 3, 3),
        _epoch_case(2, 6, 2, 6),
        _epoch_case(3, 4, 1, 1),
    ],
    mistakes=[
        Mistake(_both_bugs, "this is the function as given: print `rows` beside the rows of y that it uses"),
        Mistake(_unshuffled_y, "X is shuffled and y is not: each input is paired with another's output"),
        Mistake(_divided_by_B, "the last batch is smaller: its mean is a sum over its own length"),
        Mistake(_never_shuffled, "this takes the rows as they stand: `order` is to be followed in X and y"),
        Mistake(_last_dropped, "the last, smaller batch belongs to the epoch too"),
    ],
    hint="two things are wrong: one in which rows are used, and one in what the sum is divided by",
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
