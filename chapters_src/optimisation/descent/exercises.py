"""Exercises of the chapter on gradient descent: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.optimisation.descent import descend, double_well
from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    covariance,
    normal,
    uniform,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["all_at_once", "another_unit", "other_units", "read_the_log", "wrong_valley"]


# --- predict: from a log of errors back to the curvature, and on to a better rate

read_the_log = Predict(
    "1. Predict: read the log",
    r"Gradient descent on a bowl with $\eta=0.3$. Along one eigenvector the error is logged: "
    r"$1,\ -0.8,\ 0.64,\ -0.512,\dots$ Which learning rate would bring this direction to zero in one step?",
    answer=1 / 6,
    within=2e-3,
    mistakes=[
        Mistake(6, r"that is the curvature $\lambda$; which $\eta$ makes $1-\eta\lambda$ zero?"),
        Mistake(1 / 3, r"that is $2/\lambda$, where this direction would bounce for ever"),
        Mistake(1.5, "mind the sign: the error changes sides, so the factor is negative"),
        Mistake(2 / 3, "mind the sign: the error changes sides, so the factor is negative"),
        Mistake(0.15, "half of the rate is not enough to know: find the curvature first"),
    ],
    hints=[
        r"Each step multiplies the error along an eigenvector by $1-\eta\lambda$.",
        r"Here $1-0.3\,\lambda=-0.8$.",
        r"So $\lambda=6$.",
    ],
    why=r"$1-0.3\,\lambda=-0.8$ gives $\lambda=6$, and $1-\eta\cdot6=0$ for $\eta=\frac16$.",
)


# --- choose: one feature in other units

another_unit = Choose(
    "2. Choose: grams for kilograms",
    "Least squares on two features that are not correlated, both with mean 0 and variance 1, without an "
    "intercept. Descent arrives in one step. Then the second feature, a weight, is entered in grams where it "
    "was in kilograms: its column is multiplied by 1,000. What happens to descent with the best fixed rate?",
    options=[
        Option(
            "Nothing, the model is the same.",
            why="The model can make the same predictions. The bowl over its parameters differs: one axis "
            "has become much steeper.",
        ),
        Option(
            r"It needs about $10^3$ times as many steps.",
            why=r"The curvature is a mean of *squares* of the feature: the factor is squared too.",
        ),
        Option(
            r"It needs about $10^6$ times as many steps.",
            right=True,
            why=r"The Hessian was a multiple of $I$; now one curvature is $1000^2$ times the other, so "
            r"$\kappa=10^6$, and the number of steps per digit grows in proportion to $\kappa$.",
        ),
        Option(
            "It needs as many steps, with a rate that is a thousand times smaller.",
            why="A smaller rate tames the steep direction and slows the flat one by as much. One rate has to "
            "serve both.",
        ),
    ],
    hints=[
        r"The Hessian of the mean squared error is $\frac2nX^\top X$.",
        "Compare its two eigenvalues before and after.",
    ],
)


# --- find the false line: does a change of units change a step?


def _in_other_units() -> Derivation:
    d = Derivation(
        "a step in other units",
        where={"f(u)": r"=\frac12u^\top Au-b^\top u"},
        A=covariance(3),
        S=normal(3, 3),
        b=normal(3),
        w=normal(3),
        eta=uniform(0.1, 1.0),
    )
    d.start(r"S\left(w-\eta\nabla_w f(Sw)\right)")
    d.equals(r"Sw-\eta S\nabla_w f(Sw)", because="multiply out")
    d.equals(r"Sw-\eta SS^\top\nabla f(Sw)", because="chain rule")
    return d.equals(r"Sw-\eta SS^\top(ASw-b)", because=r"$\nabla f(u)=Au-b$")


other_units = FalseLine(
    _in_other_units(),
    {
        3: Variant(r"Sw-\eta SS^{-1}\nabla f(Sw)", because="chain rule: units divide out"),
        4: Variant(r"Sw-\eta(ASw-b)", because=r"$SS^{-1}=I$ and $\nabla f(u)=Au-b$"),
    },
    name="3. Find the false line: a step in other units",
    why=r"A gradient is multiplied by $S^\top$, not divided by $S$. In the old parameters the step is "
    r"$-\eta SS^\top\nabla f$: other units in general give another direction.",
    hints=[
        r"Here $\theta=Sw$: the same parameters in other units. The last line says that units do not matter.",
        r"With one parameter and $\theta=1000\,w$: what is $\frac{d}{dw}f(1000\,w)$?",
    ],
)


# --- repair: descent that updates one coordinate after the other


def _walk(gradient: Callable[..., Any], sign: float = -1.0, shift: float = 0.0) -> Callable[..., Any]:
    """Descent on ½θᵀAθ − bᵀθ from zeros, with one thing about it that can be wrong."""

    def walk(A: Any, b: Any, eta: float, steps: int) -> Any:
        theta = np.zeros(len(b))
        for _ in range(steps + int(shift)):
            theta = theta + sign * eta * gradient(A, b, theta)
        return theta

    return walk


def _one_after_the_other(A: Any, b: Any, eta: float, steps: int) -> Any:
    theta = np.zeros(len(b))
    for _ in range(steps):
        for j in range(len(b)):
            theta[j] = theta[j] - eta * (A[j] @ theta - b[j])
    return theta


all_at_once = Exercise(
    "all coordinates at once",
    answer=_walk(lambda A, b, theta: A @ theta - b),
    cases=[
        {"A": np.array([[2.0, 1.0], [1.0, 3.0]]), "b": np.array([1.0, -2.0]), "eta": 0.2, "steps": 3},
        {"A": np.array([[2.0, 1.0], [1.0, 3.0]]), "b": np.array([1.0, -2.0]), "eta": 0.2, "steps": 1},
        {
            "A": np.array([[4.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 2.0]]),
            "b": np.array([1.0, 0.0, 2.0]),
            "eta": 0.25,
            "steps": 6,
        },
        {"A": np.eye(2), "b": np.array([3.0, 4.0]), "eta": 0.5, "steps": 2},
    ],
    mistakes=[
        Mistake(
            _one_after_the_other,
            "the second coordinate sees the new value of the first: take the whole gradient before you move",
        ),
        Mistake(
            _walk(lambda A, b, theta: A @ theta - b, sign=1.0), "this walks uphill: subtract the gradient"
        ),
        Mistake(_walk(lambda A, b, theta: A @ theta), "the gradient has two parts: where is $b$?"),
        Mistake(_walk(lambda A, b, theta: A @ theta - b, shift=1.0), "that is one step too many"),
    ],
    hint="compute all partial derivatives at one and the same point, then move",
)


# --- break: a fall in every step, and the wrong valley


def _judge_wrong_valley(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: start, eta."
    start, eta = (as_numbers(part) for part in attempt)
    if start.shape or eta.shape or not np.isfinite([start, eta]).all():
        return "two finite numbers, please."
    if not start < -1 or not eta > 0:
        return f"the start must lie left of −1 and the rate be positive; got {start:g} and {eta:g}."
    walk = descend(double_well(0.1), np.array([start, 0.0]), float(eta), steps=2000, tolerance=1e-6)
    if not walk.converged:
        return f"after {walk.steps} steps this walk is not at rest."
    if walk.theta[0] < 0:
        return f"it rests at {walk.theta[0]:.3f}, in the deep valley: take a longer first step."
    up = np.diff(walk.values) > 1e-12
    if up.any():
        return f"it rests at {walk.theta[0]:.3f}, but step {np.argmax(up) + 1} goes up."
    return None


wrong_valley = Exercise(
    "a fall in every step, and the wrong valley",
    judge=_judge_wrong_valley,
    answer=(-1.6, 1.0),
    hint="start high on the left slope, where the gradient is large, and make the first step long",
)
