"""Exercises of the chapter on likelihood: predict, choose, find the false line, implement, break."""

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
    between,
    normal,
    positive,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["fleet", "heavy_tails", "kilometres", "laplace_scale", "seen_buses", "waiting_nll"]

seen_buses = (24, 61, 16, 56, 19)

# --- predict: the largest likelihood of a uniform distribution stands at its edge

fleet = Predict(
    "1. Predict: how many buses",
    "The buses of a company are numbered from 1 to $N$. On five days you rode in the buses 24, 61, 16, 56 "
    "and 19, each day in any of the $N$ with equal probability. Which $N$ has the largest likelihood?",
    answer=61,
    mistakes=[
        Mistake(between(69, 71), "that makes the mean number fit; compare its likelihood with that of 65"),
        Mistake(between(72, 74), "a good guess, and less biased, but not the one of largest likelihood"),
        Mistake(between(35, 36), "with so few buses, 61 and 56 would have been impossible"),
        Mistake(5, "five is how many you saw; there is a bus with the number 61"),
    ],
    hints=[
        "For a given $N$, what is the probability of the number 24? And of all five?",
        r"The likelihood is $N^{-5}$ for every $N$ that allows all five numbers, and 0 for the others.",
    ],
    why=r"$N^{-5}$ falls with $N$, and below 61 the likelihood is 0, so it is largest at an edge, where no "
    "slope is zero. The fleet cannot be smaller: the estimate is right or too small, never too large.",
)


# --- choose: a density has units

kilometres = Choose(
    "2. Choose: metres and kilometres",
    "A model predicts distances in metres and has a mean negative log-likelihood of 2.1 nats. You convert "
    "the data and the model's predictions, standard deviations included, to kilometres. The new value is",
    options=[
        Option(
            "still 2.1, because nothing was learned or forgotten",
            why="The model is as good as before, but a density is a probability per unit of length, and the "
            "unit has changed.",
        ),
        Option(
            r"$2.1-\log1000\approx-4.8$",
            right=True,
            why="The density per kilometre is 1000 times the density per metre. So a negative value is no "
            "mistake, and two models can be compared only in the same units.",
        ),
        Option(
            r"$2.1+\log1000\approx9.0$",
            why="Is there more probability in a kilometre or in a metre? The density per kilometre is "
            "larger, and the loss is minus its logarithm.",
        ),
        Option(
            "0.0021",
            why="Distances are divided by 1000. The loss is a logarithm, and does not scale with them.",
        ),
    ],
    hints=[
        r"What becomes of $\frac1{\sqrt{2\pi\sigma^2}}$ when $\sigma$ is divided by 1000?",
        r"The exponent $(y-\mu)^2/(2\sigma^2)$ has no unit and stays as it is.",
    ],
)


# --- find the false line: the scale of Laplace noise


def _laplace() -> Derivation:
    d = Derivation(
        "the best scale of Laplace noise",
        where={"n": "length of y"},
        y=normal(8),
        mu=normal(),
        b=positive(),
    )
    d.start(r"\frac{\partial}{\partial b}\left(-\sum_i\log\frac{e^{-\lvert y_i-\mu\rvert/b}}{2b}\right)")
    d.equals(
        r"\frac{\partial}{\partial b}\left(n\log(2b)+\frac1b\sum_i\lvert y_i-\mu\rvert\right)",
        because="the logarithm undoes the exponential",
    )
    d.equals(
        r"\frac nb-\frac1{b^2}\sum_i\lvert y_i-\mu\rvert",
        because="differentiate both terms",
    )
    return d.equals(
        r"\frac n{b^2}\left(b-\frac1n\sum_i\lvert y_i-\mu\rvert\right)",
        because=r"take out $n/b^2$: it is zero at $b=\frac1n\sum_i\lvert y_i-\mu\rvert$",
    )


