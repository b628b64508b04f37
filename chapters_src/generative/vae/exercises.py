"""Exercises of the chapter on variational autoencoders: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.draw.check(draw)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "coin_gradient",
    "draw",
    "favourite",
    "kl_to_wide_prior",
    "nats_in_the_code",
    "silent_beta",
    "spectrum",
    "weighted_bound",
]


def _normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


# --- derive: the divergence to N(0, τ²I)


def _kl(mu: Any, v: Any, tau2: float) -> Any:
    return 0.5 * np.sum((mu**2 + v) / tau2 - 1 - np.log(v / tau2))


kl_to_wide_prior = Exercise(
    "kl_to_wide_prior",
    answer=_kl,
    cases=[
        {"mu": np.array([1.0, -2.0]), "v": np.array([0.5, 2.0]), "tau2": 4.0},
        {"mu": np.zeros(3), "v": np.full(3, 2.5), "tau2": 2.5},
        {"mu": _normal(0, 4), "v": np.exp(_normal(1, 4)), "tau2": 0.3},
        {"mu": np.array([0.7]), "v": np.array([0.01]), "tau2": 1.0},
    ],
    mistakes=[
        Mistake(
            lambda mu, v, tau2: np.sum((mu**2 + v) / tau2 - 1 - np.log(v / tau2)),
            "a factor $\\frac12$ stands before everything",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * v.sum() / tau2 + np.sum(mu**2 / tau2 - 1 - np.log(v / tau2)),
            "the $\\frac12$ multiplies every term, not the variances alone",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * np.sum(mu**2 + v - 1 - np.log(v)),
            "that is the divergence to $\\mathcal N(0,I)$: where does $\\tau^2$ come in?",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * np.sum((mu**2 + v) / tau2 - 1 - np.log(v)),
            "the logarithm compares two variances: $\\log(v/\\tau^2)$",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * np.sum((mu**2 + v) / tau2 - 1 + np.log(v / tau2)),
            "check the sign of the logarithm: a narrow $q$ has to cost more, not less",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * np.sum((mu**2 + v**2) / tau2 - 1 - np.log(v**2 / tau2)),
            "$v$ is a variance already; do not square it",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * np.sum((mu**2 + tau2) / v - 1 - np.log(tau2 / v)),
            "that is the divergence the other way round: the average is taken under $q$",
        ),
        Mistake(
            lambda mu, v, tau2: 0.5 * np.mean((mu**2 + v) / tau2 - 1 - np.log(v / tau2)),
            "dimensions are independent, so their divergences add; a mean would change the term's weight",
        ),
    ],
    hint="start from $\\mathbb E_q[\\log q(z)-\\log p(z)]$ for one dimension; $\\mathbb E_qz^2=\\mu^2+v$",
)


# --- implement: a draw from the encoder's outputs

draw = Exercise(
    "draw",
    answer=lambda mu, log_variance, eps: mu + np.exp(0.5 * log_variance) * eps,
    cases=[
        {
            "mu": np.array([1.0, 2.0]),
            "log_variance": np.array([0.5, -1.0]),
            "eps": np.array([2.0, -1.0]),
        },
        {"mu": _normal(2, 3, 2), "log_variance": _normal(3, 3, 2), "eps": _normal(4, 3, 2)},
        {"mu": np.zeros(4), "log_variance": np.full(4, -9.0), "eps": _normal(5, 4)},
    ],
    mistakes=[
        Mistake(
            lambda mu, log_variance, eps: mu + log_variance * eps,
            "the encoder gives a logarithm: take its exponential first",
        ),
        Mistake(
            lambda mu, log_variance, eps: mu + np.exp(log_variance) * eps,
            "that is the variance; noise is scaled by a standard deviation, $e^{\\frac12\\log\\sigma^2}$",
        ),
        Mistake(
            lambda mu, log_variance, eps: mu * np.exp(0.5 * log_variance) + eps,
            "the mean shifts and the spread scales the noise, not the other way round",
        ),
        Mistake(
            lambda mu, log_variance, eps: mu + np.exp(-0.5 * log_variance) * eps,
            "the sign in the exponent is turned: a large variance means much noise",
        ),
        Mistake(
            lambda mu, log_variance, eps: mu + np.exp(0.5 * log_variance),
            "without $\\varepsilon$ every draw is the same",
        ),
        Mistake(
            lambda mu, log_variance, eps: mu + 0.5 * np.exp(log_variance) * eps,
            "the $\\frac12$ belongs in the exponent, where it takes a root",
        ),
    ],
    hint="$z=\\mu+\\sigma\\odot\\varepsilon$, and $\\sigma$ is the root of $e^{\\log\\sigma^2}$",
)


# --- implement: the importance-weighted bound from log-weights


def _bound(log_w: Any) -> Any:
    top = log_w.max(axis=0)
    return top + np.log(np.mean(np.exp(log_w - top), axis=0))


weighted_bound = Exercise(
    "weighted_bound",
    answer=_bound,
    cases=[
        {"log_w": np.array([[-1.0, -2.0], [0.5, -3.0], [-2.0, 1.0]])},
        {"log_w": 3 * _normal(6, 5, 4)},
        {"log_w": -800 + 5 * _normal(7, 6, 3)},
        {"log_w": np.array([[-1200.0, 900.0]])},
    ],
    mistakes=[
        Mistake(
            lambda log_w: log_w.mean(axis=0),
            "a mean of logarithms is the ELBO; average the weights, then take the logarithm",
        ),
        Mistake(
            lambda log_w: np.log(len(log_w)) + _bound(log_w),
            "a mean, not a sum: subtract $\\log K$",
        ),
        Mistake(
            lambda log_w: _bound(log_w.T),
            "draws are rows: average over the rows, so that one number an example is left",
        ),
        Mistake(lambda log_w: log_w.max(axis=0), "that is the largest weight alone"),
        Mistake(lambda log_w: _bound(log_w).mean(), "one bound an example is asked for, not their mean"),
        Mistake(
            lambda log_w: np.mean(np.exp(log_w), axis=0),
            "the logarithm is missing",
        ),
    ],
    hint="$\\log\\frac1K\\sum_kw_k$; take the largest log-weight out of the sum first, or every weight is 0",
)


# --- predict: nats above the water

spectrum = np.array([4.0, 2.0, 1.0, 0.25])

nats_in_the_code = Exercise(
    "nats_in_the_code",
    answer=3 * np.log(2),
    mistakes=[
        Mistake(6 * np.log(2), "each direction costs half the logarithm of signal over noise"),
        Mistake(
            2.5 * np.log(2),
            "the last direction is below the noise: it costs nothing, and not a negative number of nats",
        ),
        Mistake(3.0, "that is in bits; nats are asked for"),
        Mistake(
            0.5 * np.log(4 * 2 * 1),
            "signal over noise: divide each variance by $\\frac12$ first",
        ),
        Mistake(
            0.5 * (np.log(9) + np.log(5) + np.log(3)),
            "that is $\\frac12\\log(1+\\lambda/s^2)$; the data's variance has the noise in it already",
        ),
        Mistake(
            0.5 * np.sum(np.log(np.array([4.0, 2.0, 1.0]) / 0.25)),
            "the variance is $\\frac12$ already; it is not squared",
        ),
    ],
    within=1e-3,
    hint="$\\frac12\\log(\\lambda_i/s^2)$ for each direction above the noise, and 0 for the others",
)


# --- predict: the β of two means

silent_beta = Exercise(
    "silent_beta",
    answer=49.0,
    mistakes=[
        Mistake(784.0, "the KL has been divided as well, by 16"),
        Mistake(16 / 784, "upside down: dividing the reconstruction by more makes the KL weigh more"),
        Mistake(1.0, "the two terms are divided by different numbers, so the balance changes"),
        Mistake(784.0 * 16, "the KL is divided by 16, which makes it weigh less, not more"),
        Mistake(1 / 16, "the reconstruction has been divided too"),
    ],
    hint="bring $R/784-\\mathrm{KL}/16$ into the form $c\\,(R-\\beta\\,\\mathrm{KL})$",
)


# --- break: what the slip likes best


def _judge_favourite(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: $\\mu$ and the variances $v$, two numbers each."
    mu, v = (as_numbers(part) for part in attempt)
    if mu.shape != (2,) or v.shape != (2,):
        return f"two numbers each are needed; got shapes {mu.shape} and {v.shape}."
    if not (np.isfinite(mu).all() and np.isfinite(v).all() and (v > 0).all()):
        return "the means have to be finite and the variances positive."
    printed = 0.5 * v.sum() + mu @ mu - 2 - np.log(v).sum()
    least = -2 * np.log(2)
    if printed <= least + 1e-6:
        return None
    if np.abs(mu).max() > 1e-3:
        return f"the printed divergence is {printed:.3f} there; moving $\\mu$ closer to 0 lowers it."
    if np.allclose(v, 1):
        return f"that is the prior itself. Printed: {printed:.3f}, below 0 already, and it goes lower still."
    if (v < 1.9).all():
        return f"the printed divergence is {printed:.3f} there; larger variances lower it further."
    return f"the printed divergence is {printed:.3f} there, and it can be {printed - least:.3g} lower."


favourite = Exercise(
    "favourite",
    answer=(np.zeros(2), np.full(2, 2.0)),
    judge=_judge_favourite,
    hint="one dimension costs $\\frac12v+\\mu^2-1-\\log v$; set its derivatives to zero",
)


# --- implement: the score function of a coin


def _sigmoid(a: float) -> Any:
    return 1 / (1 + np.exp(-a))


coin_gradient = Exercise(
    "coin_gradient",
    answer=lambda a, z, values, baseline: np.mean((values - baseline) * (z - _sigmoid(a))),
    cases=[
        {
            "a": 0.5,
            "z": np.array([1.0, 0.0, 1.0, 1.0]),
            "values": np.array([2.0, -1.0, 2.5, 0.5]),
            "baseline": 0.75,
        },
        {"a": -1.0, "z": (_normal(8, 12) > 0.5).astype(float), "values": 5 + _normal(9, 12), "baseline": 5.0},
        {"a": 2.0, "z": np.array([1.0, 0.0]), "values": np.array([3.0, 1.0]), "baseline": 0.0},
    ],
    mistakes=[
        Mistake(
            lambda a, z, values, baseline: np.mean(values * (z - _sigmoid(a))),
            "that is without the baseline: right on average, and needlessly noisy",
        ),
        Mistake(
            lambda a, z, values, baseline: np.mean(values * (z - _sigmoid(a)) - baseline),
            "the baseline is taken from the value before the score multiplies it, or the mean moves",
        ),
        Mistake(
            lambda a, z, values, baseline: np.mean((values - baseline) * z),
            "the score is $\\frac d{da}\\log q(z)$, which is $z-\\sigma(a)$",
        ),
        Mistake(
            lambda a, z, values, baseline: np.mean((values - baseline) * (z - a)),
            "the probability of a 1 is $\\sigma(a)$, not $a$",
        ),
        Mistake(
            lambda a, z, values, baseline: np.mean((values - baseline) * (_sigmoid(a) - z)),
            "the sign is turned: the score is $z-\\sigma(a)$",
        ),
        Mistake(
            lambda a, z, values, baseline: np.sum((values - baseline) * (z - _sigmoid(a))),
            "an estimate is the mean over the draws, not their sum",
        ),
        Mistake(
            lambda a, z, values, baseline: np.mean(
                (values - baseline) * (z / _sigmoid(a) - (1 - z) / _sigmoid(-a))
            ),
            "that is the derivative by the probability; by $a$ it has a factor $\\sigma(a)\\sigma(-a)$ more",
        ),
    ],
    hint="$\\log q(z)=z\\,a-\\log(1+e^a)$; differentiate it by $a$, multiply by $f(z_s)-b$, average",
)
