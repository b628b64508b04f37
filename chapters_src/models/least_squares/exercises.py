"""Exercises of the chapter on least squares: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.models.least_squares import least_squares, normal_equations
from chapters_src.models.least_squares.exact import exact_least_squares, right_digits
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "fragile_data",
    "largest_learning_rate",
    "repaired_descent",
    "twice_the_patients",
    "weighted_gradient",
]


# the smallest data on which all the mistakes below give different numbers
TRIANGLE: ndarray = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


# --- predict: from which learning rate on does descent on (1/n)‖y − Xθ‖² diverge for this X?

largest_learning_rate = Predict(
    "1. Predict: the largest learning rate",
    r"With pencil and paper: gradient descent on the mean squared error with the rows $(2,1)$, $(1,2)$ and "
    r"$(1,-1)$ of $X$. Up to which learning rate does it converge?",
    answer=1 / 3,
    within=2e-3,
    mistakes=[
        Mistake(1 / 6, r"that is $1/\lambda_{\max}$; descent survives up to twice as much"),
        Mistake(2 / 9, r"you used $X^\top X$: the Hessian of the mean is $\frac2nX^\top X$"),
        Mistake(1 / 9, "that is the bound for the sum of squares; here the loss is the mean"),
        Mistake(2 / 3, r"that is the bound for $\frac1{2n}$; here the square keeps its factor 2"),
        Mistake(1 / 2, r"the diagonal of $X^\top X$ is not its eigenvalues"),
        Mistake(1.0, "the steepest direction decides: take the largest eigenvalue, not the smallest"),
    ],
    hints=[
        r"An error along an eigenvector of the Hessian is multiplied by $1-\eta\lambda$ in each step.",
        r"$X^\top X$ has the eigenvectors $(1,1)$ and $(1,-1)$.",
        r"The Hessian of the mean is $\frac23X^\top X$, and its larger eigenvalue is 6.",
    ],
    why=r"$X^\top X$ has the eigenvalues 9 and 3, so the Hessian has 6 and 2, and the bound is $2/6$.",
)


# --- choose: every row is entered twice

twice_the_patients = Choose(
    "2. Choose: every patient twice",
    "By mistake every patient is entered twice. What happens to the fit?",
    options=[
        Option(
            r"$\theta^*$ and the mean stay; the sum doubles, and so does the learning rate it can bear.",
            why="The Hessian of the sum doubles too, and the learning rate that it can bear is halved.",
        ),
        Option(
            r"$\theta^*$ and the mean stay, and the sum doubles.",
            right=True,
            why="Each term stands there twice: a factor 2 in front of the sum, which moves no minimum. "
            "What does change is how sure the data look: the same ten facts now pass for twenty.",
        ),
        Option(
            r"$\theta^*$ moves, because there are more equations.",
            why=r"The new equations repeat old ones: $X^\top X$ and $X^\top y$ are both doubled, and the 2 "
            "cancels.",
        ),
        Option(
            r"$X^\top X$ becomes singular, because rows repeat.",
            why="Repeated columns make it singular. Repeated rows do no harm to its rank.",
        ),
    ],
    hints=[
        r"Write down $X^\top X$ and $X^\top y$ for the doubled data.",
        "Rows are examples, columns are features. Which of the two is repeated?",
    ],
)


# --- find the false line: the gradient of Σᵢ wᵢ(yᵢ − θᵀxᵢ)²


def _weighted() -> Derivation:
    d = Derivation(
        "some patients count more",
        where={"D": r"= \operatorname{diag}(w)"},
        X=normal(8, 3),
        y=normal(8),
        theta=normal(3),
        w=uniform(0.2, 3.0, 8),
    )
    d.start(r"\nabla_\theta\sum_iw_i(y_i-\theta^\top x_i)^2")
    d.equals(
        r"\nabla_\theta\,(y-X\theta)^\top D(y-X\theta)",
        because=r"put the weights on the diagonal of $D$",
    )
    d.equals(r"-2X^\top D(y-X\theta)", because="chain rule")
    return d.equals(r"2X^\top DX\theta-2X^\top Dy", because="multiply out")


weighted_gradient = FalseLine(
    _weighted(),
    {
        2: Variant(
            r"\nabla_\theta\lVert D(y-X\theta)\rVert^2", because=r"put the weights on the diagonal of $D$"
        ),
        3: Variant(r"-2X^\top DD(y-X\theta)", because="chain rule"),
        4: Variant(r"2X^\top DDX\theta-2X^\top DDy", because="multiply out"),
    },
    name="3. Find the false line: some patients count more",
    why=r"The length is squared after $D$ has been applied, so each weight is squared too. "
    r"Scaling the rows by $\sqrt{w_i}$ would be right.",
    hints=[
        "Take one row: what is multiplied by its weight, and what by the weight squared?",
        r"$\lVert Dr\rVert^2=\sum_i(w_ir_i)^2$.",
    ],
)


# --- repair: descent on (1/n)‖y − Xw‖² that keeps w as a column


def _descend(X: Any, y: Any, learning_rate: float, steps: int) -> Any:
    w = np.zeros(X.shape[1])
    for _ in range(steps):
        w = w - learning_rate * 2 / len(y) * X.T @ (X @ w - y)
    return w


def _descent_mistake(factor: Any, hint: str) -> Mistake:
    """Descent with another factor before the gradient of half the sum."""

    def wrong(X: Any, y: Any, learning_rate: float, steps: int) -> Any:
        w = np.zeros(X.shape[1])
        for _ in range(steps):
            w = w - factor(len(y)) * learning_rate * X.T @ (X @ w - y)
        return w

    return Mistake(wrong, hint)


def _first_column(X: Any, y: Any, learning_rate: float, steps: int) -> Any:
    """What is in the first column of the broken function's answer: a fit to the first output alone."""
    return _descend(X, np.full(len(y), y[0]), learning_rate, steps)


