"""Exercises of the chapter on Jacobians: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.networks.autodiff import vjp
from chapters_src.networks.jacobians.forward_mode import hessian_vector_product, jvp
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "gauss_newton_product",
    "long_simulation",
    "quartic_product",
    "slope_of_a_quotient",
    "stuck_hand",
]


# --- predict: the slope of 1/(x² + 1) at the dual number 1 + 2ε

slope_of_a_quotient = Predict(
    "1. Predict: a dual number goes through a quotient",
    r"With pencil and paper: put the dual number $1+2\varepsilon$ into $y=\dfrac1{x^2+1}$. "
    r"What is the coefficient of $\varepsilon$ in the result?",
    answer=-1.0,
    within=1e-3,
    mistakes=[
        Mistake(-0.5, "that is the derivative at 1; the input moves with slope 2"),
        Mistake(1.0, "a larger denominator makes the quotient smaller: mind the sign"),
        Mistake(-2.0, r"the slope of $1/u$ is $-\dot u/u^2$: the denominator is squared"),
        Mistake(-4.0, r"that is $-\dot u$; it still has to be divided by $u^2$"),
        Mistake(4.0, r"that is the slope of $x^2+1$; one step is missing"),
        Mistake(0.5, "that is the value of the quotient; its slope is asked for"),
    ],
    hints=[
        r"Go step by step: first $u=x^2+1$ with its slope, then $1/u$.",
        r"$u=2+4\varepsilon$.",
    ],
    why=r"$x^2=1+4\varepsilon$, so $u=2+4\varepsilon$; the slope of $1/u$ is $-\dot u/u^2=-4/4$.",
)


# --- choose: few inputs, one output, very many steps

long_simulation = Choose(
    "2. Choose: a long simulation",
    "A weather model has 4 settings, runs a million steps, and returns one number, its error. Memory holds "
    "about ten states of the model. You want the exact derivative by all 4 settings, soon.",
    options=[
        Option(
            "One reverse sweep, because there is one output.",
            why="It would need the fewest passes, but it keeps something of each of the million steps, "
            "and ten fit.",
        ),
        Option(
            "Four runs in forward mode.",
            right=True,
            why="Each run carries one tangent beside the state and forgets the past. Four pushes are cheap; "
            "the count of outputs alone does not decide, the memory does too.",
        ),
        Option(
            "Reverse mode with a checkpoint every 1,000 steps.",
            why="That is the square root of a million, and the best segment length: about 2,000 states are "
            "held. Ten fit.",
        ),
        Option(
            "Four difference quotients with a small step.",
            why="They need at least five runs, and their result is not exact: it is cut off and rounded.",
        ),
    ],
    hints=[
        "How many states does each plan hold at a time?",
        "Forward mode needs a run for each input. How many inputs are there?",
    ],
)


# --- find the false line: the Hessian of ½(xᵀAx)² times v


def _quartic() -> Derivation:
    d = Derivation(
        "a product with a Hessian",
        where={"A": r"= B+B^\top", "q": r"= x^\top Ax"},
        B=normal(3, 3),
        x=normal(3),
        v=normal(3),
        t=0.0,
    )
    d.start(r"\frac{d}{dt}\left(2\left((x+tv)^\top A(x+tv)\right)A(x+tv)\right)")
    d.equals(
        r"2qAv+2\frac{d}{dt}\left((x+tv)^\top A(x+tv)\right)Ax",
        because=r"product rule, $t=0$",
    )
    d.equals(r"2qAv+4(v^\top Ax)Ax", because=r"$A$ is symmetric")
    return d.equals(r"\left(2qA+4Axx^\top A\right)v", because=r"take out $v$")


quartic_product = FalseLine(
    _quartic(),
    {
        3: Variant(r"2qAv+2(v^\top Ax)Ax", because=r"$A$ is symmetric"),
        4: Variant(r"\left(2qA+2Axx^\top A\right)v", because=r"take out $v$"),
    },
    name="3. Find the false line: pushing a gradient",
    question=r"Let $f(x)=\frac12(x^\top Ax)^2$ with $A=A^\top$, and $q=x^\top Ax$. "
    r"Line 1 pushes the gradient of $f$ along $v$, at $t=0$. One step does not follow, "
    "and the mistake is carried on. Which line is the first that is false?",
    why=r"Both factors $x+tv$ move: the slope of $(x+tv)^\top A(x+tv)$ is $2v^\top Ax$, and the 2 in front "
    "makes it 4.",
    hints=[
        r"Multiply $(x+tv)^\top A(x+tv)$ out, and look at what stands at $t$.",
        r"Try one dimension with $A=1$: the function is $\frac12x^4$, and its second derivative is $6x^2$.",
    ],
)


# --- implement: JᵀJv with one push and one pull


def _gauss_newton(residuals: Any, theta: Any, v: Any) -> Any:
    _, pushed = jvp(residuals, (theta,), (v,))
    _, pull = vjp(residuals, theta)
    return pull(pushed)[0]


def _pull_only(residuals: Any, theta: Any, v: Any) -> Any:
    return vjp(residuals, theta)[1](np.resize(v, np.shape(residuals(theta))))[0]


def _push_only(residuals: Any, theta: Any, v: Any) -> Any:
    return jvp(residuals, (theta,), (v,))[1]


def _other_order(residuals: Any, theta: Any, v: Any) -> Any:
    return jvp(residuals, (theta,), (_pull_only(residuals, theta, v),))[1]


def _whole_hessian(residuals: Any, theta: Any, v: Any) -> Any:
    return hessian_vector_product(lambda theta: np.sum(residuals(theta) ** 2) / 2, (theta,), v)


def swing(theta: Any) -> Any:
    """Two residuals of two parameters, with a Jacobian that is not symmetric."""
    return np.stack([np.sin(theta[0]) * theta[1] - 0.5, theta[0] + theta[1] ** 2])


def growth(theta: Any) -> Any:
    """Four residuals of two parameters: θ₁ exp(θ₂t) at four times, minus what was measured."""
    return theta[0] * np.exp(theta[1] * np.arange(4.0)) - np.array([1.0, 1.5, 2.5, 4.0])


gauss_newton_product = Exercise(
    "a product with the Gauss–Newton matrix",
    answer=_gauss_newton,
    cases=[
        {"residuals": swing, "theta": np.array([0.7, 1.5]), "v": np.array([1.0, -2.0])},
        {"residuals": growth, "theta": np.array([1.1, 0.4]), "v": np.array([0.5, 1.0])},
        {"residuals": growth, "theta": np.array([0.9, 0.5]), "v": np.array([0.0, 0.0])},
    ],
    mistakes=[
        Mistake(_push_only, "that is $Jv$: it lives among the residuals. Pull it back to the parameters"),
        Mistake(_pull_only, "that is $J^\\top v$: push $v$ forward first, then pull the result back"),
        Mistake(_other_order, "that is $JJ^\\top v$: push first, then pull"),
        Mistake(
            _whole_hessian, "that is the whole Hessian; it also has terms with the curvature of the residuals"
        ),
    ],
    hint="`jvp(residuals, (theta,), (v,))[1]` is $Jv$; `vjp(residuals, theta)[1](u)[0]` is $J^\\top u$",
)


# --- break: a bent arm whose hand stands still


def _hand_jacobian(shoulder: float, elbow: float) -> ndarray:
    outer = 0.7 * np.array([-np.sin(shoulder + elbow), np.cos(shoulder + elbow)])
    return np.column_stack([np.array([-np.sin(shoulder), np.cos(shoulder)]) + outer, outer])


def _judge_stuck(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: angles, v."
    angles, v = (as_numbers(part) for part in attempt)
    if angles.shape != (2,) or v.shape != (2,):
        return f"expected two angles and two speeds, got shapes {angles.shape} and {v.shape}."
    if not (np.isfinite(angles).all() and np.isfinite(v).all()) or not np.any(v):
        return "finite numbers, and motors that turn, please: v must not be zero."
    if np.cos(angles[1]) > np.cos(1.0):
        return "the elbow has to be bent by at least 1 radian; a stretched arm would be too easy."
    speed = np.linalg.norm(_hand_jacobian(*angles) @ v) / np.linalg.norm(v)
    if speed < 1e-6:
        return None
    return f"the hand moves {speed:.2g} for each unit that the motors turn."


stuck_hand = Exercise(
    "a bent arm whose hand stands still",
    judge=_judge_stuck,
    answer=(np.array([0.3, np.pi]), np.array([7.0, 3.0])),
    hint="the area of the parallelogram is $0.7\\,\\lvert\\sin(\\text{elbow})\\rvert$: where else is it 0?",
)
