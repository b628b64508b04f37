"""Exercises of the chapter on limits: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.foundations.limits.sums import normal_gap, sum_distribution
from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    below,
    normal,
    probabilities,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["fourth_powers", "paired_error", "smaller_error", "stubborn_draw", "sure_mean"]


# --- predict: a quarter of the error

smaller_error = Predict(
    "1. Predict: four times as exact",
    "On 400 independent test images a model is right in 80% of cases, with a standard error of 2 percentage "
    "points. How many images would give a standard error of half a point?",
    answer=6400,
    mistakes=[
        Mistake(1600, r"with four times as many images the error is halved: it falls like $1/\sqrt n$"),
        Mistake(800, "twice as many images do not even halve the error"),
        Mistake(6000, "these are the images to add; how many are there then in all?"),
        Mistake(160000, "that is a factor of 400; how many times smaller is the error to be?"),
        Mistake(below(400), "a smaller error takes more images, not fewer"),
    ],
    hints=[
        r"The standard error is $\sigma/\sqrt n$, and $\sigma$ stays as it is.",
        "The error is to be four times smaller, so the root of $n$ has to be four times larger.",
    ],
    why=r"A quarter of the error takes $4^2=16$ times as many images: $400\cdot16$.",
)


# --- choose: ten thousand patients of one day

sure_mean = Choose(
    "2. Choose: a very sure mean",
    "A hospital measures how long each of the 10,000 patients of one Monday waited. The mean is 62 minutes, "
    r"the standard deviation 30, so $s/\sqrt n$ is 0.3 minutes. Over the following Mondays the means are 48, "
    "71 and 55. What went wrong?",
    options=[
        Option(
            "Waiting times are skewed, so their mean is not normal.",
            why="With 10,000 independent draws the skewness of the mean is a hundredth of that of a single "
            "draw. It does not explain errors of 10 minutes.",
        ),
        Option(
            "The patients of a day share what happens on that day, so they are correlated.",
            right=True,
            why=r"The part $\rho\sigma^2$ of the variance does not shrink with $n$. Means that vary by 10 "
            r"minutes between days belong to a correlation of about $10^2/(10^2+30^2)=0.1$ between "
            "the patients of one day. More days help; more patients of the same day do not.",
        ),
        Option(
            "10,000 draws are not enough for the law of large numbers.",
            why="Independent draws with a standard deviation of 30 would have a standard error of 0.3.",
        ),
        Option(
            "The standard deviation should have been divided by $n$ and not by its root.",
            why="That would make the promised error a hundred times smaller still.",
        ),
    ],
    hints=[
        "Which condition would make the means of different Mondays agree within a minute?",
        "Look at the second term of the variance of a mean.",
    ],
)


# --- find the false line: what adds up for fourth powers


def _fourth() -> Derivation:
    centred = {
        r"\mu": r"=\sum_jp_jx_j",
        r"\nu": r"=\sum_kq_ky_k",
        "V": r"=\sum_jp_j(x_j-\mu)^2",
        "W": r"=\sum_kq_k(y_k-\nu)^2",
        "A": r"=\sum_jp_j(x_j-\mu)^4",
        "B": r"=\sum_kq_k(y_k-\nu)^4",
    }
    d = Derivation(
        "fourth powers of independent deviations",
        where=centred,
        p=probabilities(4),
        q=probabilities(5),
        x=normal(4),
        y=normal(5),
    )
    d.start(r"\sum_j\sum_kp_jq_k(x_j+y_k-\mu-\nu)^4-3(V+W)^2")
    d.equals(
        r"A+6VW+B-3(V+W)^2",
        because="multiply out; a term with a single deviation has mean zero",
    )
    d.equals(r"A+6VW+B-3V^2-6VW-3W^2", because="multiply out the second square")
    return d.equals(r"(A-3V^2)+(B-3W^2)", because="collect")


fourth_powers = FalseLine(
    _fourth(),
    {
        2: Variant(
            r"A+4VW+B-3(V+W)^2",
            because="multiply out; a term with a single deviation has mean zero",
        ),
        3: Variant(r"A+4VW+B-3V^2-6VW-3W^2", because="multiply out the second square"),
        4: Variant(r"(A-3V^2)+(B-3W^2)-2VW", because="collect"),
    },
    name="3. Find the false line: fourth powers",
    why=r"$(a+b)^4$ has the middle term $6a^2b^2$. With the 6 the mixed terms cancel, and what adds up is "
    r"the fourth moment minus $3\sigma^4$. Divided by $\sigma^4$ that is the excess kurtosis.",
    hints=[
        "Try the simplest draws: let $X$ and $Y$ be $+1$ or $-1$ with probability one half.",
        r"Then $V=W=A=B=1$, and $(X+Y)^4$ is 16 half of the time and 0 otherwise.",
    ],
)


# --- repair: the error of a difference between two models on the same questions


def _paired(a: Any, b: Any) -> Any:
    return np.std(a - b, ddof=1) / np.sqrt(len(a))


def _with_covariance(factor: float) -> Any:
    """The error with a multiple of the covariance taken off."""

    def wrong(a: Any, b: Any) -> Any:
        C = np.cov(a, b)
        return np.sqrt(max(C[0, 0] + C[1, 1] - factor * C[0, 1], 0.0) / len(a))

    return wrong


paired_error = Exercise(
    "error of a difference",
    answer=_paired,
    cases=[
        {"a": np.array([1.0, 1.0, 0.0, 1.0, 1.0]), "b": np.array([1.0, 0.0, 0.0, 1.0, 0.0])},
        {"a": np.array([1.0, 0.0, 1.0, 0.0]), "b": np.array([0.0, 1.0, 0.0, 0.0])},
        {"a": np.repeat([1.0, 0.0], [80, 20]), "b": np.repeat([1.0, 0.0], [70, 30])},
    ],
    mistakes=[
        Mistake(_with_covariance(0), "this treats the answers as independent; they come in couples"),
        Mistake(_with_covariance(1), r"the covariance counts twice: $\operatorname{Var}(X-Y)$ has $-2\,$Cov"),
        Mistake(_with_covariance(-2), "this is the error of a sum; in a difference what is shared cancels"),
        Mistake(
            lambda a, b: np.std(a - b, ddof=1), r"this is the spread of one difference: where is $\sqrt n$?"
        ),
        Mistake(lambda a, b: np.std(a - b) / np.sqrt(len(a)), "divide by $n-1$ in the variance, as above"),
        Mistake(lambda a, b: np.var(a - b, ddof=1) / len(a), "this is the variance: take the root"),
    ],
    hint="look at the difference of the two answers to each question",
)


# --- break: a draw whose sum of thirty is far from normal

MOST_VALUES, LARGEST, DRAWS, GAP = 10, 100, 30, 0.2


def _judge_stubborn(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: values, probabilities."
    values, p = (as_numbers(part) for part in attempt)
    if values.ndim != 1 or values.shape != p.shape or not 2 <= len(values) <= MOST_VALUES:
        return f"two to {MOST_VALUES} values with one probability each, please."
    if (values % 1).any() or (values < 0).any() or (values > LARGEST).any():
        return f"the values must be whole numbers from 0 to {LARGEST}."
    if (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        return f"the probabilities must be at least 0 and sum to 1; yours sum to {p.sum():g}."
    single = np.bincount(values.astype(int), weights=p)
    if single.max() > 1 - 1e-6:
        return "a draw that always has the same value has no variance, and the theorem does not speak of it."
    total = sum_distribution(single / single.sum(), DRAWS)
    gap = normal_gap(np.arange(len(total)), total / total.sum())
    return None if gap >= GAP else f"the gap of the sum of thirty is {gap:.3f}."


stubborn_draw = Exercise(
    "a draw for which thirty is not enough",
    judge=_judge_stubborn,
    answer=([0, 1], [0.99, 0.01]),
    hint="skew makes it slow: let something happen very rarely",
)