repaired_descent = Exercise(
    "repaired descent",
    answer=_descend,
    cases=[
        {"X": TRIANGLE, "y": np.array([1.0, 2.0, 0.0]), "learning_rate": 0.1, "steps": 3},
        {"X": TRIANGLE, "y": np.array([1.0, 2.0, 0.0]), "learning_rate": 0.3, "steps": 200},
        {"X": np.array([[1.0], [2.0]]), "y": np.array([2.0, 3.0]), "learning_rate": 0.05, "steps": 10},
        {"X": np.eye(4), "y": np.array([4.0, 3.0, 2.0, 1.0]), "learning_rate": 0.5, "steps": 5},
    ],
    mistakes=[
        _descent_mistake(lambda n: 2.0, "the loss is a mean: where did $1/n$ go?"),
        _descent_mistake(lambda n: 1.0, "the gradient of the mean has the factor $2/n$"),
        _descent_mistake(lambda n: 1 / n, "the derivative of a square brings down a 2"),
        _descent_mistake(lambda n: -2 / n, "this walks uphill: subtract the gradient"),
        Mistake(_first_column, "do not cut the answer: the misses are wrong already. What shape are they?"),
    ],
    hint="print the shape of `X @ w - y`: it should be one miss per row",
)


# --- break: data on which the normal equations lose half the digits


def _judge_fragile(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: X, y."
    X, y = (as_numbers(part) for part in attempt)
    if X.ndim != 2 or y.shape != (len(X),):
        return f"expected X of shape (n, d) and y of shape (n,), got shapes {X.shape} and {y.shape}."
    n, d = X.shape
    if not (1 <= d <= n <= 10) or not (np.isfinite(X).all() and np.isfinite(y).all()):
        return f"at most 10 rows, no more columns than rows, and finite numbers, please; got shape {X.shape}."
    rank = np.linalg.matrix_rank(X)
    if rank < d:
        return f"X has rank {rank} in float64 and {d} columns: then there is no single answer to lose."
    exact = exact_least_squares(X, y)
    if not any(exact):
        return "the solution is zero, and zero has no digits to lose: choose another y."
    kept = right_digits(least_squares(X, y), exact)
    if kept < 3:
        return "even least_squares has lost nearly everything: the columns are too close."
    try:
        left = right_digits(normal_equations(X, y), exact)
    except ValueError:  # it found XᵀX singular: nothing is left
        return None
    if left <= kept / 2:
        return None
    return f"of the {kept:.1f} digits that least_squares gets right, normal_equations still has {left:.1f}."


fragile_data = Exercise(
    "data that break the normal equations",
    judge=_judge_fragile,
    answer=(
        np.array([[1.0, 1.0], [2.0, 2.0 + 1e-6], [3.0, 3.0 - 1e-6], [4.0, 4.0]]),
        np.array([1.0, 4.0, 9.0, 16.0]),
    ),
    hint="forming $X^\\top X$ squares the condition number: make two columns nearly parallel",
)
