"""Exercises of the chapter on shrinkage: a number, a choice, a false line, and two for the notebook."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, uniform
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above

__all__ = ["forgotten_factor", "one_coefficient", "sign_change", "twice_the_patients", "weighted_ridge"]

one_coefficient = Predict(
    "1. Predict: one coefficient of the lasso",
    r"With pencil and paper: a single column $x=(1,1,1,1)$ and outputs $y=(1,2,3,4)$. Least squares gives "
    r"2.5. What does the lasso $\lVert y-x\theta\rVert^2+\lambda\lvert\theta\rvert$ give with $\lambda=12$?",
    answer=1.0,
    within=0.005,
    mistakes=[
        Mistake(0.0, r"is $\lambda/2$ really larger than $x^\top y$?"),
        Mistake(-0.5, r"the threshold is $\lambda/2$, and a threshold never crosses zero"),
        Mistake(-3.5, r"the threshold acts on $x^\top y$, not on the coefficient of least squares"),
        Mistake(2.5, "that is least squares, without the penalty"),
        Mistake(0.625, r"that is ridge, $x^\top y/(\lVert x\rVert^2+\lambda)$"),
        Mistake(4.0, r"you have $S(10, 6)$; the column has the squared length 4"),
        Mistake(above(2.5), "a penalty cannot make the coefficient larger here"),
    ],
    hints=[
        r"What are $x^\top y$ and $\lVert x\rVert^2$?",
        r"$\theta=S(x^\top y,\lambda/2)/\lVert x\rVert^2$, and $S$ moves towards zero.",
    ],
    why=r"$x^\top y=10$, $\lambda/2=6$ and $\lVert x\rVert^2=4$, so $\theta=(10-6)/4=1$.",
)

twice_the_patients = Choose(
    "2. Choose: every patient twice",
    r"Somebody copies every row of the table, so that each patient stands in it twice. With which strength "
    r"does ridge give the coefficients that it gave before with $\lambda$?",
    options=[
        Option(
            r"$\lambda$, because the mean error is as before",
            why=r"The objective has the *sum* of squares, and that has doubled.",
        ),
        Option(
            r"$\lambda/2$, because there are more data",
            why=r"More data drown the penalty already; halving it would do so once more.",
        ),
        Option(
            r"$2\lambda$",
            right=True,
            why=r"The sum of squares doubles, so the penalty must double with it. (Cross-validation would be "
            r"fooled: the twin of a held-out patient is among those seen.)",
        ),
        Option(
            r"none: the problem has changed",
            why=r"Twice the first term and twice the second have the same minimiser as before.",
        ),
    ],
    hints=[r"Write $\lVert y-X\theta\rVert^2$ for the copied table in terms of the old one."],
)


def _forgotten_factor() -> FalseLine:
    d = Derivation(
        "ridge with other factors in front",
        where={r"\lambda": "lam", "n": "rows of X"},
        lam=uniform(0.5, 2.0),
        X=normal(8, 3),
        y=normal(8),
        theta=normal(3),
    )
    d.start(r"\nabla_\theta\left(\frac2n\lVert y-X\theta\rVert^2+\frac\lambda2\lVert\theta\rVert^2\right)")
    d.equals(r"\frac4nX^\top(X\theta-y)+\lambda\theta", because="differentiate both squares")
    d.equals(
        r"\frac4n\left(X^\top X\theta-X^\top y+\frac{n\lambda}4\theta\right)", because=r"take out $\frac4n$"
    )
    d.equals(
        r"\frac4n\left(\left(X^\top X+\frac{n\lambda}4I\right)\theta-X^\top y\right)",
        because=r"collect what multiplies $\theta$",
    )
    wrong = {
        3: Variant(r"\frac4n\left(X^\top X\theta-X^\top y+\lambda\theta\right)"),
        4: Variant(r"\frac4n\left(\left(X^\top X+\lambda I\right)\theta-X^\top y\right)"),
    }
    return FalseLine(
        d,
        wrong,
        name="3. Find the false line: factors in front",
        why=r"Taking out $\frac4n$ must leave $\frac{n\lambda}4$ behind. So this objective has the solution "
        r"with $\frac{n\lambda}4$ in place of $\lambda$.",
        hints=[
            "Multiply the brackets out again.",
            r"What has to be multiplied by $\frac4n$ to give $\lambda\theta$?",
        ],
    )


forgotten_factor = _forgotten_factor()


# the smallest data on which all the mistakes below give different numbers
TRIANGLE = {"X": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), "y": np.array([1.0, 2.0, 0.0])}


def _problem(seed: int, n: int, d: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"X": rng.normal(size=(n, d)), "y": rng.normal(size=n), "w": rng.uniform(0.2, 3.0, n)}


def _weighted(X: Any, y: Any, w: Any, lam: float) -> Any:
    return np.linalg.solve((X.T * w) @ X + lam * np.eye(X.shape[1]), (X.T * w) @ y)


weighted_ridge = Exercise(
    "weighted ridge",
    answer=_weighted,
    cases=[
        {**TRIANGLE, "w": np.array([1.0, 2.0, 4.0]), "lam": 1.0},
        {**TRIANGLE, "w": np.array([1.0, 1.0, 1.0]), "lam": 0.5},
        {**_problem(4, 8, 3), "lam": 2.0},
        {**_problem(5, 7, 2), "lam": 0.0},
    ],
    mistakes=[
        Mistake(
            lambda X, y, w, lam: _weighted(X, y, np.ones(len(y)), lam),
            "these are the coefficients without weights: where does $w$ enter?",
        ),
        Mistake(
            lambda X, y, w, lam: _weighted(X, y, w**2, lam),
            r"the residual is squared after scaling: scale the rows by $\sqrt{w_i}$, not by $w_i$",
        ),
        Mistake(
            lambda X, y, w, lam: np.linalg.solve((X.T * w) @ X + lam * np.eye(X.shape[1]), X.T @ y),
            r"the weights belong on both sides: $X^\top WX\theta=X^\top Wy$",
        ),
        Mistake(
            lambda X, y, w, lam: _weighted(X, y, 1 / w, lam),
            "a large weight makes a row count more, not less",
        ),
        Mistake(lambda X, y, w, lam: _weighted(X, y, w, 0.0), "where is the penalty?"),
        Mistake(
            lambda X, y, w, lam: _weighted(X, y, w, lam * w.sum()),
            "the penalty has no weight: it is no measurement",
        ),
    ],
    hint=r"set the gradient of $\sum_iw_i(y_i-\theta^\top x_i)^2+\lambda\lVert\theta\rVert^2$ to zero",
)


def _changes_sign(attempt: Any) -> str | None:
    """None if ridge turns the first coefficient round, else what is wrong with the attempt."""
    try:
        X, y, lam = attempt
        X, y, lam = np.array(X, dtype=float), np.array(y, dtype=float), float(lam)
    except (TypeError, ValueError):
        return "give three things: X, y and lam."
    if X.ndim != 2 or X.shape[1] != 2 or len(X) > 6 or y.shape != (len(X),):
        return (
            f"X has at most six rows and two columns, and y one number per row; got {X.shape} and {y.shape}."
        )
    if not (np.isfinite(X).all() and np.isfinite(y).all() and 0 < lam < np.inf):
        return "all numbers must be finite, and lam positive."
    if np.linalg.matrix_rank(X) < 2:
        return "the columns must be independent, or least squares has no single answer."
    first = [float(_weighted(X, y, np.ones(len(y)), strength)[0]) for strength in (0.0, lam)]
    if min(map(abs, first)) < 0.01:
        return f"too close to zero: least squares gives {first[0]:.3g} and ridge {first[1]:.3g}."
    if first[0] * first[1] > 0:
        return f"both have the same sign: least squares gives {first[0]:.3g} and ridge {first[1]:.3g}."
    return None


sign_change = Exercise(
    "a coefficient that changes its mind",
    judge=_changes_sign,
    hint="let the two columns nearly repeat one another, and give them true coefficients of opposite sign",
)
