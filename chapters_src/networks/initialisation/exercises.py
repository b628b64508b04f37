"""Exercises of the chapter on initialisation: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate, stats

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["calibrated_divisors", "leaky_size", "one_large_factor", "runaway_weights", "torch_default"]


# --- predict: what torch's own start does to fifty layers

torch_default = Predict(
    "1. Predict: fifty layers as torch makes them",
    r"`torch.nn.Linear(d, d)` draws its weights from a uniform distribution on $\pm1/\sqrt d$. Leave its "
    "biases out and put 50 such layers one after the other, each followed by a ReLU. By which power of ten "
    "is the root mean square of a signal multiplied, if the layers are wide? Answer with the exponent, to "
    "one decimal (−2 would mean a hundredth).",
    answer=-25 * np.log10(6),
    within=0.06,
    mistakes=[
        Mistake(-50 * np.log10(6), "that is the mean square; its root has half as many powers of ten"),
        Mistake(-25 * np.log10(2), "this takes the variance for 1/d; a uniform one is smaller"),
        Mistake(-25 * np.log10(3), "and what does the ReLU do to the mean square?"),
        Mistake(25 * np.log10(6), "does the signal grow or shrink?"),
    ],
    hints=[
        r"What is the variance of a uniform number on $\pm r$?",
        r"It is $r^2/3$, so $c=\frac13$. A ReLU layer multiplies the mean square by $c/2$.",
    ],
    why=r"$c=\frac13$, so each layer multiplies the mean square by $\frac16$ and the signal by $6^{-1/2}$; "
    r"fifty of them make $6^{-25}\approx10^{-19.5}$. In a network of three layers nobody notices. (torch's "
    "biases keep the numbers themselves from vanishing, but not their differences between inputs.)",
)


# --- choose: is a network that vanishes lost?

one_large_factor = Choose(
    "2. Choose: one large factor",
    r"A ReLU network without biases has 50 weight matrices with $c=1$, so its outputs are $2^{25}$ times "
    r"too small. Somebody multiplies the output by $2^{25}$ and trains the weights. Compare it with He's "
    r"start ($c=2$) made from the same random numbers. In exact arithmetic, what holds at the first step?",
    options=[
        Option(
            r"the outputs agree, and every weight's gradient is $\sqrt2$ times as large",
            right=True,
            why=r"A ReLU lets positive factors through: multiplying all 50 matrices by $\sqrt2$ multiplies "
            r"the output by $2^{25}$. The chain rule gives one factor $\sqrt2$, the same in every layer. "
            "(In float32 the numbers on the way would still have to fit.)",
        ),
        Option(
            "the outputs agree, but the gradients of the first layers are still tiny",
            why=r"Going back from an output that was multiplied by $2^{25}$, the adjoint starts large and "
            r"shrinks; a gradient is $h^\top\Delta$, and $h$ is largest where $\Delta$ is smallest.",
        ),
        Option(
            "the outputs agree and so do all gradients",
            why="The outputs do. But a smaller weight that does the same work has a larger gradient.",
        ),
        Option(
            "the outputs differ: the signal is lost in the first layers",
            why="In exact arithmetic a positive factor loses nothing: it can be undone at the end.",
        ),
    ],
    hints=[
        r"What does a ReLU do to $2a$, compared with $a$?",
        r"Both networks are one function of the matrices: $f(\sqrt2W_1,\dots,\sqrt2W_{50})$.",
    ],
)


# --- find the false line: how much a leaky ReLU lets through


def _mean_square(q: float, s: float) -> float:
    density = stats.norm(0, np.sqrt(q)).pdf
    reach = 12 * np.sqrt(q)
    return float(
        integrate.quad(lambda a: a**2 * density(a), 0, reach, epsabs=1e-13)[0]
        + integrate.quad(lambda a: (s * a) ** 2 * density(a), -reach, 0, epsabs=1e-13)[0]
    )


def _leaky() -> Derivation:
    d = Derivation("what a leaky ReLU lets through", q=uniform(0.3, 3.0), s=uniform(0.1, 0.9))
    d.start(r"\mathbb E\left[\phi(a)^2\right],\quad\phi(a)=\max(a,sa)", _mean_square)
    d.equals(
        r"\frac12q+\frac12s^2q",
        because=r"half of the mean square lies on either side; $\phi(a)=sa$ on the left",
    )
    d.equals(r"\frac q2(1+s^2)", because=r"take out $\frac q2$")
    return d.equals(r"q-\frac q2(1-s^2)", because=r"what is left after a loss of $\frac q2(1-s^2)$")


leaky_size = FalseLine(
    _leaky(),
    {
        2: Variant(
            r"\frac12q+\frac12sq",
            because=r"half of the mean square lies on either side; $\phi(a)=sa$ on the left",
        ),
        3: Variant(r"\frac q2(1+s)", because=r"take out $\frac q2$"),
        4: Variant(r"q-\frac q2(1-s)", because=r"what is left after a loss of $\frac q2(1-s)$"),
    },
    name="3. Find the false line: what a leaky ReLU lets through",
    why=r"The slope is squared with the rest, so the gain that keeps the size is $c=2/(1+s^2)$.",
    hints=[
        r"This is a ReLU whose left side has slope $s$. Try $s=0$ and $s=1$: what must come out?",
        r"Both ends agree with the false line too. Write out $\mathbb E[(sa)^2]$.",
    ],
)


# --- implement: let the data choose the sizes


def _divisors(weights: Any, X: Any, size: Any, carry_on: bool = True) -> Any:
    h, found = X, []
    for W in weights:
        found.append(size(h @ W))
        h = np.maximum(h @ W / (found[-1] if carry_on else 1.0), 0)
    return np.array(found)


def _root_mean_square(a: Any) -> Any:
    return np.sqrt(np.mean(a**2))


def _divided_by(size: Any, hint: str, carry_on: bool = True) -> Mistake:
    return Mistake(lambda weights, X: _divisors(weights, X, size, carry_on), hint)


def _case(seed: int, n: int, *widths: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    weights = [rng.uniform(0.2, 3) * rng.normal(size=pair) for pair in pairwise(widths)]
    return {"weights": weights, "X": rng.uniform(0.0, 1.0, size=(n, widths[0]))}


calibrated_divisors = Exercise(
    "what to divide each matrix by",
    answer=lambda weights, X: _divisors(weights, X, _root_mean_square),
    cases=[_case(0, 6, 4, 5, 3, 4), _case(1, 9, 3, 8, 8, 2), _case(2, 5, 2, 4), _case(3, 7, 5, 6, 6, 6, 6)],
    mistakes=[
        _divided_by(
            _root_mean_square,
            "once a layer is rescaled, the next one gets another input: carry it on rescaled",
            carry_on=False,
        ),
        _divided_by(
            lambda a: np.mean(a**2), "a factor on $W$ enters the mean square twice: divide by the root"
        ),
        _divided_by(lambda a: a.std(), "the variance leaves the mean out; the size is the mean square"),
        _divided_by(
            lambda a: _root_mean_square(np.maximum(a, 0)),
            "this makes the mean square of the activations 1; asked are the pre-activations",
        ),
        Mistake(
            lambda weights, X: np.array([np.sqrt(np.mean(W**2)) for W in weights]),
            "the size of a matrix alone does not say what it does to these inputs: run X through it",
        ),
    ],
    hint="divide by your numbers, run X through the layers and print the mean square of each `h @ W`",
)


# --- break: He's variance, and a signal that explodes all the same


def _judge_runaway(attempt: Any) -> str | None:
    W = as_numbers(attempt)
    if W.shape != (4, 4) or not np.isfinite(W).all():
        return f"give a 4 × 4 matrix of finite numbers; got shape {W.shape}."
    if abs(np.mean(W**2) - 0.5) > 1e-9:
        return f"the mean square of the 16 entries must be 2/4; yours is {np.mean(W**2):.6g}."
    h = np.ones(4)
    for _ in range(10):
        h = np.maximum(h @ W, 0)
    growth = float(np.sqrt(np.mean(h**2)))
    if growth >= 1e4:
        return None
    return f"ten layers multiply the size of (1, 1, 1, 1) by {growth:.4g}; at least 10,000 is asked."


runaway_weights = Exercise(
    "weights of the right size that explode",
    judge=_judge_runaway,
    answer=np.full((4, 4), np.sqrt(0.5)),
    hint="the derivation needed weights that are independent with mean 0: give up one of these",
)
