"""Exercises of the chapter on mixtures: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.generative.mixtures.gaussian_mixture import fit_em, mixture
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, positive
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "equal_claims",
    "half_an_m_step",
    "shared_variance",
    "spread_around",
    "stuck_start",
    "three_groups",
]


# --- predict: where two components have equal responsibility

equal_claims = Predict(
    "1. Predict: equal claims",
    "Two components on a line have variance 1 and means 0 and 2. The first has weight 0.8, the second 0.2. "
    "At which $x$ are both responsibilities one half? (Three digits.)",
    answer=1 + np.log(4) / 2,
    within=0.004,
    mistakes=[
        Mistake(1, "that is right for equal weights; the heavier component claims more than its half"),
        Mistake(1 - np.log(4) / 2, "in which direction does the larger weight push the border?"),
        Mistake(1 + np.log(4), "the logarithm is right; by what is the distance of the means multiplied?"),
        Mistake(0.4, "that is the mean of the whole mixture"),
        Mistake(1.6, "weights do not divide the distance; set the two terms $\\pi_k\\mathcal N$ equal"),
    ],
    hints=[
        "Set $0.8\\,\\mathcal N(x;0,1)=0.2\\,\\mathcal N(x;2,1)$ and take logarithms.",
        "The squares of $x$ cancel: $\\log4=\\frac12x^2-\\frac12(x-2)^2=2x-2$.",
    ],
    why="Both terms agree where log 4 = 2x − 2. The border moves from the middle, 1, towards the lighter "
    "component, to about 1.693.",
)


# --- choose: a part of the M step

half_an_m_step = Choose(
    "2. Choose: half an M step",
    "To save time, somebody updates only the means in each M step, and leaves weights and covariances as "
    "they were until the end. The E step is complete. What can be said of the log-likelihood?",
    options=[
        Option(
            "it can fall, because the bound is not maximised",
            why="The bound need not be maximised. Which of the two inequalities uses the M step?",
        ),
        Option(
            "it still never falls",
            right=True,
            why="The new means are the best ones for the old covariances and weights, so the bound does not "
            "fall; it touched the log-likelihood before and stays below it after. Every M step that raises "
            "the bound will do.",
        ),
        Option(
            "it never falls, and ends where the full M step ends",
            why="The first half is right. But weights and covariances keep their starting values, and a "
            "full M step would change them.",
        ),
        Option(
            "nothing, because the gap is no longer zero after the E step",
            why="The E step does not care how the parameters came about: it closes the gap for any of them.",
        ),
    ],
    hints=["Go through the lines of the climb: what do they need of the new parameters?"],
)


# --- find the false line: the spread around a mean that is not the new one


def _spread() -> Derivation:
    names = {"n": "rows of X", "N": r"= \sum_{i=1}^nr_i", r"\bar x": r"= \frac1N\sum_{i=1}^nr_ix_i"}
    d = Derivation("the spread around another mean", where=names, X=normal(6, 2), r=positive(6), u=normal(2))
    d.start(r"\sum_{i=1}^nr_i\lVert x_i-u\rVert^2")
    d.equals(
        r"\sum_{i=1}^nr_i\lVert x_i-\bar x\rVert^2+2\sum_{i=1}^nr_i(x_i-\bar x)^\top(\bar x-u)"
        r"+\sum_{i=1}^nr_i\lVert\bar x-u\rVert^2",
        because=r"$x_i-u=(x_i-\bar x)+(\bar x-u)$",
    )
    d.equals(
        r"\sum_{i=1}^nr_i\lVert x_i-\bar x\rVert^2+N\lVert\bar x-u\rVert^2",
        because="weighted differences from the weighted mean add up to zero; the last norm has no $i$",
    )
    return d.equals(
        r"\sum_{i=1}^nr_i\lVert x_i\rVert^2-N\lVert\bar x\rVert^2+N\lVert\bar x-u\rVert^2",
        because="a mean of squares minus the square of the mean",
    )


spread_around = FalseLine(
    _spread(),
    {
        3: Variant(
            r"\sum_{i=1}^nr_i\lVert x_i-\bar x\rVert^2+n\lVert\bar x-u\rVert^2",
            because="weighted differences from the weighted mean add up to zero; the last norm has no $i$",
        ),
        4: Variant(
            r"\sum_{i=1}^nr_i\lVert x_i\rVert^2-N\lVert\bar x\rVert^2+n\lVert\bar x-u\rVert^2",
            because="a mean of squares minus the square of the mean",
        ),
    },
    name="3. Find the false line: the spread around another mean",
    why="The sum adds up weights, and those add up to $N$, not to the number of rows. So an M step "
    "that takes the spread around the old mean $u$ finds a variance that is too large.",
    hints=["What is $\\sum_ir_i$ called?", "Try one row, $x=1$, with $r=\\frac12$ and $u=0$."],
)


# --- implement: one variance for all components


def _parts(x: Any, r: Any) -> tuple[Any, Any, Any]:
    """Counts, means and squared distances, a column per component."""
    N = r.sum(axis=0)
    means = r.T @ x / N
    return N, means, np.square(x[:, None] - means)


def _shared(x: Any, r: Any) -> Any:
    N, means, squares = _parts(x, r)
    return N / len(x), means, (r * squares).sum() / len(x)


def _with_variance(variance: Any, hint: str) -> Mistake:
    """The right weights and means with another variance."""

    def wrong(x: Any, r: Any) -> Any:
        N, means, squares = _parts(x, r)
        return N / len(x), means, variance(x, r, N, squares)

    return Mistake(wrong, hint)


def _shares(seed: int, n: int, K: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"x": rng.normal(size=n), "r": rng.dirichlet(np.ones(K), n)}


shared_variance = Exercise(
    "an M step with one variance",
    answer=_shared,
    cases=[
        {"x": np.array([0.0, 1.0, 4.0]), "r": np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])},
        _shares(1, 8, 3),
        _shares(2, 20, 2),
    ],
    mistakes=[
        _with_variance(
            lambda x, r, N, s: ((r * s).sum(axis=0) / N).mean(),
            "that is the plain mean of the separate variances; larger components count more",
        ),
        _with_variance(
            lambda x, r, N, s: (r * s).sum(axis=0) / N,
            "one variance for all components is asked for, not one each",
        ),
        _with_variance(
            lambda x, r, N, s: x.var(),
            "that is the variance around the mean of all data; each component has its own mean",
        ),
        _with_variance(
            lambda x, r, N, s: s.mean(), "every square counts with its responsibility, not all alike"
        ),
        _with_variance(
            lambda x, r, N, s: np.sqrt((r * s).sum() / len(x)),
            "the variance is asked for, not the standard deviation",
        ),
        _with_variance(
            lambda x, r, N, s: (r * s).sum() / (len(x) * len(N)),
            "all responsibilities together add up to $n$, not to $nK$",
        ),
    ],
    hint="what the bound says about $v$ is $-\\frac n2\\log v-\\frac1{2v}\\sum_{ik}r_{ik}(x_i-\\mu_k)^2$",
)


# --- break: a start from which EM gets stuck

_noise = np.random.default_rng(8).standard_normal((3, 30))
three_groups: ndarray = np.sort((np.array([[-4.0], [0.0], [4.0]]) + 0.3 * _noise).ravel())


def _ends_at(means: Any) -> float:
    start = mixture(np.full(3, 1 / 3), np.asarray(means, dtype=float)[:, None], np.ones((3, 1, 1)))
    return -float(fit_em(start, three_groups[:, None], steps=500, tolerance=1e-9).losses[-1])


_HIGHEST = _ends_at([-4.0, 0.0, 4.0])


def _judge_stuck(attempt: Any) -> str | None:
    means = as_numbers(attempt)
    if means.shape != (3,):
        return f"give three numbers, one starting mean each; got shape {means.shape}."
    if not np.isfinite(means).all() or np.abs(means).max() > 20:
        return "finite numbers between −20 and 20, please."
    if len(np.unique(means)) < 3:
        return (
            "two components that start at the same place stay the same for ever; take three different means."
        )
    short = _HIGHEST - _ends_at(means)
    if short >= 20:
        return None
    return f"from there EM ends {max(short, 0):.1f} nats below the best."


stuck_start = Exercise(
    "a start from which EM gets stuck",
    judge=_judge_stuck,
    answer=(-4.5, -3.5, 2.0),
    hint="if two components begin inside one group, the third has to serve the other two",
)