laplace_scale = FalseLine(
    _laplace(),
    {
        3: Variant(
            r"\frac n{2b}-\frac1{b^2}\sum_i\lvert y_i-\mu\rvert",
            because="differentiate both terms",
        ),
        4: Variant(
            r"\frac n{2b^2}\left(b-\frac2n\sum_i\lvert y_i-\mu\rvert\right)",
            because=r"take out $n/(2b^2)$: it is zero at $b=\frac2n\sum_i\lvert y_i-\mu\rvert$",
        ),
    },
    name="3. Find the false line: noise with longer tails",
    why=r"$\log(2b)=\log2+\log b$ has the slope $1/b$: the 2 is a constant and drops out. "
    r"The best scale is the mean absolute error, as the best variance was the mean squared error.",
    hints=[
        "Try it with one observation: $n=1$, and $y-\\mu=1$. Which $b$ makes the density largest?",
        r"Write $\log(2b)$ as a sum before you differentiate it.",
    ],
)


# --- implement: a bus that has not come yet


def _waiting(minutes: Any, arrived: Any, rate: float) -> Any:
    return rate * np.sum(minutes) - np.sum(arrived) * np.log(rate)


waiting_nll = Exercise(
    "the loss of waiting times, some cut short",
    answer=_waiting,
    cases=[
        {"minutes": np.array([4.0, 10.0]), "arrived": np.array([1, 0]), "rate": 0.2},
        {"minutes": np.array([1.0, 2.5, 7.0, 3.0]), "arrived": np.array([1, 1, 0, 1]), "rate": 0.5},
        {"minutes": np.array([5.0, 5.0, 5.0]), "arrived": np.array([0, 0, 0]), "rate": 0.1},
        {"minutes": np.array([2.0, 6.0]), "arrived": np.array([1, 1]), "rate": 1.5},
    ],
    mistakes=[
        Mistake(
            lambda minutes, arrived, rate: rate * np.sum(minutes) - len(minutes) * np.log(rate),
            "you count every wait as if the bus had come at the end of it",
        ),
        Mistake(
            lambda minutes, arrived, rate: np.sum(arrived * (rate * minutes - np.log(rate))),
            "you leave out the waits that were cut short, and they say that buses are slow",
        ),
        Mistake(
            lambda minutes, arrived, rate: np.sum(arrived) * np.log(rate) - rate * np.sum(minutes),
            "this is the log-likelihood; the loss is minus that",
        ),
        Mistake(
            lambda minutes, arrived, rate: (
                (rate * np.sum(minutes) - np.sum(arrived) * np.log(rate)) / len(minutes)
            ),
            "the sum is asked for, not the mean",
        ),
        Mistake(
            lambda minutes, arrived, rate: (
                np.sum(arrived * (rate * minutes - np.log(rate)))
                - np.sum((1 - arrived) * np.log1p(-np.exp(-rate * minutes)))
            ),
            r"$1-e^{-\lambda t}$ is the probability that the bus came before $t$; here it had not",
        ),
    ],
    hint="a bus that came counts with its density; one that had not, with the probability of waiting longer",
)


# --- break: numbers for which a Gaussian is the wrong distribution


def _judge_tails(attempt: Any) -> str | None:
    y = as_numbers(attempt)
    if y.ndim != 1 or not 2 <= y.size <= 20 or not np.isfinite(y).all():
        return f"give a list of 2 to 20 finite numbers; got shape {y.shape}."
    spread, scale = float(y.std()), float(np.abs(y - np.median(y)).mean())
    if scale == 0:
        return "all the numbers are equal: both densities can grow without bound."
    gaussian = -0.5 * np.log(2 * np.pi * np.e) - np.log(spread)
    laplace = -1 - np.log(2 * scale)
    if laplace - gaussian >= 1:
        return None
    return (
        f"per number the best Laplace distribution reaches {laplace:.2f} nats and the best Gaussian "
        f"{gaussian:.2f}, a difference of {laplace - gaussian:.2f}."
    )


heavy_tails = Exercise(
    "numbers that a Gaussian fits badly",
    judge=_judge_tails,
    answer=[1.0] + [0.0] * 19,
    hint="the Gaussian pays for the squares of the distances, the Laplace distribution for the distances",
)
