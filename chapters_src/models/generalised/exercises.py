"""Exercises of the chapter on generalised linear models: predict, choose, false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.models.generalised import POISSON, fit_glm
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, integers, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "endless_counts",
    "exposed_gradient",
    "first_step",
    "forgotten_months",
    "repaired_perceptron",
]


# --- predict: one step of IRLS with an intercept alone, from mean 1, for the counts 0 and 4

first_step = Predict(
    "1. Predict: the first step overshoots",
    r"With pencil and paper: in two hours 0 and 4 bikes were hired. Take a Poisson model with an intercept "
    r"alone, $\log\mu=\theta_0$, begin at $\theta_0=0$, where both means are 1, and do a full step of IRLS. "
    r"What is $\theta_0$ after it?",
    answer=1.0,
    within=5e-3,
    mistakes=[
        Mistake(float(np.log(2)), "that is where the steps end, $\\log 2$; what does the first one give?"),
        Mistake(
            2.0, "that is the mean of the counts; average the response $r_i=a_i+(y_i-\\mu_i)/w_i$ instead"
        ),
        Mistake(0.5, "the weights are $A''(0)=e^0=1$, not 2"),
        Mistake(float(np.e), "that is the mean $e^{\\theta_0}$ after the step; give $\\theta_0$ itself"),
        Mistake(-1.0, "the response of the first hour alone is $-1$; average both"),
        Mistake(3.0, "the response of the second hour alone is 3; average both"),
    ],
    hints=[
        r"At $a=0$ mean and weight are both $e^0=1$.",
        r"The responses are $0+(0-1)/1$ and $0+(4-1)/1$.",
        "With an intercept alone and equal weights, least squares gives the average.",
    ],
    why=r"The responses are $-1$ and $3$, and their average is 1: the mean jumps from 1 to $e\approx2.7$, "
    r"beyond the best value 2. The next step comes back towards $\log2$.",
)


# --- choose: the offset of the ships is forgotten

forgotten_months = Choose(
    "2. Choose: the months are forgotten",
    "Ships of type B had 253 of the 356 incidents and sailed for 138,317 of the 163,574 months. Somebody "
    "fits the same Poisson model without the offset. What happens to the coefficient of type B?",
    options=[
        Option(
            "Nothing: the intercept takes up the months.",
            why="The intercept would take them up if all groups had sailed equally long. They had not.",
        ),
        Option(
            r"It changes from $-0.54$ to about $+1.8$: type B looks the most dangerous.",
            right=True,
            why="Without the offset the model compares incidents instead of incidents per month, and B was "
            "at sea for most of the months. Per month its rate is little more than half of A's.",
        ),
        Option(
            "It keeps its sign, and its standard error grows.",
            why="The offset is a known part of the mean. Leaving it out moves the mean, and with it the "
            "coefficients.",
        ),
        Option(
            "The fit does not converge, because counts of 253 overflow.",
            why="Counts of any such size are fine: the natural parameter is their logarithm, about 5.5.",
        ),
    ],
    hints=[
        "What does the model without an offset call the mean of a group?",
        "Compare 253 incidents of B with 42 of A, and then the incidents per month.",
    ],
)


# --- find the false line: the gradient for counts over different times


def _exposed() -> Derivation:
    d = Derivation(
        "counts over different times",
        where={"D": r"= \operatorname{diag}(t)"},
        X=uniform(-1, 1, 6, 2),
        y=integers(0, 6, 6),
        t=uniform(0.3, 3.0, 6),
        theta=uniform(-1, 1, 2),
    )
    d.start(r"\nabla_\theta\sum_i\left(t_ie^{\theta^\top x_i}-y_i\log(t_ie^{\theta^\top x_i})\right)")
    d.equals(
        r"\nabla_\theta\sum_i\left(t_ie^{\theta^\top x_i}-y_i\theta^\top x_i\right)",
        because=r"$y_i\log t_i$ does not depend on $\theta$",
    )
    d.equals(r"\sum_i\left(t_ie^{\theta^\top x_i}-y_i\right)x_i", because="chain rule")
    return d.equals(r"X^\top\left(De^{X\theta}-y\right)", because=r"put the times on the diagonal of $D$")


exposed_gradient = FalseLine(
    _exposed(),
    {
        3: Variant(r"\sum_i\left(e^{\theta^\top x_i}-\frac{y_i}{t_i}\right)x_i", because="chain rule"),
        4: Variant(
            r"X^\top\left(e^{X\theta}-D^{-1}y\right)", because=r"put the times on the diagonal of $D$"
        ),
    },
    name="3. Find the false line: counts over different times",
    why=r"The third line divides term $i$ by $t_i$. It compares rates, and gives a short watch the same say "
    r"as a long one; the right line weights the difference of the rates by $t_i$.",
    hints=[
        r"Differentiate $t_ie^{\theta^\top x_i}$ for one row.",
        "Is a factor taken out of a sum if it differs from term to term?",
    ],
)


# --- repair: a perceptron that predicts with its first weights


def _run(X: Any, y: Any, passes: int) -> ndarray:
    theta = np.zeros(X.shape[1])
    for x_i, y_i in list(zip(X, y, strict=True)) * passes:
        if (1.0 if theta @ x_i > 0 else -1.0) != y_i:
            theta = theta + y_i * x_i
    return theta


def _stubborn(X: Any, y: Any, passes: int) -> ndarray:
    first = theta = np.zeros(X.shape[1])
    for x_i, y_i in list(zip(X, y, strict=True)) * passes:
        if (1.0 if first @ x_i > 0 else -1.0) != y_i:
            theta = theta + y_i * x_i
    return theta


def _every_row(X: Any, y: Any, passes: int) -> ndarray:
    return passes * (X.T @ y)


def _once_per_pass(X: Any, y: Any, passes: int) -> ndarray:
    theta = np.zeros(X.shape[1])
    for _ in range(passes):
        wrong = np.where(X @ theta > 0, 1.0, -1.0) != y
        theta = theta + X[wrong].T @ y[wrong]
    return theta


def _double(X: Any, y: Any, passes: int) -> ndarray:
    return 2 * _run(X, y, passes)


CORNERS: ndarray = np.array([[1.0, 2.0, 1.0], [1.0, -1.0, 0.5], [1.0, 0.5, -2.0], [1.0, -0.5, 2.0]])

repaired_perceptron = Exercise(
    "repaired perceptron",
    answer=_run,
    cases=[
        {"X": CORNERS, "y": np.array([1.0, -1.0, -1.0, 1.0]), "passes": 3},
        {"X": CORNERS, "y": np.array([-1.0, 1.0, 1.0, 1.0]), "passes": 1},
        {"X": np.array([[1.0, 0.2], [1.0, -0.3], [1.0, 3.0]]), "y": np.array([1.0, -1.0, 1.0]), "passes": 10},
    ],
    mistakes=[
        Mistake(_stubborn, "the prediction still uses the first weights: which should it use?"),
        Mistake(_every_row, "rows that are already right must not move θ"),
        Mistake(_once_per_pass, "update after each mistake, so that the next row meets the new weights"),
        Mistake(_double, "with labels ±1 the step is $y_ix_i$; $(y_i-\\hat y_i)x_i$ would be twice that"),
    ],
    hint="ask which θ has made the mistake: it must be the θ that is then corrected",
)


# --- break: counts for which Poisson regression has no best parameters


def _judge_endless(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: X, y."
    X, y = (as_numbers(part) for part in attempt)
    if X.ndim != 2 or y.shape != (len(X),):
        return f"expected X of shape (n, d) and y of shape (n,), got shapes {X.shape} and {y.shape}."
    n, d = X.shape
    if not (1 <= d <= n <= 10) or not (np.isfinite(X).all() and np.isfinite(y).all()):
        return f"at most 10 rows, no more columns than rows, and finite numbers, please; got shape {X.shape}."
    if np.linalg.matrix_rank(X) < d:
        return "the columns of X must be independent, or there is no single answer anyway."
    if not (X[:, 0] == 1).all():
        return "the first column of X must be the column of ones."
    if (y < 0).any() or (y != np.floor(y)).any() or y.sum() < 10:
        return "y must hold counts that add up to at least 10."
    if fit_glm(X, y, POISSON, steps=200).converged:
        return "the fit comes to rest: its loss has a minimum."
    return None


endless_counts = Exercise(
    "counts without a best fit",
    judge=_judge_endless,
    answer=(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.array([7.0, 9.0, 0.0])),
    hint="make the best mean of some rows exactly 0, which no finite θ can give",
)
