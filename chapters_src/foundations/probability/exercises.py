"""Exercises of the chapter on probability: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["laplace_numbers", "next_toss", "rebuke", "restless_chain", "two_tests"]


# --- predict: the next toss of a coin that may have two heads

next_toss = Predict(
    "1. Predict: the next toss",
    "A bag holds two coins: a fair one, and one with heads on both sides. You draw one without looking and "
    "toss it three times: heads, heads, heads. What is the probability that the next toss shows heads?",
    answer=17 / 18,
    within=2e-3,
    mistakes=[
        Mistake(0.75, "that is the answer before any toss; the three heads speak for one of the coins"),
        Mistake(8 / 9, "that is the probability of the coin with two heads; the fair one can show heads too"),
        Mistake(0.5, "this would be so for a fair coin, but you do not know which one you hold"),
        Mistake(1 / 16, "four heads in a row with the fair coin; you know that three have happened"),
        Mistake(15 / 16, "weigh the coins after the three heads, not the numbers of tosses"),
        Mistake(1.0, "only the coin with two heads is certain to show heads, and you may hold the other"),
    ],
    hints=[
        "Two steps: which coin is it, given three heads? Then average the next toss over the two coins.",
        "Three heads have probability 1 with one coin and 1/8 with the other.",
        "The posterior is 8/9 for two heads and 1/9 for the fair coin.",
    ],
    why="Bayes gives 8/9 and 1/9 for the two coins; the sum rule gives 8/9 · 1 + 1/9 · 1/2 = 17/18.",
)


# --- choose: praise, rebuke and the next landing

rebuke = Choose(
    "2. Choose: praise and rebuke",
    "A flying instructor praises each very good landing and rebukes each very bad one. He notices that after "
    "praise the next landing is usually worse, and after a rebuke usually better. Landings of one pilot "
    "scatter around the pilot's own level. What do his notes show?",
    options=[
        Option(
            "Rebukes work and praise does harm.",
            why="The same would be seen if he said nothing: he speaks after extreme landings only, and the "
            "next one does not share their luck.",
        ),
        Option(
            "Nothing about praise: extreme landings are on average followed by less extreme ones anyway.",
            right=True,
            why="Part of an extreme landing is luck, which the next one does not inherit. To learn "
            "something about rebukes, he would have to leave some bad landings without one.",
        ),
        Option(
            "Landings even out: a bad one must be made up for by a good one.",
            why="Nothing is made up for. The next landing is expected at the pilot's level, not above it.",
        ),
        Option(
            "Successive landings have a correlation of −1.",
            why="Then the next one would be as extreme, on the other side. Independent landings are enough.",
        ),
    ],
    hints=[
        "What would he see with landings that are independent draws from one distribution?",
        "When does he speak: after all landings, or after a selection of them?",
    ],
)


# --- find the false line: two independent positive tests, in log-odds


def _log_odds() -> Derivation:
    d = Derivation("two positive tests", p=uniform(0.01, 0.9), s=uniform(0.1, 0.99), f=uniform(0.01, 0.9))
    d.start(r"\frac{ps^2}{ps^2+(1-p)f^2}")
    d.equals(
        r"\frac1{1+\frac{1-p}p\cdot\frac{f^2}{s^2}}",
        because=r"divide above and below by $ps^2$",
    )
    d.equals(
        r"\frac1{1+\left(\frac p{1-p}\cdot\frac{s^2}{f^2}\right)^{-1}}",
        because="turn both fractions round",
    )
    return d.equals(
        r"\sigma\left(\log\frac p{1-p}+2\log\frac sf\right)",
        because=r"$\sigma(a)=\frac1{1+e^{-a}}$, and a logarithm turns products into sums",
    )


two_tests = FalseLine(
    _log_odds(),
    {
        4: Variant(
            r"\sigma\left(\log\frac p{1-p}+\log\frac{2s}f\right)",
            because=r"$\sigma(a)=\frac1{1+e^{-a}}$, and a logarithm turns products into sums",
        )
    },
    name="3. Find the false line: two positive tests",
    why=r"$\log\frac{s^2}{f^2}=2\log\frac sf$: the 2 stands before the logarithm. Every positive test adds "
    r"$\log\frac sf$ to the log-odds; evidence from independent tests adds up.",
    hints=[
        r"Here $p$ is the prior, $s$ the probability of a positive test if sick, $f$ if healthy.",
        r"Try $p=\frac12$, $s=f$. What should the answer be, and what does each line say?",
    ],
)


# --- implement: Laplace numbers from uniform ones


def _laplace(u: Any) -> Any:
    u = np.asarray(u, dtype=float)
    return np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))


laplace_numbers = Exercise(
    "Laplace numbers",
    answer=_laplace,
    cases=[
        {"u": np.array([0.1, 0.25, 0.4, 0.6])},
        {"u": np.array([0.6, 0.75, 0.99])},
        {"u": np.array([0.001, 0.2, 0.5, 0.8, 0.999])},
    ],
    mistakes=[
        Mistake(
            lambda u: -np.log(1 - u), "that is the exponential distribution: half of the numbers are below 0"
        ),
        Mistake(
            lambda u: -np.log(2 * (1 - u)),
            "right for $u$ above one half; below, the cumulative function is another formula",
        ),
        Mistake(lambda u: np.log(2 * u), "right for $u$ below one half; above, it is another formula"),
        Mistake(
            lambda u: np.where(u < 0.5, -np.log(2 * u), np.log(2 * (1 - u))),
            "turned round: a small $u$ belongs to a number far on the left",
        ),
        Mistake(
            lambda u: np.where(u < 0.5, np.log(u), -np.log(1 - u)),
            "at $u=\\frac12$ this jumps; half of the mass lies below 0, so $F(0)=\\frac12$",
        ),
        Mistake(
            lambda u: np.where(u < 0.5, 0.5 * np.exp(u), 1 - 0.5 * np.exp(-u)),
            "this is close to $F$ itself; you need the $x$ at which $F(x)=u$",
        ),
    ],
    hint="integrate the density up to x, once for x below 0 and once above; then solve F(x) = u for x",
)


# --- break: a chain with one stationary distribution that it never approaches


def _judge_restless(attempt: Any) -> str | None:
    P = as_numbers(attempt)
    if P.ndim != 2 or P.shape[0] != P.shape[1] or not 2 <= len(P) <= 5:
        return f"give a square matrix with two to five rows; got shape {P.shape}."
    if not np.isfinite(P).all() or (P < 0).any() or np.abs(P.sum(axis=1) - 1).max() > 1e-9:
        return "each row must hold probabilities that sum to 1: where the chain goes from that state."
    moduli = np.sort(np.abs(np.linalg.eigvals(P)))[::-1]
    ones = int(np.sum(np.abs(np.linalg.eigvals(P) - 1) < 1e-6))
    if ones > 1:
        return f"this chain has {ones} stationary distributions that have nothing in common, not one."
    if moduli[1] > 1 - 1e-6:
        return None
    late: ndarray = np.linalg.matrix_power(P, 1000)
    gap = float(np.abs(late - late.mean(axis=0)).max())
    return f"after 1,000 steps the start is forgotten: the rows of P^1000 differ by {gap:.2g}."


restless_chain = Exercise(
    "a chain that never settles",
    judge=_judge_restless,
    answer=np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    hint="let every way back to a state take an even number of steps, for example",
)
