"""Exercises of the chapter on flows: predict, choose, find the false line, repair, break."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    below,
    normal,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["folded", "negative_bits", "one_step_after_all", "squashed_density", "two_pushes"]


# --- predict: a number of bits that cannot be one

negative_bits = Predict(
    "1. Predict: negative bits",
    "Grey levels 0 to 255 get uniform noise and are divided by 256. A flow has the mean log-density "
    "$\\log p(y)=3.5$ nats *per dimension* on held-out pictures, so somebody reports “−5.05 bits per "
    "dimension”. How many bits per dimension does the flow need for the grey levels? (Two digits after the "
    "point.)",
    answer=8 - 3.5 / math.log(2),
    within=0.006,
    mistakes=[
        Mistake(-3.5 / math.log(2), "no code has a negative length; which volume belongs to one grey level?"),
        Mistake(8 - 3.5, "bits and nats: divide the log-density by log 2"),
        Mistake(8 + 3.5 / math.log(2), "a high density means a short code: which sign has it?"),
        Mistake(3.5 / math.log(2), "the sign is turned, and the size of a cell is still missing"),
        Mistake(below(0), "no code has a negative length"),
    ],
    hints=[
        "A cell has the width 1/256, so the probability of a level is about $p(y)/256$.",
        "$-\\log_2(e^{3.5}/256)$",
    ],
    why="The probability of a level is about density times width, and −log₂(1/256) = 8 bits: "
    "8 − 5.05 = 2.95. A density may be above 1, a probability may not.",
)


# --- choose: one Euler step, with pairs that a first flow has made

one_step_after_all = Choose(
    "2. Choose: one step after all",
    "Numbers on a line. A first flow with the best velocity carries each noise $z$ along its path to an end "
    "$x$. Now flow matching starts again with *these* pairs $(z,x)$ in place of random ones, and finds the "
    "best velocity for them, without any error. From $z$ you take a single Euler step from $t=0$ to $t=1$. "
    "Where do you land?",
    options=[
        Option(
            "at the mean of the data, whatever $z$ is",
            why="That was so for random pairs, where every data point could be the partner of $z$. How many "
            "partners has $z$ now?",
        ),
        Option(
            "between $z$ and its $x$, because these paths bend as well",
            why="Paths bend where ways with different velocities go through one place. Draw two of the new "
            "ways, from $z<z'$: can they cross, if the paths of the first flow did not?",
        ),
        Option(
            "at the $x$ that the first flow gave to $z$",
            right=True,
            why="Paths on a line do not cross, so the first flow keeps the order: $z<z'$ ends at $x\\le x'$. "
            "Straight ways between pairs in the same order do not cross before the end either, so one way "
            "goes through each place and the mean is its velocity $x-z$. In more dimensions straight ways "
            "can still cross, and one step is only nearer.",
        ),
        Option(
            "at a data point drawn at random",
            why="A path of the first flow has no randomness in it: the same $z$ always ends at the same $x$.",
        ),
    ],
    hints=["Which ways go through $z$ at $t=0$?", "Do the paths of the first flow keep the order of points?"],
)


# --- find the false line: two pushes at once


def _two() -> Derivation:
    vectors: dict[str, Any] = {"u": normal(4), "w": normal(4), "a": normal(4), "b": normal(4)}
    d = Derivation("two pushes at once", within=1e-7, **vectors)
    d.start(r"\det(I+uw^\top+ab^\top)")
    d.equals(
        r"\det(I+uw^\top)\det(I+(I+uw^\top)^{-1}ab^\top)",
        because="take out the first factor; the determinant of a product",
    )
    d.equals(
        r"(1+w^\top u)(1+b^\top(I+uw^\top)^{-1}a)",
        because="the determinant of one push, twice",
    )
    d.equals(
        r"(1+w^\top u)\left(1+b^\top a-\frac{(b^\top u)(w^\top a)}{1+w^\top u}\right)",
        because=r"$(I+uw^\top)^{-1}=I-uw^\top/(1+w^\top u)$",
    )
    return d.equals(r"(1+w^\top u)(1+b^\top a)-(b^\top u)(w^\top a)", because="multiply out")


two_pushes = FalseLine(
    _two(),
    {
        4: Variant(
            r"(1+w^\top u)\left(1+b^\top a-(b^\top u)(w^\top a)\right)",
            because=r"$(I+uw^\top)^{-1}=I-uw^\top$",
        ),
        5: Variant(
            r"(1+w^\top u)(1+b^\top a)-(1+w^\top u)(b^\top u)(w^\top a)",
            because="multiply out",
        ),
    },
    name="3. Find the false line: two pushes at once",
    why="Multiply $(I+uw^\\top)(I-uw^\\top)=I-u(w^\\top u)w^\\top$: this is $I$ only if $w^\\top u=0$. The "
    "inverse of a push needs the division by $1+w^\\top u$.",
    hints=[
        "Three lines use a rule for determinants or products. Which line uses an inverse?",
        "Take one dimension with $u=w=1$: what is $(1+1)^{-1}$?",
    ],
)


# --- repair: the density of a squashed number


def _squashed(y: Any, mu: Any, s: Any) -> Any:
    return norm.logpdf(logit(y), mu, s) - np.log(y) - np.log1p(-y)


def _cases(seed: int, n: int, mu: float, s: float) -> dict[str, Any]:
    return {"y": np.random.default_rng(seed).uniform(0.05, 0.95, n), "mu": mu, "s": s}


squashed_density = Exercise(
    "the log-density of a squashed number",
    answer=_squashed,
    cases=[
        {"y": np.array([0.2, 0.5, 0.9]), "mu": 0.4, "s": 1.5},
        _cases(1, 6, -1.0, 0.5),
        _cases(2, 9, 0.0, 2.0),
    ],
    mistakes=[
        Mistake(
            lambda y, mu, s: norm.logpdf(logit(y), mu, s) + np.log(y * (1 - y)),
            "the sign of the logarithm: logit stretches by $1/(y(1-y))$, and going back through it, "
            "$\\log|da/dy|$ is added",
        ),
        Mistake(
            lambda y, mu, s: norm.logpdf(logit(y), mu, s),
            "without the stretching it does not integrate to 1",
        ),
        Mistake(
            lambda y, mu, s: norm.logpdf(expit(y), mu, s) - np.log(y * (1 - y)),
            "the noise that belongs to $y$ is found by undoing σ, not by doing it again",
        ),
        Mistake(
            lambda y, mu, s: norm.logpdf(logit(y), mu, s) - np.log(s) - np.log(y * (1 - y)),
            "the factor 1/s is in the Gaussian density already",
        ),
        Mistake(
            lambda y, mu, s: norm.logpdf(logit(y), mu, s**2) - np.log(y * (1 - y)),
            "`norm.logpdf` takes the standard deviation, not the variance",
        ),
        Mistake(
            lambda y, mu, s: norm.pdf(logit(y), mu, s) / (y * (1 - y)),
            "that is the density; its logarithm is asked for",
        ),
    ],
    hint="$y=\\sigma(a)$, so $a=\\operatorname{logit}(y)$, and $da/dy=1/(y(1-y))$",
)


# --- break: a push that folds


def _judge_fold(attempt: Any) -> str | None:
    numbers = as_numbers(attempt)
    if numbers.shape != (3,):
        return f"give three numbers, u and two places z; got shape {numbers.shape}."
    u, first, second = numbers
    if not np.isfinite(numbers).all() or np.abs(numbers).max() > 10:
        return "finite numbers between −10 and 10, please."
    if abs(first - second) < 0.5:
        return "the two places must be at least 0.5 apart."
    gap = abs(first + u * np.tanh(first) - second - u * np.tanh(second))
    if gap <= 1e-3:
        return None
    if u > -1:
        return f"with u = {u:g} the slope 1 + u(1 − tanh²) is positive everywhere: no two places can meet."
    return f"the images are {gap:.3g} apart."


folded = Exercise(
    "a push that folds the line",
    judge=_judge_fold,
    answer=(-2.0, 0.0, 1.91501),
    hint="the slope of $z+u\\tanh z$ is least at 0; make it negative there, and look for a root of the map",
)
