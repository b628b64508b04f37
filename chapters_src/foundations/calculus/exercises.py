"""Exercises of the chapter on calculus: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["broken_chord", "convex_or_not", "repaired_gradient", "slope_on_a_walk", "spread_of_scores"]


# --- predict: the slope of x₁²x₂ at (1, 2) on the way to (4, 6)

slope_on_a_walk = Predict(
    "1. Predict: the slope on a walk",
    r"With pencil and paper: the height of a hill is $f(x)=x_1^2x_2$. You stand at $(1,2)$ and walk straight "
    r"towards $(4,6)$. How much do you climb, at first, per unit of length?",
    answer=3.2,
    within=0.005,
    mistakes=[
        Mistake(16, r"that is $\nabla f^\top v$ for $v=(3,4)$, which is five units long"),
        Mistake(22, r"you used the place you walk to as the direction; the direction is $(3,4)$"),
        Mistake(22 / 52**0.5, "the direction starts where you stand, not at the origin: it is $(3,4)$"),
        Mistake(0.64, "the direction was divided by its squared length"),
        Mistake(17**0.5, "that is the steepest slope at this place; your path is not the steepest one"),
        Mistake(5, "the two slopes are added: you would have to walk along both axes by one unit each"),
        Mistake(18.8, "that is the climb of the whole walk per unit of length, not the slope at its start"),
    ],
    hints=[
        "First the gradient at the place where you stand, then the direction as a unit vector.",
        r"$\nabla f=(2x_1x_2,\,x_1^2)$, and the way from $(1,2)$ to $(4,6)$ is $(3,4)$.",
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
    name="3. Find the false line: log-sum-exp is convex",
    why=r"$v^\top pp^\top v=(p^\top v)^2$ is the square of a sum, with all the mixed terms $p_kp_jv_kv_j$; "
    "only the terms with $k=j$ were kept. The conclusion happens to be true, for another reason.",
    hints=[
        r"Take $v=(1,1,1,1)$. What must every line give, if all scores move together?",
        r"What is $v^\top p\,p^\top v$ when you put brackets around $v^\top p$?",
    ],
)


# --- repair: a gradient in the shape of W; the cases are quadratic, where a central difference is exact


def _gradient(f: Any, W: Any, h: float = 0.01) -> Any:
    slopes = np.empty(W.shape)
    for index in np.ndindex(W.shape):
        move = np.zeros(W.shape)
        move[index] = h
        slopes[index] = (f(W + move) - f(W - move)) / (2 * h)
    return slopes


def _in_place(f: Any, W: Any, h: float, put_back: bool, floats: bool) -> Any:
    """What the broken function gives if its shape is mended, and perhaps one of its other faults."""
    W, slopes = np.array(W, float if floats else None), np.empty(W.shape)
    for index in np.ndindex(W.shape):
        was = W[index]
        W[index] = was + h
        up = f(W)
        W[index] = was - h
        slopes[index] = (up - f(W)) / (2 * h)
        if put_back:
            W[index] = was
    return slopes


def _squared_error(W: Any) -> float:
    X, Y = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]]), np.ones((3, 3))
    return float(np.sum((X @ W - Y) ** 2))


def _determinant(W: Any) -> float:
    """Its slope in one weight is another weight, so that a weight off its place by h is noticed."""
    return float(W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0])


repaired_gradient = Exercise(
    "a gradient by differences",
    answer=_gradient,
    cases=[
        {"f": _determinant, "W": np.array([[2, 3], [5, 7]])},
        {"f": _determinant, "W": np.array([[2.0, 3.0], [5.0, 7.0]])},
        {"f": _squared_error, "W": np.array([[0.3, -0.7, 1.0], [0.5, 2.0, 0.1]])},
        {"f": lambda w: float(w @ w), "W": np.array([1.0, -2.0, 0.5])},
    ],
    mistakes=[
        Mistake(
            lambda f, W, h=0.01: _gradient(f, W, h).ravel(),
            "a gradient has the shape of what it is taken with respect to",
        ),
        Mistake(
            lambda f, W, h=0.01: _gradient(f, W, h).T,
            "entry $(i,j)$ belongs to the weight $(i,j)$: this is the transpose",
        ),
        Mistake(
            lambda f, W, h=0.01: _in_place(f, W, h, put_back=False, floats=True),
            "put each weight back before you move the next one: $W$ ends a little off its place",
        ),
        Mistake(
            lambda f, W, h=0.01: _in_place(f, W, h, put_back=True, floats=False),
            "an array of whole numbers cuts $2+h$ to 2: make it one of floats first",
        ),
        Mistake(lambda f, W, h=0.01: 2 * _gradient(f, W, h), "from $-h$ to $+h$ is a way of $2h$"),
        Mistake(
            lambda f, W, h=0.01: np.full(W.shape, (f(W + h) - f(W - h)) / (2 * h)),
            "all weights are moved at once: move one at a time",
        ),
    ],
    within=1e-6,
    hint="print `W` before and after, try it on whole numbers, and look at the shape of the answer",
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
