"""Exercises of the chapter on the evidence lower bound: derive, implement, predict, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.generative.mixtures import fit_em, mixture
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "kl_to_standard",
    "linear_elbo",
    "log_acceptance",
    "m_step",
    "reported_sd",
    "stuck_start",
    "three_groups",
]


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


# --- implement: one M step on a line


def _m_step(x: Any, r: Any) -> Any:
    N = r.sum(axis=0)
    means = r.T @ x / N
    return N / len(x), means, (r * (x[:, None] - means) ** 2).sum(axis=0) / N


def _stacked(weights: Any, means: Any, variances: Any) -> Any:
    return np.asarray(weights), np.asarray(means), np.asarray(variances)


def _m_mistake(change: Any, hint: str) -> Mistake:
    return Mistake(lambda x, r: _stacked(*change(x, r, *_m_step(x, r))), hint)


def _shares(seed: int, n: int, K: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"x": rng.normal(size=n), "r": rng.dirichlet(np.ones(K), n)}


m_step = Exercise(
    "the M step",
    answer=_m_step,
    cases=[
        {"x": np.array([0.0, 1.0, 4.0]), "r": np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])},
        _shares(1, 8, 3),
        _shares(2, 20, 2),
        {"x": np.array([1.0, 2.0, 3.0, 4.0]), "r": np.ones((4, 1))},
    ],
    mistakes=[
        _m_mistake(lambda x, r, w, m, s: (w, r.T @ x / len(x), s), "divide the means by $N_k$, not by $n$"),
        _m_mistake(
            lambda x, r, w, m, s: (w, m, s * w),
            "divide the variances by $N_k$, not by $n$",
        ),
        _m_mistake(
            lambda x, r, w, m, s: (w * len(x), m, s), "the weights are shares: $N_k/n$, so that they sum to 1"
        ),
        _m_mistake(
            lambda x, r, w, m, s: (w, m, (r * (x[:, None] - x.mean()) ** 2).sum(0) / r.sum(0)),
            "the variance of a component is around its own mean, not around the mean of all data",
        ),
        _m_mistake(
            lambda x, r, w, m, s: (w, m, np.sqrt(s)), "variances are asked for, not standard deviations"
        ),
        _m_mistake(
            lambda x, r, w, m, s: (w, m, (r**2 * (x[:, None] - m) ** 2).sum(0) / r.sum(0)),
            "the responsibility weighs the squared distance once: it is not squared itself",
        ),
        _m_mistake(
            lambda x, r, w, m, s: (
                np.bincount(r.argmax(1), minlength=r.shape[1]) / len(x),
                np.array(
                    [x[r.argmax(1) == k].mean() if (r.argmax(1) == k).any() else 0 for k in range(r.shape[1])]
                ),
                np.array(
                    [x[r.argmax(1) == k].var() if (r.argmax(1) == k).any() else 0 for k in range(r.shape[1])]
                ),
            ),
            "do not round the responsibilities: each example counts a little in every component",
        ),
    ],
    hint="set $N_k=\\sum_i r_{ik}$; means and variances are averages with weights $r_{ik}/N_k$",
)


# --- predict: what mean field reports for a correlation of 0.8

reported_sd = Exercise(
    "the standard deviation that mean field reports",
    answer=0.6,
    mistakes=[
        Mistake(0.36, "that is the variance $1-\\rho^2$; the standard deviation is asked for"),
        Mistake(1.0, "that is the true one, and what the forward KL would keep; mean field reports less"),
        Mistake(0.2, "not $1-\\rho$: look at the diagonal of the inverse of the covariance matrix"),
        Mistake(0.8, "that is the correlation itself"),
        Mistake(5 / 3, "upside down: the diagonal of $\\Sigma^{-1}$ is one over the variance"),
        Mistake(np.sqrt(0.2), "the root of $1-\\rho$; it is $1-\\rho^2$ that stands under the root"),
    ],
    hint="mean field gives each coordinate its variance with the others held still: $1/(\\Sigma^{-1})_{jj}$",
    within=2e-3,
)


# --- implement: the acceptance probability of Metropolis–Hastings, in logarithms


def _log_acceptance(log_p_here: float, log_p_there: float, log_g_there: float, log_g_back: float) -> Any:
    return min(0.0, log_p_there - log_p_here + log_g_back - log_g_there)


def _step(here: float, there: float, forth: float, back: float) -> dict[str, Any]:
    return {"log_p_here": here, "log_p_there": there, "log_g_there": forth, "log_g_back": back}


log_acceptance = Exercise(
    "the acceptance probability",
    answer=_log_acceptance,
    cases=[
        _step(-1.0, -3.0, -0.5, -0.75),
        _step(-3.0, -1.0, -0.5, -0.5),
        _step(-1.0, -1.5, -2.0, -1.0),
        _step(-400.0, -2000.0, -1.0, -1.5),
        _step(-1.0, -1.25, -0.5, -2.0),
    ],
    mistakes=[
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: min(0.0, log_p_there - log_p_here),
            "that is Metropolis's rule, right for symmetric proposals only: the proposal densities enter too",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: min(
                0.0, log_p_there - log_p_here + log_g_there - log_g_back
            ),
            "the correction is upside down: the way back stands above, the way there below",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: np.exp(
                min(0.0, log_p_there - log_p_here + log_g_back - log_g_there)
            ),
            "the logarithm is asked for: leave out the exponential",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: (
                log_p_here - log_p_there + log_g_there - log_g_back
            ),
            "the fraction is upside down: the new place stands above",
        ),
        Mistake(
            lambda log_p_here, log_p_there, log_g_there, log_g_back: max(
                0.0, log_p_there - log_p_here + log_g_back - log_g_there
            ),
            "a probability is at most 1, so its logarithm is at most 0: take the minimum with 0",
        ),
    ],
    hint="take the logarithm of $\\min(1, \\cdot)$: it is the minimum of 0 and a sum of four terms",
)


# --- break: a start from which EM gets stuck

_noise = np.random.default_rng(8).standard_normal((3, 30))
three_groups: ndarray = np.sort((np.array([[-4.0], [0.0], [4.0]]) + 0.3 * _noise).ravel())


def _ends_at(means: Any) -> float:
    start = mixture(np.full(3, 1 / 3), np.asarray(means, dtype=float)[:, None], np.ones((3, 1, 1)))
    return float(fit_em(start, three_groups[:, None], steps=500, tolerance=1e-9).log_likelihoods[-1])


_HIGHEST = _ends_at([-4.0, 0.0, 4.0])


def _judge_stuck(attempt: Any) -> str | None:
    means = as_numbers(attempt)
    if means.shape != (3,):
        return f"give three numbers, one starting mean each; got shape {means.shape}."
    if not np.isfinite(means).all() or np.abs(means).max() > 20:
        return "finite numbers between −20 and 20, please."
    if len(np.unique(means)) < 3:
        return (
            "two components that start at the same place stay the same for ever; take three different means."
        )
    short = _HIGHEST - _ends_at(means)
    if short >= 20:
        return None
    return f"from there EM ends {max(short, 0):.1f} nats below the best."


stuck_start = Exercise(
    "a start from which EM gets stuck",
    judge=_judge_stuck,
    answer=(-4.5, -3.5, 2.0),
    hint="if two components begin inside one group, the third has to serve the other two",
)
