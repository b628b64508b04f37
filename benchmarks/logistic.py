"""Newton's `fit_logistic` beside scikit-learn's default solver, to the same loss, in one run."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._timing import Row, against
from chapters_src.models.logistic import fit_logistic_by_blocks as fit_logistic
from chapters_src.models.logistic import logistic_loss

TITLE = "Logistic regression by Newton's method, 50,000 rows and 50 columns, to a loss no higher"


def rows(n: int = 50_000, d: int = 50) -> list[Row]:
    """Return the comparison; ours has to end at a loss no higher than theirs."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    theta = 2 / np.sqrt(d) * rng.standard_normal(d)
    y = (rng.random(n) < 1 / (1 + np.exp(-X @ theta))).astype(float)

    def ours() -> np.ndarray:
        return fit_logistic(X, y, ridge=1.0, tolerance=1e-2).theta

    def theirs() -> np.ndarray:
        return LogisticRegression(fit_intercept=False).fit(X, y).coef_[0]

    our_loss, their_loss = (logistic_loss(X, y, fit(), ridge=1.0) for fit in (ours, theirs))
    if our_loss > their_loss:
        raise AssertionError(f"ours ended at {our_loss}, theirs at {their_loss}")
    return against(ours, {"sklearn LogisticRegression": theirs}, repeats=31)
