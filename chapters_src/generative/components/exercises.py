"""Exercises of the chapter on components: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.generative.components.principal import pca
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "TWELVE",
    "columns_in_step",
    "one_gaussian_source",
    "repaired_scores",
    "skewed_directions",
    "turned_by_one",
]


# --- predict: what one component keeps of correlated columns

columns_in_step = Predict(
    "1. Predict: six columns in step",
    "Six standardised columns (mean 0, variance 1), and every two of them have correlation 0.4. What share "
    "of the variance does the first component keep?",
    answer=0.5,
    within=0.005,
    mistakes=[
        Mistake(0.4, "a correlation is not a share of variance; compute the largest eigenvalue"),
        Mistake(3, "that is the largest eigenvalue; the share compares it with the whole variance"),
        Mistake(0.1667, "that would be so without correlation: each direction would keep a sixth"),
        Mistake(0.7, "that is (1 + ρ)/2, right for two columns; here there are six"),
        Mistake(0.6, "that is what one of the *other* directions has, 1 − ρ, as a variance and not a share"),
    ],
    hints=[
        "The covariance matrix has 1 on its diagonal and 0.4 everywhere else.",
        "Multiply it by the vector of six ones.",
        "The whole variance is the sum of the diagonal, 6.",
    ],
    why="$S\\mathbf 1=(1+5\\cdot0.4)\\mathbf 1=3\\cdot\\mathbf 1$, so $\\lambda_1=3$ of 6. The other five "
    "directions have variance 0.6 each.",
)


# --- choose: how many Gaussian sources may there be

one_gaussian_source = Choose(
    "2. Choose: one Gaussian source",
    "Two independent sources are mixed by an unknown invertible matrix. One of them is exactly Gaussian, "
    "the other uniform. With any amount of data, what can be found out?",
    options=[
        Option(
            "Both sources, each up to its sign and scale.",
            right=True,
            why="On the white circle the mixture's excess kurtosis is $\\kappa q_1^4$, largest in size at "
            "the uniform source. The other direction is then the one perpendicular to it.",
        ),
        Option(
            "Nothing: a Gaussian source makes the white cloud round.",
            why="Round it would be if *both* were Gaussian. The uniform one breaks the symmetry.",
        ),
        Option(
            "The uniform source, but the Gaussian one stays mixed with it.",
            why="After whitening the two directions are perpendicular, so knowing one gives the other.",
        ),
        Option(
            "Both, with sign and scale as they were recorded.",
            why="Double a source and halve its column of the mixing matrix: the mixture is the same.",
        ),
    ],
    hints=[
        "After whitening only a rotation is unknown. How many numbers is that for two sources?",
        "Draw the kurtosis of a direction against its angle.",
    ],
)


# --- find the false line: directions that are not perpendicular unit vectors


def _error() -> Derivation:
    d = Derivation("what two directions lose", x=normal(5), W=normal(5, 2))
    d.start(r"\lVert x-WW^\top x\rVert^2")
    d.equals(
        r"x^\top x-2x^\top WW^\top x+x^\top WW^\top WW^\top x",
        because="multiply out $(x-WW^\\top x)^\\top(x-WW^\\top x)$",
    )
    d.equals(
        r"x^\top x-2\lVert W^\top x\rVert^2+\lVert WW^\top x\rVert^2",
        because="products with a transpose are squared lengths",
    )
    return d.equals(
        r"\lVert x\rVert^2-\lVert W^\top x\rVert^2"
        r"-\left(\lVert W^\top x\rVert^2-\lVert WW^\top x\rVert^2\right)",
        because="share the middle term between the others",
    )


skewed_directions = FalseLine(
    _error(),
    {
        3: Variant(
            r"x^\top x-2\lVert W^\top x\rVert^2+\lVert W^\top x\rVert^2",
            because="products with a transpose are squared lengths",
        ),
        4: Variant(r"\lVert x\rVert^2-\lVert W^\top x\rVert^2", because="add up the last two terms"),
    },
    name="3. Find the false line: what two directions lose",
    why="$x^\\top WW^\\top WW^\\top x=\\lVert WW^\\top x\\rVert^2$, which is $\\lVert W^\\top x\\rVert^2$ "
    "only if $W^\\top W=I$. Kept and lost sum to the whole only for perpendicular unit directions.",
    hints=["Nothing says that the columns of $W$ are unit vectors.", "Try $W=2I$."],
)


# --- repair: new rows measured with the wrong mean and the wrong scale


def _scores(train: Any, new: Any, M: int) -> Any:
    return _projected(train, new, M, np.mean(train, axis=0), np.std(train, axis=0))


def _projected(train: Any, new: Any, M: int, mean: Any, scale: Any) -> Any:
    train, new = np.asarray(train, dtype=float), np.asarray(new, dtype=float)
    standard = (train - np.mean(train, axis=0)) / np.std(train, axis=0)
    return (new - mean) / scale @ pca(standard, M).U


def _with(mean: Any, scale: Any, hint: str) -> Mistake:
    return Mistake(lambda train, new, M: _projected(train, new, M, mean(train, new), scale(train, new)), hint)


def _of(which: int, what: Any) -> Any:
    return lambda *both: what(np.asarray(both[which], dtype=float), axis=0)


def _case(seed: int, n: int, new: int, d: int, M: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(d, d))
    return {"train": rng.normal(size=(n, d)) @ mix + 1, "new": rng.normal(size=(new, d)) @ mix + 3, "M": M}


repaired_scores = Exercise(
    "repaired scores",
    answer=_scores,
    cases=[
        {
            "train": [[2.0, 1.0], [1.0, 2.0], [-2.0, -1.0], [-1.0, -2.0]],
            "new": [[3.0, 3.0], [1.0, 0.0]],
            "M": 1,
        },
        _case(0, 20, 5, 3, 2),
        _case(1, 30, 1, 4, 4),
    ],
    mistakes=[
        _with(_of(1, np.mean), _of(1, np.std), "the new rows still have a mean and a scale of their own"),
        _with(_of(1, np.mean), _of(0, np.std), "subtract the training rows' mean from the new rows too"),
        _with(_of(0, np.mean), _of(1, np.std), "divide the new rows by the training rows' deviations too"),
        _with(
            lambda train, new: np.mean(np.concatenate([train, new]), axis=0),
            lambda train, new: np.std(np.concatenate([train, new]), axis=0),
            "the new rows must not take part in the fit, not even in the mean",
        ),
        _with(_of(0, np.mean), lambda train, new: 1.0, "the directions belong to standardised columns"),
    ],
    hint="whatever was computed from the training rows is part of the model: keep it and use it again",
)


# --- break: one point that turns the first component

_rng = np.random.default_rng(1)
_t, _s = np.linspace(-2, 2, 12), 0.3 * _rng.normal(size=12)
TWELVE = np.round(np.column_stack([_t * 0.8 - _s * 0.6, _t * 0.6 + _s * 0.8]), 1)


def _angle(X: Any) -> Any:
    return pca(X, 1).U[:, 0]


def _judge_turned(attempt: Any) -> str | None:
    point = as_numbers(attempt)
    if point.shape != (2,) or not np.isfinite(point).all():
        return f"give one point of the plane, two finite numbers; got shape {point.shape}."
    if np.linalg.norm(point) > 6 + 1e-9:
        return f"the point must lie within 6 of the origin; it is {np.linalg.norm(point):.1f} away."
    cosine = abs(float(_angle(TWELVE) @ _angle(np.vstack([TWELVE, point]))))
    degrees = float(np.degrees(np.arccos(min(cosine, 1.0))))
    return None if degrees >= 60 else f"the first component turns by {degrees:.0f} degrees only."


turned_by_one = Exercise(
    "one point that turns the first component",
    judge=_judge_turned,
    answer=np.array([-3.4, 4.5]),
    hint="the new point must bring more variance across the line than the twelve have along it",
)
