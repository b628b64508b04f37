"""Exercises of the chapter on mixtures: implement the M step, and break EM."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.generative.mixtures.gaussian_mixture import fit_em, mixture
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["m_step", "stuck_start", "three_groups"]


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
