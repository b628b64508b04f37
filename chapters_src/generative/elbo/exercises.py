"""Exercises of the chapter on the evidence lower bound: derive and implement."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["kl_to_standard", "linear_elbo"]


# --- derive: KL(N(m, diag s²) ‖ N(0, I)) from m and log s²


def _kl_to_standard(mean: Any, log_variance: Any) -> Any:
    return 0.5 * np.sum(np.exp(log_variance) + mean**2 - 1 - log_variance)


kl_to_standard = Exercise(
    "KL to the standard Gaussian",
    answer=_kl_to_standard,
    cases=[
        {"mean": np.array([1.0, -0.5]), "log_variance": np.array([-1.0, 0.5])},
        {"mean": np.zeros(3), "log_variance": np.zeros(3)},
        {"mean": np.array([2.0]), "log_variance": np.array([0.0])},
        {"mean": np.array([0.3, -1.2, 0.8, 2.0]), "log_variance": np.array([0.4, -2.0, 1.1, 0.0])},
    ],
    mistakes=[
        Mistake(
            lambda mean, log_variance: np.sum(np.exp(log_variance) / 2 + mean**2 - 1 - log_variance),
            "the ½ multiplies the whole bracket, not the trace alone",
        ),
        Mistake(
            lambda mean, log_variance: np.sum(np.exp(log_variance) + mean**2 - 1 - log_variance),
            "where is the ½ before the bracket?",
        ),
        Mistake(
            lambda mean, log_variance: -_kl_to_standard(mean, log_variance),
            "the sign is flipped: a KL is never negative",
        ),
        Mistake(
            lambda mean, log_variance: 0.5 * np.sum(np.exp(log_variance) + mean**2 - 1 + log_variance),
            "the logarithm of the determinant is subtracted",
        ),
        Mistake(
            lambda mean, log_variance: 0.5 * np.sum(np.exp(log_variance) + mean**2 - 1),
            "the log-determinant is missing: a narrow $q$ has to pay for being narrow",
        ),
        Mistake(
            lambda mean, log_variance: 0.5 * np.sum(np.exp(log_variance) + mean**2 - log_variance),
            "at $m=0$, $s=1$ it must be 0: subtract 1 for every dimension",
        ),
        Mistake(
            lambda mean, log_variance: 0.5 * np.mean(np.exp(log_variance) + mean**2 - 1 - log_variance),
            "the dimensions add up; a mean divides by $d$",
        ),
        Mistake(
            lambda mean, log_variance: 0.5 * (np.exp(log_variance) + mean**2 - 1 - log_variance),
            "one number is asked for: sum over the dimensions",
        ),
        Mistake(
            lambda mean, log_variance: (
                0.5 * np.sum(np.exp(2 * log_variance) + mean**2 - 1 - 2 * log_variance)
            ),
            "$\\ell$ is the logarithm of the variance already, not of the standard deviation",
        ),
        Mistake(
            lambda mean, log_variance: 0.5 * np.sum((1 + mean**2) / np.exp(log_variance) - 1 + log_variance),
            "that is the KL the other way round, from the standard Gaussian to $q$",
        ),
    ],
    hint="put $T=I$ and $n=0$ into the formula for several dimensions; the determinant is $\\prod_j s_j^2$",
)


# --- derive and implement: the ELBO of z ~ N(0, 1), x | z ~ N(wz, v) for q = N(m, s²)


def _pieces(x: float, w: float, v: float, m: float, s2: float) -> tuple[float, float]:
    reconstruction = -0.5 * np.log(2 * np.pi * v) - ((x - w * m) ** 2 + w**2 * s2) / (2 * v)
    return reconstruction, 0.5 * (s2 + m**2 - 1 - np.log(s2))


def _linear_elbo(x: float, w: float, v: float, m: float, s2: float) -> Any:
    reconstruction, kl = _pieces(x, w, v, m, s2)
    return reconstruction - kl


linear_elbo = Exercise(
    "the ELBO of a linear-Gaussian model",
    answer=_linear_elbo,
    cases=[
        {"x": 1.0, "w": 2.0, "v": 0.5, "m": 0.3, "s2": 0.2},
        {"x": -0.7, "w": 0.5, "v": 1.5, "m": -0.2, "s2": 1.3},
        {"x": 0.0, "w": 1.0, "v": 1.0, "m": 0.0, "s2": 0.5},
        {"x": 3.0, "w": -1.0, "v": 2.0, "m": -1.0, "s2": 0.1},
    ],
    mistakes=[
        Mistake(
            lambda x, w, v, m, s2: _linear_elbo(x, w, v, m, s2) + w**2 * s2 / (2 * v),
            "$\\mathbb E(x-wz)^2$ is not $(x-wm)^2$: the spread of $q$ adds $w^2s^2$",
        ),
        Mistake(
            lambda x, w, v, m, s2: _linear_elbo(x, w, v, m, s2) + (w**2 - abs(w)) * s2 / (2 * v),
            "the spread of $wz$ is $w^2s^2$: the factor is squared",
        ),
        Mistake(
            lambda x, w, v, m, s2: sum(_pieces(x, w, v, m, s2)),
            "the KL to the prior is subtracted",
        ),
        Mistake(
            lambda x, w, v, m, s2: _pieces(x, w, v, m, s2)[0],
            "that is the reconstruction alone: subtract the KL from $q$ to the prior",
        ),
        Mistake(
            lambda x, w, v, m, s2: -_linear_elbo(x, w, v, m, s2),
            "this is the negative bound, a loss; the ELBO is what one maximises",
        ),
        Mistake(
            lambda x, w, v, m, s2: _linear_elbo(x, w, v, m, s2) + 0.5 * np.log(2 * np.pi * v),
            "a density has a normaliser: where is $-\\frac12\\log2\\pi v$?",
        ),
        Mistake(
            lambda x, w, v, m, s2: _pieces(x, w, v, m, s2)[0] - 0.5 * (s2 + m**2) - 0.5 * np.log(2 * np.pi),
            "the entropy of $q$ is missing: without it $q$ would shrink to a point",
        ),
        Mistake(
            lambda x, w, v, m, s2: -0.5 * np.log(2 * np.pi * (w**2 + v)) - x**2 / (2 * (w**2 + v)),
            "that is $\\log p(x)$ itself; the bound is below it unless $q$ is the posterior",
        ),
    ],
    hint="$\\mathbb E_q\\log p(x\\mid z)$ needs $\\mathbb E_q(x-wz)^2$; then subtract the KL of exercise 1",
)
