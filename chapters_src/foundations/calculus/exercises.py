"""Exercises of the chapter on calculus: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["broken_chord", "convex_or_not", "repaired_jacobian", "slope_on_a_walk", "spread_of_scores"]


# --- predict: the slope of x²y at (1, 2) on the way to (4, 6)

slope_on_a_walk = Predict(
    "1. Predict: the slope on a walk",
    r"With pencil and paper: the height of a hill is $f(x,y)=x^2y$. You stand at $(1,2)$ and walk straight "
    r"towards $(4,6)$. How much do you climb, at first, per unit of length?",
    answer=3.2,
    within=0.005,
    mistakes=[
        Mistake(16, r"that is $\nabla f^\top v$ for $v=(3,4)$, which is five units long"),
        Mistake(22, r"you used the place you walk to as the direction; the direction is $(3,4)$"),
        Mistake(0.64, "the direction was divided by its squared length"),
        Mistake(17**0.5, "that is the steepest slope at this place; your path is not the steepest one"),
        Mistake(5, "the two slopes are added: you would have to walk along both axes by one unit each"),
        Mistake(18.8, "that is the climb of the whole walk per unit of length, not the slope at its start"),
    ],
    hints=[
        "First the gradient at the place where you stand, then the direction as a unit vector.",
        r"$\nabla f=(2xy,\,x^2)$, and the way from $(1,2)$ to $(4,6)$ is $(3,4)$.",
    ],
    why=r"$\nabla f(1,2)=(4,1)$ and $v=(3,4)/5$, so $\nabla f^\top v=16/5$.",
)


# --- choose: what keeps convexity

convex_or_not = Choose(
    "2. Choose: what stays convex",
    r"$f$ and $g$ are convex functions of one number, defined everywhere. Which one is always convex too?",
    options=[
        Option(
            r"$\min(f(x),\,g(x))$",
            why=r"Take $x^2$ and $(x-2)^2$: their minimum has two valleys, with a ridge at $x=1$.",
        ),
        Option(
            r"$f(x)\,g(x)$",
            why=r"Take $f(x)=x$ and $g(x)=-x$, which are both convex. Their product $-x^2$ is a hill.",
        ),
        Option(
            r"$g(f(x))$",
            why=r"Take $f(x)=x^2-1$ and $g(u)=u^2$: the result $(x^2-1)^2$ has two valleys. It is convex if "
            "$g$ also never falls.",
        ),
        Option(
            r"$\max(f(x),\,g(x))$",
            right=True,
            why=r"At a point between $x$ and $y$ neither is above its own chord, and neither chord is above "
            "the chord of the maximum. This is why the hinge and the ReLU of a linear function are convex.",
        ),
    ],
    hints=[
        "Try parabolas with different lowest points, and straight lines, which are convex too.",
        "Three of the four can be refuted by a picture with two valleys or a hill.",
    ],
)


# --- find the false line: the curvature of log Σ exp is a variance


def _spread() -> Derivation:
    d = Derivation(
        "the curvature of log-sum-exp",
        where={"p": r"=\operatorname{softmax}(x)", "f(u)": r"=\log\sum_ke^{u_k}"},
        x=normal(4),
        v=normal(4),
    )
    d.start(r"v^\top\nabla^2f(x)\,v")
    d.equals(
        r"v^\top\left(\operatorname{diag}(p)-pp^\top\right)v",
        because=r"$\nabla f=p$, and $\partial p_i/\partial x_j=p_i[i=j]-p_ip_j$",
    )
    d.equals(r"\sum_kp_kv_k^2-\left(\sum_kp_kv_k\right)^2", because="multiply out")
    return d.equals(
        r"\sum_kp_k\left(v_k-\sum_jp_jv_j\right)^2",
        because="mean of squares minus squared mean is the variance, so it is never negative",
    )


spread_of_scores = FalseLine(
    _spread(),
    {
        3: Variant(r"\sum_kp_kv_k^2-\sum_kp_k^2v_k^2", because="multiply out"),
        4: Variant(r"\sum_kp_k(1-p_k)v_k^2", because=r"take out $p_kv_k^2$, so it is never negative"),
    },
    name="3. Find the false line: is log-sum-exp convex?",
    why=r"$v^\top pp^\top v=(p^\top v)^2$ is the square of a sum, with all the mixed terms $p_kp_jv_kv_j$; "
    "only the terms with $k=j$ were kept. The conclusion happens to be true, for another reason.",
    hints=[
        r"Take $v=(1,1,1,1)$. What must every line give, if all scores move together?",
        r"What is $v^\top p\,p^\top v$ when you put brackets around $v^\top p$?",
    ],
)


# --- repair: a Jacobian by differences; the cases are quadratic, where a central difference is exact


def _jacobian(f: Any, x: Any, h: float = 0.01) -> Any:
    columns = []
    for j in range(len(x)):
        step = np.zeros(len(x))
        step[j] = h
        columns.append((f(x + step) - f(x - step)) / (2 * h))
    return np.array(columns).T


def _left_behind(f: Any, x: Any, h: float = 0.01) -> Any:
    """What the broken function gives if only its shape and its type are mended."""
    x, columns = np.array(x, float), []
    for j in range(len(x)):
        x[j] += h
        up = f(x)
        x[j] -= 2 * h
        columns.append((up - f(x)) / (2 * h))
    return np.array(columns).T


def _of_taps(x: Any) -> Any:
    return np.array([x[0] * x[1], x[0] + x[1], x[1] ** 2])


def _product(x: Any) -> Any:
    """Its slope in one input depends on the other, so that an input off its place by h is noticed."""
    return np.array([10 * x[0] * x[1]])


repaired_jacobian = Exercise(
    "a Jacobian by differences",
    answer=_jacobian,
    cases=[
        {"f": _of_taps, "x": np.array([2.0, 3.0])},
        {"f": _of_taps, "x": np.array([2, 3])},
        {"f": _product, "x": np.array([0.3, 0.7])},
        {"f": lambda x: np.array([x @ x]), "x": np.array([1.0, -2.0, 0.5])},
    ],
    mistakes=[
        Mistake(
            lambda f, x, h=0.01: _jacobian(f, x, h).T,
            "rows are outputs and columns are inputs: this is the transpose",
        ),
        Mistake(
            _left_behind, "put input j back before you move the next one: $x$ ends a little off its place"
        ),
        Mistake(lambda f, x, h=0.01: 2 * _jacobian(f, x, h), "from $x-h$ to $x+h$ is a way of $2h$"),
        Mistake(
            lambda f, x, h=0.01: np.array([(f(x + h) - f(x - h)) / (2 * h)]).T,
            "all inputs are moved at once: move one at a time",
        ),
    ],
    within=1e-6,
    hint="print `x` before and after, try it on whole numbers, and look at the shape of the answer",
)


# --- break: convex along each axis, and not convex


def _saddle(x: Any) -> float:
    return float(x[0] ** 2 + x[1] ** 2 + 3 * x[0] * x[1])


def _judge_chord(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "Give a pair: two points, each with two coordinates."
    x, y = (as_numbers(point) for point in attempt)
    if x.shape != (2,) or y.shape != (2,):
        return f"Give two points with two coordinates each; got shapes {x.shape} and {y.shape}."
    if not (np.isfinite(x).all() and np.isfinite(y).all() and max(np.abs([x, y]).ravel()) <= 1e6):
        return "The coordinates must be finite numbers of at most a million."
    if np.array_equal(x, y):
        return "The two points are the same: a chord needs two."
    chord, middle = (_saddle(x) + _saddle(y)) / 2, _saddle((x + y) / 2)
    if middle > chord + 1e-9 * (1 + abs(chord)):
        return None
    along = "an axis" if (x == y).any() else "this direction"
    return (
        f"the middle of the chord is at {chord:.4g}, the function there at {middle:.4g}: "
        f"along {along} it curves up."
    )


broken_chord = Exercise(
    "a chord below the function",
    judge=_judge_chord,
    answer=(np.array([1.0, -1.0]), np.array([-1.0, 1.0])),
    hint="an eigenvector of the Hessian with a negative eigenvalue is a direction in which it curves down",
)
