"""Exercises of the chapter on stochastic optimisers: derive, implement, predict, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["adam_step", "correction", "long_run_step", "nesterov_step"]


# --- derive: what a running average with changing β has to be divided by


correction = Exercise(
    "the correction for changing averages",
    answer=lambda betas: 1 - np.prod(betas),
    cases=[
        {"betas": np.array([0.9, 0.8, 0.5])},
        {"betas": np.array([0.9, 0.9, 0.9, 0.9])},
        {"betas": np.array([0.0, 0.99])},
        {"betas": np.array([0.999])},
        {"betas": np.array([0.3, 0.6, 0.9, 0.99, 0.1])},
    ],
    mistakes=[
        Mistake(
            lambda betas: np.prod(betas),
            "this is the share that still belongs to $m_0=0$; the rest is what counts",
        ),
        Mistake(lambda betas: 1 - betas[-1], "that is right after one step; what of the steps before?"),
        Mistake(
            lambda betas: 1 - betas[-1] ** len(betas),
            "$1-\\beta^t$ needs one $\\beta$ throughout; here each step has its own",
        ),
        Mistake(
            lambda betas: 1 - np.mean(betas) ** len(betas),
            "the $\\beta_k$ multiply one another: their mean will not do",
        ),
        Mistake(
            lambda betas: np.prod(1 - betas),
            "$1-\\beta_k$ is the weight with which step $k$ enters; later steps multiply by $\\beta$",
        ),
        Mistake(
            lambda betas: 1 / (1 - np.prod(betas)),
            "this is the factor to multiply by; asked for is the divisor",
        ),
    ],
    hint="feed the average a constant gradient 1 and see what is missing from 1 after each step",
)


# --- implement: one step of Adam


def _adam(
    theta: Any, g: Any, m: Any, v: Any, t: int, eta: float, beta1: float, beta2: float, eps: float
) -> Any:
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
    return theta - eta * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps), m, v


def _adam_mistake(step: Any, hint: str) -> Mistake:
    """The right m and v, and another step from them."""

    def wrong(
        theta: Any, g: Any, m: Any, v: Any, t: int, eta: float, beta1: float, beta2: float, eps: float
    ) -> Any:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        return theta - eta * step(m, v, t, beta1, beta2, eps), m, v

    return Mistake(wrong, hint)


def _adam_case(seed: int, t: int, **changes: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    now = {"theta": rng.normal(size=2), "g": rng.normal(size=2), "m": 0.1 * rng.normal(size=2)}
    fixed = {"v": rng.uniform(0.01, 0.1, 2), "t": t, "eta": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-2}
    return {**now, **fixed, **changes}


adam_step = Exercise(
    "one step of Adam",
    answer=_adam,
    cases=[
        {
            "theta": np.array([1.0, -1.0]),
            "g": np.array([0.5, 2.0]),
            "m": np.array([0.1, 0.2]),
            "v": np.array([0.01, 0.04]),
            "t": 3,
            "eta": 1.0,
            "beta1": 0.9,
            "beta2": 0.95,
            "eps": 0.1,
        },
        _adam_case(1, 1),
        _adam_case(2, 50, eps=1e-8),
        _adam_case(3, 7, beta1=0.5, beta2=0.9),
    ],
    mistakes=[
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: (m / (1 - b1)) / (np.sqrt(v / (1 - b2)) + eps),
            "the corrections are $1-\\beta_1^t$ and $1-\\beta_2^t$: where is the power?",
        ),
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: (m / (1 - b1)) / (np.sqrt(v) + eps),
            "the powers are missing, and $v$ is to be corrected too",
        ),
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: m / (np.sqrt(v) + eps), "this is Adam without its bias corrections"
        ),
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: (m / (1 - b1**t)) / np.sqrt(v / (1 - b2**t) + eps),
            "$\\varepsilon$ is added to the root, not under it",
        ),
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: (m / (1 - b1**t)) / (v / (1 - b2**t) + eps),
            "divide by the root of $\\hat v$",
        ),
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: (
                (m / (1 - b1 ** (t - 1)) if t > 1 else m)
                / (np.sqrt(v / (1 - b2 ** (t - 1)) if t > 1 else v) + eps)
            ),
            "the step with number $t$ has already seen $t$ gradients: the power is $t$",
        ),
        _adam_mistake(
            lambda m, v, t, b1, b2, eps: -(m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps),
            "this walks uphill: the step is subtracted",
        ),
        Mistake(
            lambda theta, g, m, v, t, eta, beta1, beta2, eps: _adam(
                theta, g, m, v, t, eta, beta2, beta1, eps
            ),
            "$\\beta_1$ belongs to $m$, $\\beta_2$ to $v$",
        ),
    ],
    hint="update $m$ and $v$ first, then correct both, then step; return $\\theta, m, v$",
)


# --- implement: Nesterov's look-ahead on ½θᵀHθ


def _look_ahead(shift: Any, hint: str) -> Mistake:
    """The gradient at another point."""

    def wrong(H: Any, theta: Any, u: Any, eta: float, beta: float) -> Any:
        u = beta * u + H @ (theta + shift(u, eta, beta))
        return theta - eta * u, u

    return Mistake(wrong, hint)


def _nesterov(H: Any, theta: Any, u: Any, eta: float, beta: float) -> Any:
    u = beta * u + H @ (theta - eta * beta * u)
    return theta - eta * u, u


nesterov_step = Exercise(
    "one step of Nesterov's method",
    answer=_nesterov,
    cases=[
        {
            "H": np.diag([1.0, 2.0]),
            "theta": np.array([1.0, 1.0]),
            "u": np.array([1.0, -2.0]),
            "eta": 0.1,
            "beta": 0.5,
        },
        {
            "H": np.diag([1.0, 25.0]),
            "theta": np.array([1.0, 1.0]),
            "u": np.zeros(2),
            "eta": 0.035,
            "beta": 0.9,
        },
        {
            "H": np.array([[2.0, 1.0], [1.0, 3.0]]),
            "theta": np.array([0.5, -1.0]),
            "u": np.array([3.0, 1.0]),
            "eta": 0.2,
            "beta": 0.9,
        },
    ],
    mistakes=[
        _look_ahead(
            lambda u, eta, beta: eta * beta * u,
            "the step subtracts $\\eta u$, so the look-ahead subtracts too",
        ),
        _look_ahead(
            lambda u, eta, beta: 0 * u,
            "this is plain momentum: the gradient is taken where you stand, not ahead",
        ),
        _look_ahead(
            lambda u, eta, beta: -eta * u,
            "look ahead by what momentum alone would do, and that is $\\beta u$, not $u$",
        ),
        _look_ahead(
            lambda u, eta, beta: -beta * u,
            "$u$ is a sum of gradients; the step it makes is $\\eta$ times as long",
        ),
        Mistake(
            lambda H, theta, u, eta, beta: (
                theta - eta * beta * u - eta * (beta * u + H @ (theta - eta * beta * u)),
                beta * u + H @ (theta - eta * beta * u),
            ),
            "the look-ahead is only where the gradient is measured; the step starts from $\\theta$",
        ),
        Mistake(
            lambda H, theta, u, eta, beta: (
                theta - eta * (beta * u + (1 - beta) * H @ (theta - eta * beta * u)),
                beta * u + (1 - beta) * H @ (theta - eta * beta * u),
            ),
            "this is the average convention; here $u\\leftarrow\\beta u+g$",
        ),
    ],
    hint="first the point ahead, $\\theta-\\eta\\beta u$; then the gradient there; then momentum as usual",
)


# --- predict: momentum under a gradient that is 2 at every step, with η = 0.01 and β = 0.9 (sum convention)

long_run_step = Exercise(
    "how far momentum moves in the long run",
    answer=0.2,
    mistakes=[
        Mistake(0.02, "that is gradient descent, or the average convention; the sum is 10 gradients long"),
        Mistake(0.1, "the gradient is 2, not 1"),
        Mistake(0.018, "$\\beta$ times one step is only the second term; the series goes on"),
        Mistake(0.038, "that is the second step: the sum keeps growing"),
        Mistake(0.01, "that is Adam's step"),
        Mistake(20.0, "that is $u$; the step is $\\eta u$"),
    ],
    hint="in the long run $u=\\beta u+g$",
    within=2e-3,
)
