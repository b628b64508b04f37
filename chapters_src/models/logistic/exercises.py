"""Exercises of the chapter on classification: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.log_softmax.check(log_softmax)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "awkward_data",
    "log_softmax",
    "perceptron_pass",
    "poisson_step",
    "temperature_for_nine_tenths",
    "tempered_gradient",
]


def _pi(a: Any, tau: float = 1.0) -> Any:
    weights = np.exp((a - a.max()) / tau)
    return weights / weights.sum()


def _hot(a: Any, y: int) -> Any:
    return np.eye(len(a))[y]


# --- derive: the gradient of −log softmax(a/τ)_y by a


tempered_gradient = Exercise(
    "gradient of the cross-entropy at a temperature",
    answer=lambda a, y, tau: (_pi(a, tau) - _hot(a, y)) / tau,
    cases=[
        {"a": np.array([0.2, -1.0, 0.5]), "y": 2, "tau": 2.0},
        {"a": np.array([0.2, -1.0, 0.5]), "y": 0, "tau": 1.0},
        {"a": np.array([3.0, 1.0]), "y": 1, "tau": 0.5},
        {"a": np.array([0.0, 0.0, 0.0, 1.0]), "y": 3, "tau": 10.0},
    ],
    mistakes=[
        Mistake(
            lambda a, y, tau: _pi(a, tau) - _hot(a, y),
            "$a/\\tau$ has an inner derivative: where did $1/\\tau$ go?",
        ),
        Mistake(
            lambda a, y, tau: (_pi(a) - _hot(a, y)) / tau,
            "the probabilities are those at temperature $\\tau$, not at 1",
        ),
        Mistake(lambda a, y, tau: _pi(a) - _hot(a, y), "the temperature has to enter somewhere"),
        Mistake(
            lambda a, y, tau: (_hot(a, y) - _pi(a, tau)) / tau,
            "this points downhill: the gradient is predicted minus true",
        ),
        Mistake(
            lambda a, y, tau: (_pi(a, tau) - _hot(a, y)) * tau,
            "the chain rule divides by $\\tau$, it does not multiply",
        ),
        Mistake(
            lambda a, y, tau: _pi(a, tau) / tau,
            "the true class has a term of its own: subtract its one-hot vector",
        ),
    ],
    hint="write the loss as $\\log\\sum_j e^{a_j/\\tau} - a_y/\\tau$ and differentiate by $a_k$",
)


# --- implement: log softmax without overflow


def _log_softmax(a: Any) -> Any:
    shifted = a - a.max()
    return shifted - np.log(np.exp(shifted).sum())


log_softmax = Exercise(
    "log-softmax",
    answer=_log_softmax,
    cases=[
        {"a": np.array([1.0, 2.0, 4.0])},
        {"a": np.array([0.0, 0.0])},
        {"a": np.array([1000.0, 1001.0, 999.0])},
        {"a": np.array([-1000.0, 0.0, 1000.0])},
    ],
    mistakes=[
        Mistake(_pi, "these are the probabilities; their logarithm is asked for"),
        Mistake(lambda a: a - a.max(), "shifted, but not normalised: subtract the log-sum-exp"),
        Mistake(lambda a: -_log_softmax(a), "the sign is off: logarithms of probabilities are at most 0"),
        Mistake(
            lambda a: a - np.log(np.exp(a - a.max()).sum()),
            "if the sum is shifted by the largest, so is $a$: add $c$ back to the log-sum-exp",
        ),
        Mistake(lambda a: _log_softmax(a) / np.log(2), "logarithms in this book are natural"),
    ],
    # An infinite answer matches no mistake above, so this has to speak to it.
    hint="$\\log\\pi_k = a_k - \\log\\sum_j e^{a_j}$. Shift by the largest logit, or $e^{1000}$ overflows; "
    "and never take the logarithm of a probability, which may have been rounded to 0",
)


# --- predict: logits 2 and 0, at which τ is the first probability 0.9?

temperature_for_nine_tenths = Exercise(
    "temperature for nine tenths",
    answer=2 / np.log(9),
    mistakes=[
        Mistake(np.log(9) / 2, "upside down: $2/\\tau$, not $2\\tau$, is the logit"),
        Mistake(2 / np.log(0.9), "the logit of 0.9 is the logarithm of the odds, $\\log\\frac{0.9}{0.1}$"),
        Mistake(-2 / np.log(0.9), "the logit of 0.9 is the logarithm of the odds, $\\log\\frac{0.9}{0.1}$"),
        Mistake(2 / np.log10(9), "logarithms in this book are natural"),
        Mistake(1 / np.log(9), "the difference of the logits is 2"),
        Mistake(2 / np.log(10), "the odds of 0.9 are 9 to 1, not 10 to 1"),
        Mistake(2 * np.log(9), "dividing by a larger $\\tau$ flattens: solve $2/\\tau=\\log 9$ for $\\tau$"),
    ],
    hint="with two classes softmax is $\\sigma$ of the difference, divided by $\\tau$",
    within=2e-3,
)


# --- implement: a Newton step of Poisson regression


def _poisson_step(X: Any, y: Any, theta: Any) -> Any:
    mean = np.exp(X @ theta)
    return theta + np.linalg.solve((X.T * mean) @ X, X.T @ (y - mean))


def _step_mistake(mean: Any, weights: Any, factor: float, hint: str) -> Mistake:
    """The step with another mean, other weights or another factor."""

    def wrong(X: Any, y: Any, theta: Any) -> Any:
        a = X @ theta
        return theta + factor * np.linalg.solve((X.T * weights(a)) @ X, X.T @ (y - mean(a)))

    return Mistake(wrong, hint)


def _counts(seed: int, n: int, d: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"X": rng.normal(size=(n, d)), "y": rng.poisson(2.0, n), "theta": rng.uniform(-0.5, 0.5, d)}


poisson_step = Exercise(
    "one Newton step of Poisson regression",
    answer=_poisson_step,
    cases=[
        {
            "X": np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]),
            "y": np.array([1, 2, 6]),
            "theta": np.array([0.5, 0.2]),
        },
        {
            "X": np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]),
            "y": np.array([1, 2, 6]),
            "theta": np.array([0.0, 0.0]),
        },
        _counts(1, 9, 3),
        _counts(2, 6, 1),
    ],
    mistakes=[
        _step_mistake(np.exp, np.ones_like, 1, "the weights are the variances $e^a$, not 1"),
        _step_mistake(
            np.exp, np.exp, -1, "against the gradient: add $X^\\top(y-\\mu)$, not $X^\\top(\\mu-y)$"
        ),
        _step_mistake(lambda a: a, np.exp, 1, "the mean is $e^{\\theta^\\top x}$, not $\\theta^\\top x$"),
        _step_mistake(
            np.exp, lambda a: np.exp(a) ** 2, 1, "the variance of a count is its mean, not the mean squared"
        ),
        _step_mistake(
            np.exp,
            lambda a: len(a) * np.exp(a),
            1,
            "gradient and Hessian both carry $1/n$ or neither does: it cancels",
        ),
        _step_mistake(
            lambda a: 1 / (1 + np.exp(-a)),
            lambda a: np.exp(-a) / (1 + np.exp(-a)) ** 2,
            1,
            "these are the mean and the variance of a coin; a count has $e^a$ for both",
        ),
        Mistake(
            lambda X, y, theta: _poisson_step(X, y, theta) - theta,
            "that is the step; the new $\\theta$ is asked for",
        ),
        Mistake(
            lambda X, y, theta: theta + X.T @ (y - np.exp(X @ theta)),
            "that is a gradient step: divide by the curvature $X^\\top DX$",
        ),
    ],
    hint="$\\theta + (X^\\top DX)^{-1}X^\\top(y-\\mu)$ with $\\mu = A'(a)$ and $D$ with diagonal $A''(a)$",
)


# --- implement: one pass of the perceptron


def _perceptron(
    X: Any, y: Any, frozen: bool = False, always: bool = False, sign: bool = True, inverted: bool = False
) -> Any:
    """One pass, or one of the ways to get it wrong."""
    theta = np.zeros(X.shape[1])
    for x_i, y_i in zip(X, y, strict=True):
        judge = np.zeros(X.shape[1]) if frozen else theta
        mistake = (1 if judge @ x_i > 0 else -1) != y_i
        if always or mistake != inverted:
            theta = theta + (y_i if sign else 1) * x_i
    return theta


def _batch(X: Any, y: Any) -> Any:
    return (X * y[:, None])[np.where(np.zeros(len(y)) > 0, 1, -1) != y].sum(axis=0) / len(y)


perceptron_pass = Exercise(
    "one pass of the perceptron",
    answer=_perceptron,
    cases=[
        {
            "X": np.array([[1.0, 2.0], [1.0, -1.0], [1.0, 0.5], [1.0, -3.0], [1.0, 0.2]]),
            "y": np.array([1, -1, 1, -1, -1]),
        },
        {"X": np.random.default_rng(1).normal(size=(12, 3)), "y": np.where(np.arange(12) % 3 > 0, 1, -1)},
        {"X": np.array([[1.0, 0.0], [1.0, 0.0]]), "y": np.array([-1, 1])},
    ],
    mistakes=[
        Mistake(
            lambda X, y: _perceptron(X, y, frozen=True),
            "predict with the weights of this moment, not with those of the start",
        ),
        Mistake(
            lambda X, y: _perceptron(X, y, always=True),
            "a right answer changes nothing: update on mistakes only",
        ),
        Mistake(
            lambda X, y: _perceptron(X, y, sign=False), "add $y_ix_i$: a false yes must push the other way"
        ),
        Mistake(lambda X, y: -_perceptron(X, y), "the sign is off: a missed yes adds $x_i$"),
        Mistake(lambda X, y: _perceptron(X, y, inverted=True), "update on mistakes, not on right answers"),
        Mistake(
            lambda X, y: 2 * _perceptron(X, y),
            "$(y-\\hat y)x$ is $2yx$ with labels $\\pm1$; the rule adds $yx$",
        ),
        Mistake(_batch, "one example at a time: each update changes the next prediction"),
    ],
    hint="row by row: where the sign of $\\theta^\\top x_i$ (0 counts as −1) is not $y_i$, add $y_ix_i$",
)


# --- break: separable data on which least squares misclassifies


def _judge_awkward(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: x, y."
    x, y = (as_numbers(part) for part in attempt)
    if x.ndim != 1 or y.shape != x.shape:
        return f"expected x and y of shape (n,), got shapes {x.shape} and {y.shape}."
    if not 2 <= len(x) <= 10 or not np.isfinite(x).all():
        return f"between 2 and 10 finite numbers, please; got {len(x)}."
    if set(np.unique(y)) != {0.0, 1.0}:
        return "the labels have to be 0 and 1, and both have to occur."
    low, high = x[y == 0], x[y == 1]
    if not (low.max() < high.min() or high.max() < low.min()):
        return "no threshold separates these labels: the two classes overlap."
    X = with_bias(x[:, None])
    theta = least_squares(X, y)
    right = (X @ theta > 0.5) == (y == 1)
    if right.all():
        return f"least squares gets all {len(x)} right."
    return None


awkward_data = Exercise(
    "separable data that least squares gets wrong",
    judge=_judge_awkward,
    answer=(np.array([-1.0, 0.0, 1.0, 30.0]), np.array([0.0, 0.0, 1.0, 1.0])),
    hint="least squares punishes a point that is too far on its own side: what if one is very far out?",
)
