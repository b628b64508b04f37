"""Exercises of the chapter on Newton's method: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.optimisation.descent import rosenbrock
from chapters_src.optimisation.newton.directions import newton
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, covariance, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["backtrack", "fourth_power", "negative_product", "overshoot", "promised_fall"]


# --- predict: Newton on (x − 3)⁴, whose curvature vanishes at the minimum

fourth_power = Predict(
    "1. Predict: a flat minimum",
    r"With pencil and paper: plain Newton steps ($\eta=1$) on $f(x)=(x-3)^4$ from $x=0$. "
    r"Where is $x$ after two steps?",
    answer=5 / 3,
    within=5e-3,
    mistakes=[
        Mistake(3.0, "one step reaches the minimum of a parabola; this is a fourth power"),
        Mistake(1.0, "that is where the first step ends; take another"),
        Mistake(4 / 3, r"that is how far it still is from 3; the question asks for $x$"),
        Mistake(2.0, "the steps are not equally long: compute $f'$ and $f''$ again at the new point"),
        Mistake(-1.0, r"the step is $-f'/f''$, and $f'$ is negative here: which way does that go?"),
    ],
    hints=[
        r"With $u=x-3$: $f'=4u^3$ and $f''=12u^2$.",
        r"Each step takes $u$ to $u-\frac u3=\frac23u$.",
    ],
    why=r"$u=x-3$ goes from $-3$ to $-2$ to $-\frac43$. Every step leaves two thirds of the error: the "
    r"digits do not double, because $f''$ is zero at the minimum and the proof divides by it.",
)


# --- choose: what a negative sᵀy says

negative_product = Choose(
    "2. Choose: a step that BFGS leaves out",
    r"After one step, BFGS finds $s^\top y<0$ for $s=\theta_{t+1}-\theta_t$ and "
    r"$y=\nabla f(\theta_{t+1})-\nabla f(\theta_t)$. The gradients are right. What do you know?",
    options=[
        Option(
            r"$f(\theta_{t+1})>f(\theta_t)$: the step went up.",
            why=r"No: along $s$ the slope at the end is lower than at the start. If it was negative at the "
            "start, it is more so at the end: a step may have gone down all the way.",
        ),
        Option(
            r"$f$ is not convex.",
            right=True,
            why=r"$s^\top y$ is the mean of the curvature $s^\top\nabla^2f\,s$ along the step. A negative "
            "mean needs a negative value somewhere, and a convex function has none.",
        ),
        Option(
            r"The Hessian at $\theta_{t+1}$ has only negative eigenvalues.",
            why="One direction with negative curvature, somewhere along the step, is enough.",
        ),
        Option(
            r"The step was longer than Armijo's condition allows.",
            why="Armijo's condition looks at values of $f$ and at the slope at the start, not at the end.",
        ),
    ],
    hints=[
        r"In one dimension $s^\top y=(x_{t+1}-x_t)\left(f'(x_{t+1})-f'(x_t)\right)$. When is that negative?",
        r"$y=\int_0^1\nabla^2f(\theta_t+us)\,s\,du$.",
    ],
)


# --- find the false line: how far down the model promises to go


def _promise() -> Derivation:
    d = Derivation(
        "what the model promises",
        where={"p": r"=-H^{-1}g"},
        g=normal(3),
        H=covariance(3),
    )
    d.start(r"g^\top p+\tfrac12p^\top Hp")
    d.equals(r"-g^\top H^{-1}g+\tfrac12p^\top Hp", because="put in the step")
    d.equals(r"-g^\top H^{-1}g+\tfrac12g^\top H^{-1}g", because=r"$H$ is symmetric")
    return d.equals(r"-\tfrac12p^\top Hp", because=r"subtract; then $g=-Hp$")


promised_fall = FalseLine(
    _promise(),
    {
        3: Variant(r"-g^\top H^{-1}g-\tfrac12g^\top H^{-1}g", because=r"$H$ is symmetric"),
        4: Variant(r"-\tfrac32p^\top Hp", because=r"subtract; then $g=-Hp$"),
    },
    name="3. Find the false line: what the model promises",
    why=r"The second term is $\frac12p^\top Hp$ with $p=-H^{-1}g$. The two minus signs cancel: it is "
    r"$+\frac12g^\top H^{-1}g$. The model promises a fall of half of $g^\top H^{-1}g$.",
    hints=[
        "Check the signs for $d=1$, $g=1$ and $H=1$.",
        r"There $p=-1$, and the first line is $-1+\frac12$.",
    ],
)


# --- repair: backtracking that was tested with p = −∇f only


def _backtrack(H: Any, theta: Any, p: Any, c: float) -> float:
    return _search(H, theta, p, lambda g: c * g @ p)


def _search(H: Any, theta: Any, p: Any, promise: Any) -> float:
    """Halve η until f falls by η times a promise, for f(θ) = ½θᵀHθ."""
    here, promised, eta = theta @ H @ theta / 2, promise(H @ theta), 1.0
    while (theta + eta * p) @ H @ (theta + eta * p) / 2 > here + eta * promised and eta > 1e-18:
        eta /= 2
    return eta


STEEP: ndarray = np.diag([1.0, 3.0])

backtrack = Exercise(
    "backtracking along any direction",
    answer=_backtrack,
    cases=[
        {"H": STEEP, "theta": np.array([1.0, 2.0]), "p": np.array([-6.0, -2.0]), "c": 0.4},
        {"H": STEEP, "theta": np.array([1.0, 1.0]), "p": np.array([-1.0, -1.0]), "c": 0.3},
        {"H": np.diag([1.0, 100.0]), "theta": np.array([1.0, 1.0]), "p": np.array([-1.0, -1.0]), "c": 0.1},
        {"H": np.diag([1.0, 9.0]), "theta": np.array([1.0, 1.0]), "p": np.array([-1.0, -9.0]), "c": 0.1},
    ],
    mistakes=[
        Mistake(
            lambda H, theta, p, c: _search(H, theta, p, lambda g: -c * g @ g),
            r"$-\lVert g\rVert^2$ is the slope along $-g$; what is it along $p$?",
        ),
        Mistake(
            lambda H, theta, p, c: _search(H, theta, p, lambda g: -c * p @ p),
            r"the slope along $p$ is a product of $p$ and the gradient",
        ),
        Mistake(
            lambda H, theta, p, c: _search(H, theta, p, lambda g: 0.0),
            "any fall passes here: ask for the share $c$ of what the slope promises",
        ),
        Mistake(
            lambda H, theta, p, c: _search(H, theta, p, lambda g: -c * g @ p),
            r"$g^\top p$ is negative already: with another minus sign the step may go up",
        ),
    ],
    hint=r"how fast does $f$ fall along $p$ at $\eta=0$? For $p=-g$ it is $-\lVert g\rVert^2$; in general?",
)


# --- break: a full Newton step that goes far up although the Hessian is positive definite


def _judge_overshoot(attempt: Any) -> str | None:
    start = as_numbers(attempt)
    if start.shape != (2,) or not np.isfinite(start).all() or np.abs(start).max() > 3:
        return "give two finite numbers between −3 and 3, the start in the plane."
    f = rosenbrock()
    least = float(np.linalg.eigvalsh(f.hessian(start))[0])
    if least <= 1e-6:
        return f"the Hessian there has the eigenvalue {least:.3g}: it is to be positive definite."
    before = f.value(start)
    if before < 0.1:
        return f"f is {before:.3g} there: start at a height of at least 0.1."
    after = f.value(start + newton(f, start, f.gradient(start)))
    if after >= 200 * before:
        return None
    return f"one Newton step takes f from {before:.3g} to {after:.3g}: it is to become 200 times as high."


overshoot = Exercise(
    "a Newton step that overshoots",
    judge=_judge_overshoot,
    answer=np.array([-1.0, 1.0]),
    hint="on the floor θ₁ = θ₀² the step goes along a tangent, and the floor bends away; start far left",
)
