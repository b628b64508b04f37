"""Newton's `fit_logistic` beside scikit-learn's default solver, to the same loss, in one run."""

from __future__ import annotations

import statistics
import time
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from chapters_src.models.logistic import fit_logistic, logistic_loss


class Row(NamedTuple):
    """One comparison; a ratio below 1 means that ours is quicker."""

    name: str
    ours_seconds: float
    theirs_seconds: float
    ratio: float


def rows(n: int = 50_000, d: int = 50, repeats: int = 9) -> list[Row]:
    """Median times of interleaved repeats; ours has to end at a loss no higher than theirs."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    theta = 2 / np.sqrt(d) * rng.standard_normal(d)
    y = (rng.random(n) < 1 / (1 + np.exp(-X @ theta))).astype(float)

    def ours() -> np.ndarray:
        return fit_logistic(X, y, ridge=1.0, tolerance=1e-2).theta

    def theirs() -> np.ndarray:
        return LogisticRegression(fit_intercept=False).fit(X, y).coef_[0]

    our_loss, their_loss = (logistic_loss(X, y, fit(), ridge=1.0) for fit in (ours, theirs))  # warms up, too
    if our_loss > their_loss:
        raise AssertionError(f"ours ended at {our_loss}, theirs at {their_loss}")
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(repeats):
        for name, run in (("ours", ours), ("theirs", theirs)):
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    mine, other = (statistics.median(seconds[name]) for name in ("ours", "theirs"))
    return [Row("fit_logistic / sklearn LogisticRegression", mine, other, mine / other)]


def main() -> None:
    """Print the comparison."""
    for row in rows():
        print(f"{row.name:44} {row.ours_seconds:.3f} s  {row.theirs_seconds:.3f} s  ratio {row.ratio:.2f}")


if __name__ == "__main__":
    main()
