"""Exercises of the chapter on generalisation: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["bias_of_few_fits", "half_the_mean", "own_peak", "two_equal_errors", "variance_left_over"]


# --- predict: an estimate that is wrong on average and better for it

half_the_mean = Predict(
    "1. Predict: half the mean",
    r"Outputs have mean $\mu=1$ and variance $\sigma^2=4$, and there is no input. You see four of them, "
    r"and predict the next one by half of their mean. What is the expected squared error?",
    answer=4.5,
    within=0.001,
    mistakes=[
        Mistake(5, "that is the error of the mean itself: half of it has a bias, and less variance"),
        Mistake(0.5, "this is bias² plus variance: the next output also has noise of its own"),
        Mistake(4.75, "half of an estimate has a quarter of its variance: a variance goes with the square"),
        Mistake(5.25, "the mean of four outputs has variance 1, and half of that mean a quarter of it"),
        Mistake(4.25, "bias² and variance are a quarter each: one of them is missing"),
        Mistake(5.5, "half of an estimate has a quarter of its variance, and the bias enters squared"),
    ],
    hints=[
        "Three numbers, to be added: noise, bias², variance.",
        r"The average prediction is $\frac12\mu$. The mean of four has variance $\sigma^2/4=1$.",
    ],
    why=r"$4+\left(\tfrac12\right)^2+\tfrac14\cdot1=4.5$, where the mean itself has $4+0+1=5$. "
    r"The shrunken prediction is wrong on average and still better. With $\mu=10$ it would be far worse.",
)


# --- choose: both errors are high

two_equal_errors = Choose(
    "2. Choose: two equal errors",
    "Sensors measure a temperature with noise of variance 0.05. A model fitted to 10,000 measurements "
    "has a mean squared error of 0.30 on them, and of 0.31 on fresh ones. What is worth trying first?",
    options=[
        Option(
            "Ten times as many measurements.",
            why="They would remove variance, and the two errors nearly agree: there is hardly any.",
        ),
        Option(
            "A stronger penalty.",
            why="A penalty lowers variance and adds bias. Here the bias is what is large already.",
        ),
        Option(
            "A richer model, or better features.",
            right=True,
            why="Noise explains 0.05, and the difference between the errors says that variance is small. "
            "About 0.25 is left: bias², or inputs that matter and were not recorded.",
        ),
        Option(
            "Better sensors.",
            why="Noise of variance 0.05 explains a sixth of the error; the rest would stay.",
        ),
    ],
    hints=["How much of 0.31 is noise? How much can be variance, if training and fresh error nearly agree?"],
)


# --- find the false line: the training error of least squares


def _training_error() -> Derivation:
    d = Derivation(
        "training error of least squares",
        where={
            "A": r"=X(X^\top X)^{-1}X^\top",
            "n": "rows of X",
            "d": "columns of X",
        },
        X=normal(7, 3),
        mu=normal(7),
        sigma2=uniform(0.5, 2.0),
    )
    d.start(r"\lVert\mu-A\mu\rVert^2+\sigma^2\operatorname{tr}\left((I-A)^\top(I-A)\right)")
    d.equals(
        r"\lVert\mu-A\mu\rVert^2+\sigma^2\operatorname{tr}\left(I-A-A^\top+A^\top A\right)",
        because="multiply out",
    )
    d.equals(
        r"\lVert\mu-A\mu\rVert^2+\sigma^2\left(n-2\operatorname{tr}(A)+\operatorname{tr}(A^\top A)\right)",
        because="a trace is linear, and that of the transpose is the same",
    )
    return d.equals(
        r"\lVert\mu-A\mu\rVert^2+\sigma^2(n-d)",
        because=r"$A$ is a projection: $A^\top A=A$, and its trace is its rank $d$",
    )


variance_left_over = FalseLine(
    _training_error(),
    {
        2: Variant(
            r"\lVert\mu-A\mu\rVert^2+\sigma^2\operatorname{tr}\left(I-A+A^\top A\right)",
            because="multiply out",
        ),
        3: Variant(
            r"\lVert\mu-A\mu\rVert^2+\sigma^2\left(n-\operatorname{tr}(A)+\operatorname{tr}(A^\top A)\right)",
            because="a trace is linear, and that of the transpose is the same",
        ),
        4: Variant(
            r"\lVert\mu-A\mu\rVert^2+\sigma^2n",
            because=r"$A$ is a projection: $A^\top A=A$, and the two traces cancel",
        ),
    },
    name="3. Find the false line: the training error of least squares",
    why=r"$(I-A)^\top(I-A)=I-A-A^\top+A^\top A$ has two mixed terms. With both of them the expected sum of "
    r"squared misses has $\sigma^2(n-d)$ in place of $\sigma^2n$: each parameter takes one $\sigma^2$ off.",
    hints=[
        r"$\sigma^2$ is the noise variance and $A$ turns the outputs into the fit. Try $n=1$ and $A=1$.",
        r"How many terms does $(I-A)^\top(I-A)$ have?",
    ],
)


# --- implement: the bias of few fits


def _corrected(predictions: Any, truth: Any) -> Any:
    m = len(predictions)
    apparent = np.mean((predictions.mean(axis=0) - truth) ** 2)
    return apparent - np.mean(predictions.var(axis=0, ddof=1)) / m


def _with(change: Any) -> Any:
    """The same with another correction, made of the variance (ddof = 1) and the number of fits."""

    def wrong(predictions: Any, truth: Any) -> Any:
        apparent = np.mean((predictions.mean(axis=0) - truth) ** 2)
        return apparent - change(np.mean(predictions.var(axis=0, ddof=1)), len(predictions))

    return wrong


def _each_fit(predictions: Any, truth: Any) -> Any:
    return np.mean((predictions - truth) ** 2)


def _fits(seed: int, m: int, n: int) -> dict[str, ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "predictions": np.round(rng.normal(1.0, 1.0, (m, n)), 2),
        "truth": np.round(rng.normal(size=n), 2),
    }


bias_of_few_fits = Exercise(
    "bias of few fits",
    answer=_corrected,
    cases=[_fits(0, 3, 2), _fits(1, 2, 5), _fits(2, 10, 30)],
    mistakes=[
        Mistake(_with(lambda v, m: 0.0), "this still has the variance of the average of m fits in it"),
        Mistake(_with(lambda v, m: v), "the average of m fits varies less than one fit"),
        Mistake(
            _with(lambda v, m: v * (m - 1) / m**2),
            "with few fits the mean square around their own average is too small a variance",
        ),
        Mistake(_with(lambda v, m: v / (m - 1)), "a mean of m fits has the variance of one divided by m"),
        Mistake(_with(lambda v, m: -v / m), "the variance of the average has made bias² too large: subtract"),
        Mistake(_with(lambda v, m: np.sqrt(v / m)), "a variance, not a standard deviation"),
        Mistake(_each_fit, "this is bias² plus variance: average the fits before squaring"),
    ],
    hint="what is the variance of the average of m independent fits, and how is it estimated from them?",
)


# --- break: a peak of one's own


def _judge_peak(attempt: Any) -> str | None:
    X = as_numbers(attempt)
    if X.shape != (5, 5):
        return f"give a matrix with 5 rows and 5 columns; this has shape {X.shape}."
    if not np.isfinite(X).all() or np.abs(X).max() > 1:
        return "every entry must be a number from −1 to 1."
    if np.linalg.norm(X, axis=0).min() < 0.5:
        return "a column is shorter than ½: a small column needs no other to be hard to see."
    if np.linalg.matrix_rank(X) < 5:
        return "these columns are dependent: then there is no single least-squares fit."
    four, five = (float(np.sum(1 / np.linalg.svd(X[:, :d], compute_uv=False) ** 2)) for d in (4, 5))
    if four > 10:
        return (
            f"with four columns the noise already becomes {four:.3g} in the parameters; at most 10, please."
        )
    if five < 1e6:
        return f"with all five columns the noise becomes {five:.3g} in the parameters: not yet a million."
    return None


own_peak = Exercise(
    "a peak of your own",
    judge=_judge_peak,
    answer=np.column_stack([np.eye(5)[:, :4], [1.0, 0.0, 0.0, 0.0, 5e-4]]),
    hint="which singular value is small when the last column is nearly a combination of the others?",
)
