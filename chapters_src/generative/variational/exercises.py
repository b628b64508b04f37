"""Exercises of the chapter on approximate posteriors: predict, find the false line, choose, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.generative.variational.diagnostics import split_r_hat
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["a_baseline", "narrow_and_wide", "share_of_the_variance", "unequal_spread", "walk_in_a_row"]


# --- predict: from a precision matrix

share_of_the_variance = Predict(
    "1. Predict: how much of the variance is left",
    r"A posterior is Gaussian with the precision matrix $\Lambda=\begin{bmatrix}4&3\\3&4\end{bmatrix}$. "
    "Divide the variance that mean field reports for the first coordinate by the true one. What comes out?",
    answer=0.4375,
    within=0.002,
    mistakes=[
        Mistake(0.25, "that is what mean field reports; divide it by the true variance"),
        Mistake(4 / 7, r"that is the true variance, $(\Lambda^{-1})_{11}$"),
        Mistake(0.4375**0.5, "that is the quotient of the standard deviations"),
        Mistake(16 / 7, "upside down: the reported variance stands above"),
        Mistake(0.5625, r"that is $\rho^2$, what is lost; asked is what is left"),
        Mistake(0.75, "that is the size of the correlation"),
    ],
    hints=[
        r"Mean field reports $1/\Lambda_{11}$.",
        r"The true variance is an entry of $\Lambda^{-1}$; the determinant of $\Lambda$ is 7.",
    ],
    why="Reported is 1/4, true is 4/7, and the quotient is 7/16: that is $1-\\rho^2$ with $\\rho=-3/4$.",
)


# --- find the false line: a baseline


def _baseline() -> Derivation:
    d = Derivation(
        "a baseline leaves the mean alone",
        where={"q": r"= \operatorname{softmax}(\theta)", "K": "length of theta"},
        theta=normal(4),
        f=normal(4),
        beta=normal(),
    )
    d.start(r"\sum_{k=1}^Kq_k(f_k-\beta)\nabla_\theta\log q_k")
    d.equals(
        r"\sum_{k=1}^K(f_k-\beta)\nabla_\theta q_k",
        because=r"the derivative of the logarithm is $\nabla q_k/q_k$",
    )
    d.equals(
        r"\sum_{k=1}^Kf_k\nabla_\theta q_k-\beta\nabla_\theta\left(\sum_{k=1}^Kq_k\right)",
        because="multiply out; a sum of gradients is the gradient of the sum",
    )
    return d.equals(
        r"\nabla_\theta\left(\sum_{k=1}^Kf_kq_k\right)",
        because=r"what is subtracted is the same for all $\theta$",
    )


a_baseline = FalseLine(
    _baseline(),
    {
        2: Variant(
            r"\sum_{k=1}^K(f_k-\beta)\nabla_\theta\log q_k",
            because="each value of $k$ counts once",
        ),
        3: Variant(
            r"\sum_{k=1}^Kf_k\nabla_\theta\log q_k-\beta\nabla_\theta\left(\sum_{k=1}^K\log q_k\right)",
            because="multiply out; a sum of gradients is the gradient of the sum",
        ),
        4: Variant(
            r"\nabla_\theta\left(\sum_{k=1}^K(f_k-\beta)\log q_k\right)",
            because="collect what does not depend on the parameters",
        ),
    },
    name="2. Find the false line: a baseline",
    why=r"$q_k\nabla\log q_k$ is $\nabla q_k$, without the logarithm: the probability in front is used up. "
    r"Then $\beta$ stands before the gradient of $\sum_kq_k=1$, which is zero.",
    hints=[r"Which factor turns $\nabla\log q_k$ into $\nabla q_k$?", r"Does $\beta$ drop out in the end?"],
)


# --- choose: a step that is too long for one direction

narrow_and_wide = Choose(
    "3. Choose: a narrow direction",
    "A Gaussian posterior has the standard deviations 1 and 0.01. You run Hamiltonian steps with $h=0.05$ "
    "and 20 leaps. What will you see?",
    options=[
        Option(
            "nearly everything is accepted, because the energy error is of the order $h^2=0.0025$",
            why="The order holds for steps that are short against the *narrowest* direction. Here $h$ is "
            "five times its standard deviation.",
        ),
        Option(
            "nearly everything is refused",
            right=True,
            why="Leapfrog is unstable when $h$ is above twice the smallest standard deviation, 0.02: along "
            "the narrow direction the energy grows with every leap.",
        ),
        Option(
            "about a quarter is accepted, as it should be",
            why="That share is known for a random walk whose step was tuned; nothing tuned this one.",
        ),
        Option(
            "everything is accepted, but the wide direction is hardly explored",
            why="20 leaps of 0.05 go one standard deviation of the wide direction. "
            "The narrow one is the trouble.",
        ),
    ],
    hints=["Scale the narrow direction to a standard deviation of 1. How long is the step then?"],
)


# --- repair: a walk in a row, whose ends have one neighbour each


def _turned(i: int, move: int, states: int) -> int:
    return i + move if 0 <= i + move < states else i - move


def _walk_with(accept: Any, keep: Any = lambda i, j, taken: [i], propose: Any = _turned) -> Any:
    """A walk with the rule ``accept(u, π'/π, g_there, g_back)``, and one for what is written down."""

    def walk(w: Any, start: int, moves: Any, uniforms: Any) -> Any:
        visited, i = [], int(start)
        for move, u in zip(moves, uniforms, strict=True):
            j = propose(i, int(move), len(w))
            there, back = (1.0 if k in (0, len(w) - 1) else 0.5 for k in (i, j))
            taken = accept(u, w[j] / w[i], there, back)
            i = j if taken else i
            visited += keep(i, j, taken)
        return np.array(visited)

    return walk


def _hastings(u: float, ratio: float, there: float, back: float) -> bool:
    return bool(u < ratio * back / there)


walk_in_a_row = Exercise(
    "a walk in a row",
    answer=_walk_with(_hastings),
    cases=[
        {
            "w": np.array([3.0, 4.0, 2.0, 3.0]),
            "start": 1,
            "moves": np.array([1, 1, 1, -1, -1, -1, -1, -1, -1, 1]),
            "uniforms": np.array([0.91, 0.61, 0.73, 0.54, 0.94, 0.82, 0.02, 0.86, 0.03, 0.73]),
        },
        {
            "w": np.array([2.0, 3.0, 1.5]),
            "start": 0,
            "moves": np.array([1, 1, 1, -1, -1, -1, -1, -1]),
            "uniforms": np.array([0.81, 0.91, 0.61, 0.73, 0.54, 0.94, 0.82, 0.02]),
        },
    ],
    mistakes=[
        Mistake(
            _walk_with(lambda u, ratio, there, back: u < ratio),
            "at an end there is one way to go, elsewhere there are two: $g$ does not cancel",
        ),
        Mistake(
            _walk_with(lambda u, ratio, there, back: u < ratio * there / back),
            "upside down: $g$ of the way back stands above, $g$ of the way there below",
        ),
        Mistake(
            _walk_with(lambda u, ratio, there, back: u < ratio * min(1, back / there)),
            "only moves away from an end are corrected; moves to an end have to be, too",
        ),
        Mistake(
            _walk_with(lambda u, ratio, there, back: u < ratio * max(1, back / there)),
            "only moves to an end are corrected; moves away from an end have to be, too",
        ),
        Mistake(
            _walk_with(_hastings, keep=lambda i, j, taken: [i] if taken else []),
            "a refused step is a sample too: the old place is written down once more",
        ),
        Mistake(
            _walk_with(
                lambda u, ratio, there, back: u < ratio,
                propose=lambda i, move, states: min(max(i + move, 0), states - 1),
            ),
            "that walk has the right frequencies too, but here a move beyond an end is turned round",
        ),
    ],
    hint="how probable is the proposal from where the walker is, and how probable the way back?",
)


# --- break: a diagnostic that looks at means

ROWS, CHAINS = 400, 4


def _judge_unequal(attempt: Any) -> str | None:
    chains = as_numbers(attempt)
    if chains.shape != (ROWS, CHAINS) or not np.isfinite(chains).all():
        return f"give {ROWS} rows and {CHAINS} columns of finite numbers, please."
    if not (np.ptp(chains, axis=0) > 0).all():
        return "a chain that never moves does not count: all four must vary."
    spreads = chains.std(axis=0)
    ratio, r_hat = float(spreads.max() / spreads.min()), split_r_hat(chains)
    if ratio < 10:
        return f"the widest chain is only {ratio:.1f} times as wide as the narrowest."
    if r_hat >= 1.05:
        return f"R̂ is {r_hat:.2f} and gives it away: the means of the halves differ too much."
    return None


unequal_spread = Exercise(
    "a diagnostic that looks at means",
    judge=_judge_unequal,
    answer=np.random.default_rng(0).standard_normal((ROWS, CHAINS)) * np.array([1.0, 1.0, 1.0, 10.0]),
    hint="R̂ compares the means of the halves with one another; does it compare their spreads?",
)
