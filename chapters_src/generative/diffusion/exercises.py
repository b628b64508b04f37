"""Exercises of the chapter on diffusion: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.best_guess.check(best_guess)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "best_guess",
    "jump_between",
    "sampler_step",
    "simple_loss",
    "stubborn_data",
    "variance_halfway",
]

PUBLISHED = np.cumprod(1 - np.concatenate([[0.0], np.linspace(1e-4, 0.02, 1000)]))


# --- derive: E[x₀ | xₜ] for data at ±1


def _best_guess(x_t: Any, alpha_bar_t: Any) -> Any:
    return np.tanh(np.sqrt(alpha_bar_t) * x_t / (1 - alpha_bar_t))


best_guess = Exercise(
    "the best guess of two points",
    answer=_best_guess,
    cases=[
        {"x_t": 0.5, "alpha_bar_t": 0.64},
        {"x_t": -1.2, "alpha_bar_t": 0.25},
        {"x_t": 0.0, "alpha_bar_t": 0.5},
        {"x_t": 0.05, "alpha_bar_t": 0.97},
        {"x_t": 3.0, "alpha_bar_t": 0.01},
    ],
    mistakes=[
        Mistake(
            lambda x_t, alpha_bar_t: np.sign(x_t),
            "that is the likelier of the two points; asked for is the mean of both, weighted by chance",
        ),
        Mistake(
            lambda x_t, alpha_bar_t: x_t / np.sqrt(alpha_bar_t),
            "that undoes the shrinking as if there were no noise",
        ),
        Mistake(
            lambda x_t, alpha_bar_t: np.sqrt(alpha_bar_t) * x_t,
            "that is the best guess for standard normal data; these are two points",
        ),
        Mistake(
            lambda x_t, alpha_bar_t: np.tanh(x_t / (1 - alpha_bar_t)),
            "the two bells stand at $\\pm\\sqrt{\\bar\\alpha_t}$, not at $\\pm1$",
        ),
        Mistake(
            lambda x_t, alpha_bar_t: np.tanh(np.sqrt(alpha_bar_t) * x_t / np.sqrt(1 - alpha_bar_t)),
            "the exponent of a Gaussian has the variance $1-\\bar\\alpha_t$ below it, not its root",
        ),
        Mistake(
            lambda x_t, alpha_bar_t: np.tanh(np.sqrt(alpha_bar_t) * x_t / (2 * (1 - alpha_bar_t))),
            "the cross term of each square has a factor 2, and the 2 cancels with the $\\frac12$",
        ),
        Mistake(
            lambda x_t, alpha_bar_t: 1 / (1 + np.exp(-2 * np.sqrt(alpha_bar_t) * x_t / (1 - alpha_bar_t))),
            "that is the probability of $+1$; the mean is $P(+1)-P(-1)$",
        ),
    ],
    hint="weigh $+1$ and $-1$ by Bayes' rule: how likely is $x_t$ under each?",
)


# --- implement: from step s to step t in one jump


def _jump(beta: Any, s: int, t: int) -> Any:
    kept = np.prod(1 - np.asarray(beta)[s + 1 : t + 1])
    return np.sqrt(kept), 1 - kept


def _jump_mistake(pair: Callable[[float, float], Any], hint: str) -> Mistake:
    """Another pair made of ᾱₛ and ᾱₜ."""

    def wrong(beta: Any, s: int, t: int) -> Any:
        bar = np.cumprod(1 - np.asarray(beta))
        return pair(bar[s], bar[t])

    return Mistake(wrong, hint)


SHORT = np.array([0.0, 0.1, 0.2, 0.5, 0.25])

jump_between = Exercise(
    "from step s to step t",
    answer=_jump,
    cases=[
        {"beta": SHORT, "s": 2, "t": 4},
        {"beta": SHORT, "s": 0, "t": 4},
        {"beta": SHORT, "s": 1, "t": 3},
        {"beta": np.concatenate([[0.0], np.linspace(1e-4, 0.02, 1000)]), "s": 300, "t": 700},
    ],
    mistakes=[
        _jump_mistake(
            lambda s, t: (np.sqrt(t), 1 - t), "that jumps from $x_0$; divide out the steps up to $s$"
        ),
        _jump_mistake(
            lambda s, t: (t / s, 1 - t / s),
            "every step multiplies by $\\sqrt{\\alpha}$, so the factor has a root",
        ),
        _jump_mistake(
            lambda s, t: (np.sqrt(t / s), np.sqrt(1 - t / s)),
            "the variance is asked for, not the standard deviation",
        ),
        _jump_mistake(
            lambda s, t: (np.sqrt(t / s), s - t),
            "noise that is already in $x_s$ shrinks too: the variances do not add up like that",
        ),
        Mistake(
            lambda beta, s, t: (
                np.sqrt(np.prod(1 - np.asarray(beta)[s:t])),
                1 - np.prod(1 - np.asarray(beta)[s:t]),
            ),
            "from $s$ to $t$ the steps $s+1,\\dots,t$ are taken; you took $s,\\dots,t-1$",
        ),
        Mistake(
            lambda beta, s, t: (
                np.sqrt(np.prod(1 - np.asarray(beta)[s : t + 1])),
                1 - np.prod(1 - np.asarray(beta)[s : t + 1]),
            ),
            "step $s$ has been taken already: begin with $s+1$",
        ),
        Mistake(
            lambda beta, s, t: (
                np.sqrt(np.prod(1 - np.asarray(beta)[s + 1 : t + 1])),
                np.sum(np.asarray(beta)[s + 1 : t + 1]),
            ),
            "the $\\beta$ do not add up to the variance: each step shrinks the noise of the one before",
        ),
    ],
    hint="the induction of the chapter works from any start: only the steps after $s$ count",
)


# --- predict: data of variance 4 at ᾱ = ½

variance_halfway = Exercise(
    "the variance halfway",
    answer=2.5,
    mistakes=[
        Mistake(1.0, "the variance is 1 only for data of variance 1; these have 4"),
        Mistake(2.0, "that is the signal's part; the noise adds its own"),
        Mistake(
            4.5,
            "the signal is shrunk as well, its variance by $\\bar\\alpha_t$",
        ),
        Mistake(4.0, "the step does not keep a variance of 4: only 1 stays as it is"),
        Mistake(np.sqrt(2.5), "that is the standard deviation"),
        Mistake(
            np.sqrt(0.5) * 4 + 0.5,
            "a factor $\\sqrt{\\bar\\alpha_t}$ before $x$ is $\\bar\\alpha_t$ before its variance",
        ),
        Mistake(
            1.5, "the signal's variance is $\\bar\\alpha_t\\cdot4$; did you use the standard deviation 2?"
        ),
    ],
    hint="write $x_t$ in one jump from $x_0$: variances of independent parts add",
    within=1e-3,
)


# --- implement: one step of the generalised sampler


def _sampler_step(x_t: Any, eps: Any, alpha_bar_t: Any, alpha_bar_s: Any, eta: Any, z: Any) -> Any:
    return _step_with()(x_t, eps, alpha_bar_t, alpha_bar_s, eta, z)


def _step_with(
    estimate: Callable[..., Any] = lambda x, e, bt: (x - np.sqrt(1 - bt) * e) / np.sqrt(bt),
    variance: Callable[..., Any] = lambda bt, bs, eta: eta**2 * (1 - bs) / (1 - bt) * (1 - bt / bs),
    kept: Callable[..., Any] = lambda bs, v: np.sqrt(np.maximum(1 - bs - v, 0)),
    drawn: Callable[..., Any] = lambda v, z: np.sqrt(v) * z,
    signal: Callable[..., Any] = lambda bs: np.sqrt(bs),
) -> Callable[..., Any]:
    """A step in which one part may be another."""

    def step(x_t: Any, eps: Any, alpha_bar_t: Any, alpha_bar_s: Any, eta: Any, z: Any) -> Any:
        v = variance(alpha_bar_t, alpha_bar_s, eta)
        x_0 = estimate(x_t, eps, alpha_bar_t)
        return signal(alpha_bar_s) * x_0 + kept(alpha_bar_s, v) * eps + drawn(v, z)

    return step


def _step_case(seed: int, n: int, bar_t: float, bar_s: float, eta: float) -> dict[str, Any]:
    x, eps, z = np.random.default_rng(seed).standard_normal((3, n))
    return {"x_t": x, "eps": eps, "alpha_bar_t": bar_t, "alpha_bar_s": bar_s, "eta": eta, "z": z}


sampler_step = Exercise(
    "one step of the generalised sampler",
    answer=_sampler_step,
    cases=[
        {
            "x_t": np.array([1.0, -0.5]),
            "eps": np.array([0.5, 1.0]),
            "alpha_bar_t": 0.36,
            "alpha_bar_s": 0.64,
            "eta": 0.5,
            "z": np.array([1.0, -1.0]),
        },
        _step_case(1, 4, 0.2, 0.5, 0.0),
        _step_case(2, 4, 0.1, 0.9, 1.0),
        _step_case(3, 3, 0.5, 1.0, 1.0),
    ],
    mistakes=[
        Mistake(
            _step_with(estimate=lambda x, e, bt: (x - (1 - bt) * e) / np.sqrt(bt)),
            "in $\\hat x_0$ the noise has the factor $\\sqrt{1-\\bar\\alpha_t}$: where is the root?",
        ),
        Mistake(
            _step_with(estimate=lambda x, e, bt: x - np.sqrt(1 - bt) * e),
            "$\\hat x_0$ is divided by $\\sqrt{\\bar\\alpha_t}$: the signal in $x_t$ is shrunk",
        ),
        Mistake(
            _step_with(kept=lambda bs, v: np.sqrt(1 - bs)),
            "if fresh noise comes in, old noise goes out: subtract $\\sigma^2$ under the root",
        ),
        Mistake(
            _step_with(drawn=lambda v, z: v * z), "$z$ is multiplied by $\\sigma$, the root of $\\sigma^2$"
        ),
        Mistake(
            _step_with(variance=lambda bt, bs, eta: eta * (1 - bs) / (1 - bt) * (1 - bt / bs)),
            "$\\eta$ scales the standard deviation, so the variance has $\\eta^2$",
        ),
        Mistake(
            _step_with(variance=lambda bt, bs, eta: eta**2 * (1 - bt / bs)),
            "that is $\\eta^2\\beta$; it has the factor $\\frac{1-\\bar\\alpha_s}{1-\\bar\\alpha_t}$ as well",
        ),
        Mistake(
            _step_with(signal=lambda bs: bs), "the signal at step $s$ is $\\sqrt{\\bar\\alpha_s}\\,\\hat x_0$"
        ),
        Mistake(_step_with(drawn=lambda v, z: 0.0), "where is the fresh noise $\\sigma z$?"),
    ],
    hint="three parts: $\\hat x_0$ shrunk for step $s$, the old noise that is kept, the fresh noise",
)


# --- break: data that the published schedule does not turn into noise


def _judge_stubborn(attempt: Any) -> str | None:
    x = np.ravel(as_numbers(attempt)).astype(float)
    if not 1 <= x.size <= 10:
        return f"at most ten numbers, please; got {x.size}."
    if not np.isfinite(x).all():
        return "finite numbers, please."
    bar = PUBLISHED[-1]
    mean, variance = np.sqrt(bar) * x.mean(), bar * x.var() + 1 - bar
    divergence = 0.5 * (variance + mean**2 - 1 - np.log(variance))
    if divergence >= 0.1:
        return None
    return (
        f"at the end these data have mean {mean:.3g} and variance {variance:.3g}: "
        f"a divergence of {divergence:.2g} nats, which is noise enough."
    )


stubborn_data = Exercise(
    "data that outlast the schedule",
    judge=_judge_stubborn,
    answer=[1e4, -1e4],
    hint="$\\sqrt{\\bar\\alpha_T}$ is 0.00635, not 0: what does the schedule assume about the data?",
)


# --- implement: the simplified loss


def _simple_loss(x_0: Any, eps: Any, t: Any, alpha_bar: Any, guess: Any) -> Any:
    bar = np.asarray(alpha_bar)[t][:, None]
    return np.mean((eps - guess(np.sqrt(bar) * x_0 + np.sqrt(1 - bar) * eps, t)) ** 2)


def _half(x_t: Any, t: Any) -> Any:
    """A stand-in for a network: half of what it is shown, less at later steps."""
    return x_t / (2 + np.asarray(t)[:, None])


def _loss_mistake(mix: Callable[..., Any], miss: Callable[..., Any], hint: str) -> Mistake:
    """Another mixture of data and noise, or another summary of the misses."""

    def wrong(x_0: Any, eps: Any, t: Any, alpha_bar: Any, guess: Any) -> Any:
        bar = np.asarray(alpha_bar)[t][:, None]
        x_t = mix(x_0, eps, bar)
        return miss(x_0, eps, guess(x_t, t))

    return Mistake(wrong, hint)


def _right_mix(x_0: Any, eps: Any, bar: Any) -> Any:
    return np.sqrt(bar) * x_0 + np.sqrt(1 - bar) * eps


def _mean_square(x_0: Any, eps: Any, guessed: Any) -> Any:
    return np.mean((eps - guessed) ** 2)


def _loss_case(seed: int, n: int, d: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "x_0": rng.standard_normal((n, d)),
        "eps": rng.standard_normal((n, d)),
        "t": rng.integers(1, 1001, n),
        "alpha_bar": PUBLISHED,
        "guess": _half,
    }


simple_loss = Exercise(
    "the simplified loss",
    answer=_simple_loss,
    cases=[
        {
            "x_0": np.array([[1.0, 2.0], [-1.0, 0.5]]),
            "eps": np.array([[0.5, -0.5], [1.0, 1.0]]),
            "t": np.array([1, 2]),
            "alpha_bar": np.array([1.0, 0.64, 0.36]),
            "guess": _half,
        },
        _loss_case(1, 5, 3),
        _loss_case(2, 4, 4),
    ],
    mistakes=[
        _loss_mistake(
            lambda x_0, eps, bar: bar * x_0 + (1 - bar) * eps,
            _mean_square,
            "both factors of the mixture have a root",
        ),
        _loss_mistake(
            lambda x_0, eps, bar: np.sqrt(bar) * x_0 + (1 - bar) * eps,
            _mean_square,
            "$1-\\bar\\alpha_t$ is the variance of the noise: its factor is the root",
        ),
        _loss_mistake(
            lambda x_0, eps, bar: x_0 + np.sqrt(1 - bar) * eps,
            _mean_square,
            "the data are shrunk by $\\sqrt{\\bar\\alpha_t}$ before noise is added",
        ),
        _loss_mistake(
            _right_mix,
            lambda x_0, eps, g: np.mean((x_0 - g) ** 2),
            "the guess is one of the noise, not of the data",
        ),
        _loss_mistake(
            _right_mix,
            lambda x_0, eps, g: np.sum((eps - g) ** 2) / len(eps),
            "the mean is over examples and coordinates; you summed over coordinates",
        ),
        _loss_mistake(_right_mix, lambda x_0, eps, g: np.mean(np.abs(eps - g)), "the misses are squared"),
        _loss_mistake(
            lambda x_0, eps, bar: np.sqrt(1 - bar) * x_0 + np.sqrt(bar) * eps,
            _mean_square,
            "the factors are exchanged: at $\\bar\\alpha=1$ all should be data",
        ),
    ],
    hint="make $x_t$ with the $\\bar\\alpha_t$ of each row, guess, and average the squared misses",
)
