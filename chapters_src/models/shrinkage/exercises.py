"""Exercises of the chapter on shrinkage: derive and implement.

Each is named like what the reader writes: ``exercises.ridge_gradient.check(ridge_gradient)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["leave_one_out", "r_squared", "ridge_gradient", "weighted_least_squares"]

# the smallest data on which all the mistakes below give different numbers
TRIANGLE = {"X": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), "y": np.array([1.0, 2.0, 0.0])}
STAIRS = {
    "X": np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]]),
    "y": np.array([1.0, 2.0, 2.0, 5.0]),
}


def _problem(seed: int, n: int, d: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"X": rng.normal(size=(n, d)), "y": rng.normal(size=n)}


def _positive(seed: int, n: int) -> ndarray:
    return np.random.default_rng(seed).uniform(0.2, 3.0, n)


# --- derive: the gradient of (1/n)‖y − Xθ‖² + λ‖θ‖²


def _ridge_gradient(X: Any, y: Any, theta: Any, lam: float) -> Any:
    return 2 / len(X) * X.T @ (X @ theta - y) + 2 * lam * theta


def _ridge_mistake(data: float, penalty: float, hint: str, per_example: bool = True) -> Mistake:
    """The gradient with other factors before its two terms."""

    def wrong(X: Any, y: Any, theta: Any, lam: float) -> Any:
        factor = data / len(X) if per_example else data
        return factor * X.T @ (X @ theta - y) + penalty * lam * theta

    return Mistake(wrong, hint)


ridge_gradient = Exercise(
    "gradient of the ridge loss",
    answer=_ridge_gradient,
    cases=[
        {**TRIANGLE, "theta": np.array([1.0, -1.0]), "lam": 0.5},
        {**TRIANGLE, "theta": np.array([0.3, 0.7]), "lam": 0.0},
        {**_problem(1, 6, 3), "theta": np.array([1.0, -2.0, 0.5]), "lam": 0.1},
        {**_problem(2, 3, 3), "theta": np.array([0.0, 1.0, 2.0]), "lam": 2.0},
        {**_problem(3, 5, 1), "theta": np.array([-1.5]), "lam": 1.0},
    ],
    mistakes=[
        _ridge_mistake(2, 2, "the loss is a mean: where did $1/n$ go?", per_example=False),
        _ridge_mistake(1, 1, "the derivative of a square brings down a 2, in both terms"),
        _ridge_mistake(1, 2, "the derivative of $(y_i - x_i^\\top\\theta)^2$ brings down a 2"),
        _ridge_mistake(2, 1, "the derivative of $\\lambda\\theta_j^2$ is $2\\lambda\\theta_j$"),
        _ridge_mistake(-2, 2, "check the sign: the inner derivative of $y - X\\theta$ is $-X$"),
        _ridge_mistake(-2, -2, "this points downhill; the gradient points uphill"),
        _ridge_mistake(2, -2, "the penalty is added to the loss, so its gradient is added too"),
        _ridge_mistake(2, 0, "the penalty $\\lambda\\lVert\\theta\\rVert^2$ has a gradient as well"),
        Mistake(
            lambda X, y, theta, lam: 2 / len(X) * (X.T @ (X @ theta - y) + lam * theta),
            "only the first term is a mean: the penalty is not divided by $n$",
        ),
    ],
    hint="differentiate by one coordinate $\\theta_j$, then stack the coordinates into $X^\\top(\\cdot)$",
)


# --- implement: minimise Σᵢ wᵢ(yᵢ − xᵢᵀθ)²


def _weighted(X: Any, y: Any, w: Any) -> Any:
    return np.linalg.solve((X.T * w) @ X, (X.T * w) @ y)


weighted_least_squares = Exercise(
    "weighted least squares",
    answer=_weighted,
    cases=[
        {**TRIANGLE, "w": np.array([1.0, 2.0, 4.0])},
        {**TRIANGLE, "w": np.array([1.0, 1.0, 1.0])},
        {**_problem(4, 8, 3), "w": _positive(4, 8)},
        {**_problem(5, 7, 2), "w": np.array([0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 3.0])},
    ],
    mistakes=[
        Mistake(
            lambda X, y, w: np.linalg.lstsq(X, y, rcond=None)[0],
            "these are the coefficients without weights: where does $w$ enter?",
        ),
        Mistake(
            lambda X, y, w: np.linalg.lstsq(np.sqrt(w)[:, None] * X, y, rcond=None)[0],
            "if the rows of $X$ are scaled by $\\sqrt{w_i}$, so is $y_i$",
        ),
        Mistake(
            lambda X, y, w: np.linalg.lstsq(w[:, None] * X, w * y, rcond=None)[0],
            "the residual is squared after scaling: scale the rows by $\\sqrt{w_i}$, not by $w_i$",
        ),
        Mistake(
            lambda X, y, w: np.linalg.solve((X.T * w) @ X, X.T @ y),
            "the weights belong on both sides: $X^\\top W X\\theta = X^\\top W y$",
        ),
        Mistake(lambda X, y, w: _weighted(X, y, 1 / w), "a large weight makes a row count more, not less"),
    ],
    hint="set the gradient of $\\sum_i w_i (y_i - x_i^\\top\\theta)^2$ to zero",
)


# --- implement: R² of predictions


def _r_squared(y: Any, y_hat: Any) -> Any:
    return 1 - ((y - y_hat) ** 2).sum() / ((y - y.mean()) ** 2).sum()


r_squared = Exercise(
    "R² on a test set",
    answer=_r_squared,
    cases=[
        {"y": np.array([1.0, 2.0, 6.0]), "y_hat": np.array([2.0, 2.0, 3.0])},
        {"y": np.array([1.0, 2.0, 6.0]), "y_hat": np.array([1.0, 2.0, 6.0])},
        {"y": np.array([1.0, 2.0, 6.0]), "y_hat": np.array([3.0, 3.0, 3.0])},
        {"y": np.array([1.0, 2.0, 3.0]), "y_hat": np.array([3.0, 2.0, 1.0])},
        {"y": _positive(6, 9), "y_hat": _positive(7, 9)},
    ],
    mistakes=[
        Mistake(
            lambda y, y_hat: ((y - y_hat) ** 2).sum() / ((y - y.mean()) ** 2).sum(),
            "this is the share that is *not* explained: take it from 1",
        ),
        Mistake(
            lambda y, y_hat: 1 - ((y - y.mean()) ** 2).sum() / ((y - y_hat) ** 2).sum(),
            "the fraction is upside down",
        ),
        Mistake(
            lambda y, y_hat: np.corrcoef(y, y_hat)[0, 1] ** 2,
            "the squared correlation forgives a wrong slope and offset; on new data $R^2$ does not",
        ),
        Mistake(
            lambda y, y_hat: 1 - ((y - y_hat) ** 2).sum() / (y**2).sum(),
            "the rival is the mean of $y$, not zero: subtract the mean below",
        ),
        Mistake(
            lambda y, y_hat: 1 - ((y - y_hat) ** 2).sum() / ((y - y_hat.mean()) ** 2).sum(),
            "the rival predicts the mean of the given $y$, not of the predictions",
        ),
        Mistake(
            lambda y, y_hat: 1 - ((y - y_hat) ** 2).sum() / ((y_hat - y_hat.mean()) ** 2).sum(),
            "it is the variation of $y$ that is to be explained, not that of $\\hat y$",
        ),
        Mistake(
            lambda y, y_hat: 1 - ((y - y_hat) ** 2).mean() / ((y - y.mean()) ** 2).sum(),
            "a sum over a sum, or a mean over a mean",
        ),
    ],
    hint="compare the squared error with that of always predicting the mean of $y$",
)


# --- derive and implement: the error on each example of a fit that has not seen it


def _leave_one_out(X: Any, y: Any) -> Any:
    H = X @ np.linalg.pinv(X)
    return (y - H @ y) / (1 - np.diag(H))


def _loo_mistake(correct: Any, hint: str) -> Mistake:
    """Residuals and leverages combined in another way."""

    def wrong(X: Any, y: Any) -> Any:
        H = X @ np.linalg.pinv(X)
        return correct(y - H @ y, np.diag(H))

    return Mistake(wrong, hint)


leave_one_out = Exercise(
    "leave-one-out errors without refitting",
    answer=_leave_one_out,
    cases=[
        STAIRS,
        _problem(8, 6, 2),
        _problem(9, 9, 4),
        {"X": np.ones((4, 1)), "y": np.array([1.0, 2.0, 3.0, 6.0])},
    ],
    mistakes=[
        _loo_mistake(
            lambda e, h: e, "these are the residuals of the fit that has seen them: divide by $1 - h_{ii}$"
        ),
        _loo_mistake(
            lambda e, h: e / (1 + h),
            "leaving a point out makes its error larger, so it is $1 - h_{ii}$, not $1 + h_{ii}$",
        ),
        _loo_mistake(lambda e, h: e / (1 - h**2), "the leverage $h_{ii}$ enters as it is, not squared"),
        _loo_mistake(
            lambda e, h: e * (1 - h), "divide by $1 - h_{ii}$: leaving a point out makes its error larger"
        ),
        _loo_mistake(
            lambda e, h: e / np.sqrt(1 - h), "that is a standardised residual; here there is no square root"
        ),
        _loo_mistake(lambda e, h: -e / (1 - h), "an error is $y_i - \\hat y_i$, not the other way round"),
        _loo_mistake(lambda e, h: (e / (1 - h)) ** 2, "the errors are asked for, not their squares"),
        _loo_mistake(
            lambda e, h: e / (1 - h.mean()),
            "each example has its own leverage; their mean gives another criterion",
        ),
    ],
    hint="with $H = X(X^\\top X)^{-1}X^\\top$ the fit is $Hy$; what does $H$ do when row $i$ is taken away?",
)
