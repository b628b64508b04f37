"""Exercises of the chapter on kernels: a number, a choice, a false line, and two for the notebook."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["distance_of_features", "how_many_features", "nearest_mean", "no_kernel", "which_is_none"]

how_many_features = Predict(
    "1. Predict: how many features",
    r"For inputs with ten entries, how many features does $(1+x^\top z)^2$ stand for: a constant, the ten "
    r"entries, and all their squares and products?",
    answer=66,
    within=0.001,
    mistakes=[
        Mistake(65, "do not forget the constant"),
        Mistake(55, "these are the squares and products alone"),
        Mistake(111, r"$x_1x_2$ and $x_2x_1$ are one feature"),
        Mistake(100, r"$x_1x_2$ and $x_2x_1$ are one feature, and there are the entries and a constant"),
        Mistake(56, "the ten entries themselves are features too"),
        Mistake(21, "a constant, ten entries and ten squares; where are the products of two different ones?"),
        Mistake(6, "that is for two entries"),
    ],
    hints=["How many pairs of different entries are there?", r"$1+10+10+\frac{10\cdot9}2$."],
    why=r"$1+10+10+45=66$, which is $\binom{12}2$.",
)

which_is_none = Choose(
    "2. Choose: which is no kernel",
    r"Let $k$ be a kernel. Three of these are then kernels whatever $k$ is. Which one can fail to be one?",
    options=[
        Option(
            r"$k(x,z)^2$",
            why="A product of kernels is one: its features are all products of two features.",
        ),
        Option(
            r"$k(x,z)+1$",
            why="It has the features of $k$ and a constant one.",
        ),
        Option(
            r"$k(x,z)-1$",
            right=True,
            why=r"For $k=0$ it is $-1$ everywhere, but a kernel at $z=x$ is a squared length.",
        ),
        Option(
            r"$f(x)\,k(x,z)\,f(z)$ with any real function $f$",
            why=r"Its features are $f(x)\phi(x)$; signs do no harm.",
        ),
    ],
    hints=[r"Put $z=x$: a kernel is then a squared length. Which of them could be negative?"],
)


def _distance() -> FalseLine:
    d = Derivation(
        "the distance of two feature vectors",
        x=normal(3),
        z=normal(3),
    )
    d.start(r"\lVert x\,x^\top-z\,z^\top\rVert_F^2")
    d.equals(r"\sum_i\sum_j(x_ix_j-z_iz_j)^2", because="the squared length of a matrix, entry by entry")
    d.equals(
        r"\sum_i\sum_j\left(x_i^2x_j^2-2x_iz_ix_jz_j+z_i^2z_j^2\right)", because="multiply out the square"
    )
    d.equals(r"(x^\top x)^2-2(x^\top z)^2+(z^\top z)^2", because="each double sum is a product of two sums")
    wrong = {
        3: Variant(r"\sum_i\sum_j\left(x_i^2x_j^2-x_iz_ix_jz_j+z_i^2z_j^2\right)"),
        4: Variant(r"(x^\top x)^2-(x^\top z)^2+(z^\top z)^2"),
    }
    return FalseLine(
        d,
        wrong,
        name="3. Find the false line: distances between features",
        why=r"The middle term of a square comes twice. With $k(x,z)=(x^\top z)^2$ the squared distance of "
        r"the features is $k(x,x)-2k(x,z)+k(z,z)$, and that holds for every kernel.",
        hints=[r"Put $x=z$: what must the distance be?", "Multiply out $(a-b)^2$."],
    )


distance_of_features = _distance()


def _nearest(k_new: Any, K: Any, y: Any, inner: float = 1.0, cross: float = 2.0) -> Any:
    def squared_distance(members: Any) -> Any:
        own = K[np.ix_(members, members)].mean()
        return -cross * k_new[:, members].mean(axis=1) + inner * own

    return np.where(squared_distance(y > 0) <= squared_distance(y < 0), 1.0, -1.0)


def _sums(k_new: Any, K: Any, y: Any) -> Any:
    return np.where(k_new @ y >= 0, 1.0, -1.0)


def _nearest_example(k_new: Any, K: Any, y: Any) -> Any:
    return y[k_new.argmax(axis=1)]


def _case(seed: int, n: int, m: int, gamma: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 3, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) * np.where(y > 0, 0.5, 1.6)[:, None]
    new = rng.normal(size=(m, 2)) * 1.2
    to_new, to_old = (((A[:, None] - X) ** 2).sum(axis=-1) for A in (new, X))
    return {"k_new": np.exp(-gamma * to_new), "K": np.exp(-gamma * to_old), "y": y}


nearest_mean = Exercise(
    "the nearest mean, without features",
    answer=_nearest,
    cases=[_case(0, 12, 40, 0.5), _case(1, 30, 25, 1.0), _case(2, 9, 30, 0.2)],
    mistakes=[
        Mistake(
            lambda k_new, K, y: _nearest(k_new, K, y, inner=0.0), "the means differ in length: where is mᵀm?"
        ),
        Mistake(
            lambda k_new, K, y: _nearest(k_new, K, y, cross=1.0),
            "the cross term of a squared distance comes twice",
        ),
        Mistake(_sums, "these are sums over the classes, and one class is larger than the other"),
        Mistake(_nearest_example, "that is the nearest example, not the nearest mean"),
        Mistake(lambda k_new, K, y: -_nearest(k_new, K, y), "this goes to the mean that is further away"),
    ],
    hint="‖φ(x) − m‖² = k(x, x) − 2φ(x)ᵀm + mᵀm, and both products are means of kernel values",
)


def _judge_points(attempt: Any) -> str | None:
    """None if the Gram matrix has a clearly negative eigenvalue, else what is wrong."""
    try:
        points = np.array(attempt, dtype=float)
    except (TypeError, ValueError):
        return "give an array of numbers with two columns."
    if points.ndim != 2 or points.shape[1] != 2 or not 1 <= len(points) <= 8:
        return f"give at most eight points with two coordinates each; got shape {points.shape}."
    if not np.isfinite(points).all():
        return "all coordinates must be finite."
    squares = ((points[:, None] - points) ** 2).sum(axis=-1)
    least = float(np.linalg.eigvalsh(np.maximum(0.0, 1 - squares))[0])
    return None if least < -0.05 else f"the least eigenvalue is {least:.3f}."


no_kernel = Exercise(
    "a similarity that is no kernel",
    judge=_judge_points,
    hint="put points in a row: let neighbours be quite similar, and those two places apart not at all",
)
