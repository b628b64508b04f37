"""Exercises of the chapter on descent: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.backtrack.check(backtrack)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["after_two", "backtrack", "downhill_step", "pair_factor", "steps_needed", "zigzag"]

# curvatures 2, 4 and 5, none of which but the last can be read off the diagonal
BLOCK = np.array([[3.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 5.0]])


def _bowl(seed: int, d: int) -> ndarray:
    A = np.random.default_rng(seed).normal(size=(d, d))
    return A @ A.T / d + 0.3 * np.eye(d)


def _symmetric(seed: int, d: int) -> ndarray:
    A = np.random.default_rng(seed).normal(size=(d, d))
    return A + A.T


# --- derive: what two steps with different rates leave of the error


def _pair_mistake(wrong: Callable[[ndarray, float, float], Any], hint: str) -> Mistake:
    """Another combination of the curvatures and the two rates."""
    return Mistake(lambda H, eta_1, eta_2: wrong(np.linalg.eigvalsh(H), eta_1, eta_2), hint)


def _pair(H: Any, eta_1: float, eta_2: float) -> Any:
    curvatures = np.linalg.eigvalsh(H)
    return np.abs((1 - eta_1 * curvatures) * (1 - eta_2 * curvatures)).max()


pair_factor = Exercise(
    "two rates in turn",
    answer=_pair,
    cases=[
        {"H": BLOCK, "eta_1": 0.45, "eta_2": 0.19},
        {"H": np.array([[2.0, 1.0], [1.0, 2.0]]), "eta_1": 0.9, "eta_2": 0.5},
        {"H": np.eye(2), "eta_1": 0.5, "eta_2": 2.5},
        {"H": _bowl(1, 4), "eta_1": 0.3, "eta_2": 1.1},
        {"H": _bowl(2, 3), "eta_1": 0.7, "eta_2": 0.7},
    ],
    mistakes=[
        _pair_mistake(
            lambda c, a, b: np.abs(1 - a * c).max() * np.abs(1 - b * c).max(),
            "the direction that is worst for one rate need not be worst for the other: multiply first, "
            "then take the largest",
        ),
        _pair_mistake(
            lambda c, a, b: ((1 - a * c) * (1 - b * c)).max(),
            "a negative factor can be large too: absolute value",
        ),
        _pair_mistake(
            lambda c, a, b: np.abs(((1 - a * c) * (1 - b * c))[[0, -1]]).max(),
            "with two rates the product bends: a curvature in the middle can be the worst",
        ),
        _pair_mistake(
            lambda c, a, b: np.sqrt(_product(c, a, b)), "a pair of steps is asked for, not their mean"
        ),
        _pair_mistake(
            lambda c, a, b: np.abs(1 - (a + b) * c).max(),
            "the second step starts from where the first one ended: factors multiply, rates do not add",
        ),
        _pair_mistake(
            lambda c, a, b: ((1 - (a + b) / 2 * c) ** 2).max(),
            "two different rates are not their mean, twice",
        ),
        Mistake(
            lambda H, eta_1, eta_2: _product(np.diag(H), eta_1, eta_2),
            "the diagonal of $H$ is not its eigenvalues",
        ),
    ],
    hint="write the error in the eigenvectors of $H$: what does each step do to one coordinate?",
)


def _product(c: ndarray, a: float, b: float) -> Any:
    return np.abs((1 - a * c) * (1 - b * c)).max()


# --- implement: halve until the step earns half of what the slope promises


def _backtrack(H: Any, theta: Any, share: float = 0.5, shrink: float = 0.5) -> float:
    g, eta = H @ theta, 1.0
    slope, bend = float(g @ g), float(g @ H @ g)
    while bend * eta / 2 > (1 - share) * slope:  # f(θ − ηg) − f(θ) = −η‖g‖² + ½η² gᵀHg
        eta *= shrink
    return eta


backtrack = Exercise(
    "backtracking on a bowl",
    answer=_backtrack,
    cases=[
        {"H": np.diag([1.0, 12.0]), "theta": np.array([1.0, 1.0])},
        {"H": np.diag([0.5, 0.25]), "theta": np.array([1.0, -2.0])},
        {"H": BLOCK, "theta": np.array([1.0, 0.5, -1.0])},
        {"H": 300 * _bowl(3, 3), "theta": np.array([0.2, 0.1, 1.0])},
    ],
    mistakes=[
        Mistake(
            lambda H, theta: _backtrack(H, theta, share=1e-9),
            "any fall will do for you; here a step must earn half of $\\eta\\lVert\\nabla f\\rVert^2$",
        ),
        Mistake(
            lambda H, theta: _backtrack(H, theta) / 2,
            "you halve once too often: return the first rate that passes",
        ),
        Mistake(lambda H, theta: _backtrack(H, theta, shrink=0.1), "halve; do not divide by ten"),
        Mistake(
            lambda H, theta: theta @ H @ H @ theta / (theta @ H @ H @ H @ theta),
            "that is exact line search; backtracking only tries 1, 1/2, 1/4, …",
        ),
        Mistake(
            lambda H, theta: 1 / np.linalg.eigvalsh(H)[-1],
            "that is $1/\\lambda_{\\max}$; backtracking must do without the eigenvalues",
        ),
        Mistake(lambda H, theta: 1.0, "try the step before you return its rate"),
    ],
    hint="compare $f(\\theta-\\eta g)$ with $f(\\theta)-\\frac12\\eta\\,g^\\top g$, where $g=H\\theta$",
)


# --- implement: Newton's step with the absolute values of the curvatures


def _along_axes(size: Callable[[ndarray], ndarray], sign: float = -1.0) -> Callable[[Any, Any], Any]:
    """A step that divides the gradient along each axis by some size of the curvature."""

    def step(H: Any, g: Any) -> Any:
        curvatures, V = np.linalg.eigh(H)
        return sign * V @ ((V.T @ g) / size(curvatures))

    return step


downhill_step = Exercise(
    "Newton's step, downhill",
    answer=_along_axes(np.abs),
    cases=[
        {"H": np.array([[1.0, 2.0], [2.0, -2.0]]), "g": np.array([1.0, 3.0])},
        {"H": np.diag([2.0, -4.0]), "g": np.array([2.0, 2.0])},
        {"H": _bowl(4, 3), "g": np.array([1.0, -1.0, 2.0])},
        {"H": _symmetric(5, 4), "g": np.array([0.5, 1.0, -2.0, 0.0])},
        {"H": -_bowl(6, 2), "g": np.array([1.0, 1.0])},
    ],
    mistakes=[
        Mistake(
            lambda H, g: np.linalg.solve(H, -g),
            "that is plain Newton, which climbs where the curvature is negative: $\\lvert\\lambda\\rvert$",
        ),
        Mistake(_along_axes(np.abs, sign=1.0), "this goes uphill: the step is *minus* …"),
        Mistake(
            _along_axes(lambda c: 1 / np.abs(c)), "divide by the curvature: small steps where it is large"
        ),
        Mistake(_along_axes(lambda c: np.sqrt(np.abs(c))), "the absolute value itself, without a root"),
        Mistake(
            lambda H, g: np.linalg.solve(np.abs(H), -g),
            "the absolute values are taken of the eigenvalues, not of the entries",
        ),
        Mistake(lambda H, g: -g, "that is gradient descent: where does the Hessian come in?"),
    ],
    hint="`np.linalg.eigh` gives $\\lambda$ and $V$; turn $g$ into those axes, divide, turn back",
)


# --- predict: how long the best fixed rate takes

steps_needed = Exercise(
    "steps to a millionth",
    answer=684,
    mistakes=[
        Mistake(
            1361, "that is the pace of $\\eta=1/\\lambda_{\\max}$; the best rate is nearly twice as large"
        ),
        Mistake(342, "the *height* falls twice as fast as the distance; the distance is asked for"),
        Mistake(114, "that is one digit; a millionth is six"),
        Mistake(297, "mind the logarithms: natural on both sides, or base ten on both"),
        Mistake(1, "that would be Newton's method"),
    ],
    hint="the best rate keeps $\\frac{\\kappa-1}{\\kappa+1}$ of the error in each step",
    within=2e-3,
)


# --- predict: Newton where the curvature vanishes

after_two = Exercise(
    "Newton on a fourth power",
    answer=4 / 9,
    mistakes=[
        Mistake(2 / 3, "that is after one step"),
        Mistake(8 / 27, "that is after three steps"),
        Mistake(0.0, "one step is enough on a bowl, and $x^4$ is not one: its curvature depends on $x$"),
        Mistake(1 / 9, "a step takes a third away, it does not leave a third"),
    ],
    hint="a step goes from $x$ to $x-f'(x)/f''(x)$",
    within=2e-3,
)


# --- break: a bowl on which exact line search zigzags


def _judge_zigzag(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: H, theta."
    H, theta = (as_numbers(part) for part in attempt)
    if H.shape != (2, 2) or theta.shape != (2,):
        return f"expected H of shape (2, 2) and theta of shape (2,), got shapes {H.shape} and {theta.shape}."
    if np.iscomplexobj(H) or np.iscomplexobj(theta) or not np.isfinite([*H.ravel(), *theta]).all():
        return "finite real numbers, please."
    if not np.allclose(H, H.T):
        return "H is not symmetric."
    low, high = np.linalg.eigvalsh(H)
    if not low > 0:
        return f"H is not positive definite: it has the eigenvalue {low:.3g}."
    if high / low > 50 * (1 + 1e-9):
        return f"the condition number is {high / low:.1f}; at most 50, please."
    first = left = float(theta @ H @ theta / 2)
    if not first > 0:
        return "theta is the minimum already: there is nothing to go down."
    for step in range(100):
        g = H @ theta
        theta = theta - (g @ g) / (g @ H @ g) * g
        left = float(theta @ H @ theta / 2)
        if not left > 1e-6 * first:
            return f"a millionth of the height is reached in step {step + 1}."
    return None


zigzag = Exercise(
    "a zigzag that never ends",
    judge=_judge_zigzag,
    answer=(np.diag([1.0, 40.0]), np.array([40.0, 1.0])),
    hint="a narrow valley, and a start from which each gradient has as much of the one axis as of the other",
)
