"""Exercises of the chapter on samplers: predict, choose, find the false line, implement, repair."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["adams_step", "clipped_step", "lost_variance", "there_and_back", "two_steps"]


# --- predict: two steps on standard normal data

two_steps = Predict(
    "1. Predict: two steps",
    "The data are standard normal numbers, and the denoiser is the best one. A deterministic walk takes two "
    "steps: from pure noise, $\\bar\\alpha=0$, to $\\bar\\alpha=\\frac12$, and from there to the data. What "
    "variance do its samples have?",
    answer=0.25,
    within=0.004,
    mistakes=[
        Mistake(1, "that is the variance of the data; a walk of two long steps does not get there"),
        Mistake(0.5, "that is the factor of one step, or of the standard deviation; there are two steps"),
        Mistake(0.0, "that would be one step of 90°; the first step here turns by less"),
        Mistake(0.707, "that is the factor by which one step multiplies $x$"),
        Mistake(0.75, "variances do not add up here: each step multiplies $x$ by a cosine"),
    ],
    hints=[
        "Which angle $\\varphi$ belongs to $\\bar\\alpha=\\cos^2\\varphi=\\frac12$?",
        "Each step multiplies $x$ by $\\cos45°$; the variance is multiplied by the square of that, twice.",
    ],
    why="Each step turns by 45° and multiplies x by √½, so the variance is ½ · ½ = 0.25.",
)


# --- choose: which walks can be turned round

there_and_back = Choose(
    "2. Choose: there and back",
    "You want to know from which noise $x_T$ a given digit would have been sampled, and to get the same "
    "digit back from it. Which walk allows that, up to a small error?",
    options=[
        Option(
            "ancestral sampling with 1,000 steps",
            why="The result depends on a thousand draws as well as on $x_T$: one $x_T$ leads to many digits.",
        ),
        Option(
            "the deterministic walk with many steps, followed upwards in $\\varsigma$",
            right=True,
            why="It solves a differential equation, which has one path through every point. Followed upwards "
            "it leads from the digit to its noise, with the error of the solver.",
        ),
        Option(
            "the deterministic walk with a single step",
            why="One step from pure noise ends at the mean of the data whatever $x_T$ is, so nothing can be "
            "read back.",
        ),
        Option(
            "$\\eta=0.5$, if the same random seed is used both ways",
            why="Downwards the walk subtracts what it guesses and adds draws; upwards the draws would have "
            "to be taken out before the guess is known.",
        ),
    ],
    hints=["For which of them is the end a function of the start, and one that can be inverted?"],
)


# --- find the false line: what a step with fresh noise loses


def _lost() -> Derivation:
    names = {r"\bar\alpha_t": "a", r"\bar\alpha_s": "b"}
    d = Derivation("variance after one step", where=names, a=uniform(0.05, 0.45), b=uniform(0.5, 0.95))
    d.start(
        r"\frac{\bar\alpha_t}{\bar\alpha_s}"
        r"+\frac{1-\bar\alpha_s}{1-\bar\alpha_t}\left(1-\frac{\bar\alpha_t}{\bar\alpha_s}\right)"
    )
    d.equals(
        r"1-\left(1-\frac{\bar\alpha_t}{\bar\alpha_s}\right)"
        r"\left(1-\frac{1-\bar\alpha_s}{1-\bar\alpha_t}\right)",
        because="write the first fraction as 1 minus the bracket, and take out the bracket",
    )
    d.equals(
        r"1-\frac{\bar\alpha_s-\bar\alpha_t}{\bar\alpha_s}\,\frac{\bar\alpha_s-\bar\alpha_t}{1-\bar\alpha_t}",
        because="one denominator in each bracket",
    )
    return d.equals(
        r"1-\frac{(\bar\alpha_s-\bar\alpha_t)^2}{\bar\alpha_s(1-\bar\alpha_t)}",
        because="the same factor twice",
    )


lost_variance = FalseLine(
    _lost(),
    {
        3: Variant(
            r"1-\frac{\bar\alpha_s-\bar\alpha_t}{\bar\alpha_s}\,\frac{\bar\alpha_s-\bar\alpha_t}{1-\bar\alpha_s}",
            because="one denominator in each bracket",
        ),
        4: Variant(
            r"1-\frac{(\bar\alpha_s-\bar\alpha_t)^2}{\bar\alpha_s(1-\bar\alpha_s)}",
            because="the same factor twice",
        ),
    },
    name="3. Find the false line: what one step with η = 1 leaves of a variance of 1",
    why="The second bracket has the denominator $1-\\bar\\alpha_t$. The right last line shows that a step "
    "loses variance with the square of its length.",
    hints=["Check each bracket alone.", "Try $\\bar\\alpha_t=0$ and $\\bar\\alpha_s=\\frac12$."],
)


# --- implement: a step of Adams and Bashforth


def _adams(x: Any, eps: Any, c: float, c_s: float, eps_u: Any, c_u: float) -> Any:
    return x + (c_s - c) * (eps + (eps - eps_u) * (c_s - c) / (c - c_u) / 2)


def _levels(seed: int, n: int, c_u: float, c: float, c_s: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x, eps, eps_u = rng.standard_normal((3, n))
    return {"x": x, "eps": eps, "c": c, "c_s": c_s, "eps_u": eps_u, "c_u": c_u}


adams_step = Exercise(
    "a step of Adams and Bashforth",
    answer=_adams,
    cases=[_levels(0, 3, 4.0, 2.5, 1.9), _levels(1, 5, 10.0, 3.0, 1.0), _levels(2, 4, 0.3, 0.2, 0.1)],
    mistakes=[
        Mistake(
            lambda x, eps, c, c_s, eps_u, c_u: x + (c_s - c) * (1.5 * eps - 0.5 * eps_u),
            "$\\frac32$ and $-\\frac12$ are right for steps of equal length; these are not",
        ),
        Mistake(
            lambda x, eps, c, c_s, eps_u, c_u: x + (c_s - c) * (eps + (eps - eps_u) * (c_s - c) / (c - c_u)),
            "you follow the line to the end of the step; the slope in the middle is asked for",
        ),
        Mistake(
            lambda x, eps, c, c_s, eps_u, c_u: x + (c_s - c) * (eps + eps_u) / 2,
            "the mean of both slopes belongs to the middle of the step that has been taken already",
        ),
        Mistake(
            lambda x, eps, c, c_s, eps_u, c_u: (
                x + (c_s - c) * (eps - (eps - eps_u) * (c_s - c) / (c - c_u) / 2)
            ),
            "the line is followed forwards, beyond the present slope; yours goes back",
        ),
        Mistake(lambda x, eps, c, c_s, eps_u, c_u: x + (c_s - c) * eps, "that is Euler's step"),
    ],
    hint="the line through both slopes rises by (eps − eps_u)/(c − c_u) per unit of the level",
)


# --- repair: a clipped guess and the noise that goes with it


def _parts(x_t: Any, eps: Any, bar_t: float) -> Any:
    return np.clip((x_t - np.sqrt(1 - bar_t) * eps) / np.sqrt(bar_t), -1, 1)


def _clipped(x_t: Any, eps: Any, bar_t: float, bar_s: float) -> Any:
    x_0 = _parts(x_t, eps, bar_t)
    fitting = (x_t - np.sqrt(bar_t) * x_0) / np.sqrt(1 - bar_t)
    return np.sqrt(bar_s) * x_0 + np.sqrt(1 - bar_s) * fitting


def _as_given(x_t: Any, eps: Any, bar_t: float, bar_s: float) -> Any:
    return np.sqrt(bar_s) * _parts(x_t, eps, bar_t) + np.sqrt(1 - bar_s) * eps


clipped_step = Exercise(
    "a clipped step",
    answer=_clipped,
    cases=[
        {
            "x_t": np.array([2.5, -0.4, 0.3, -2.0]),
            "eps": np.array([0.9, -1.1, 0.9, 0.4]),
            "bar_t": 0.3,
            "bar_s": 0.6,
        },
        {"x_t": np.array([0.1, -3.0]), "eps": np.array([-2.0, 0.5]), "bar_t": 0.05, "bar_s": 0.5},
    ],
    mistakes=[
        Mistake(
            _as_given,
            "after clipping, $\\sqrt{\\bar\\alpha_t}\\hat x_0+\\sqrt{1-\\bar\\alpha_t}\\hat\\varepsilon$ "
            "is no longer $x_t$",
        ),
        Mistake(
            lambda x_t, eps, bar_t, bar_s: (
                np.sqrt(bar_s) * _parts(x_t, eps, bar_t) + np.sqrt(1 - bar_s) * np.clip(eps, -1, 1)
            ),
            "the noise has no limits; it has to fit the clipped guess",
        ),
        Mistake(
            lambda x_t, eps, bar_t, bar_s: (
                np.sqrt(bar_s) * (x_t - np.sqrt(1 - bar_t) * eps) / np.sqrt(bar_t) + np.sqrt(1 - bar_s) * eps
            ),
            "now nothing is clipped: the guess has to stay between −1 and 1",
        ),
        Mistake(
            lambda x_t, eps, bar_t, bar_s: np.clip(_as_given(x_t, eps, bar_t, bar_s), -1, 1),
            "only the guess of the data has limits, not the noisy $x_s$",
        ),
    ],
    hint="which noise, together with the clipped guess, gives back $x_t$?",
)
