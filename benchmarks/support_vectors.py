"""`smo_fast` beside libsvm (scikit-learn's SVC) on 2,000 points, and where our time goes, in one run."""

from __future__ import annotations

import cProfile
import pstats

import numpy as np
from sklearn.svm import SVC

from benchmarks._timing import against
from chapters_src.models.support_vectors import dual_objective, smo_fast

TITLE = "Support vectors on 2,000 points of 20 features, C = 1, tolerance 10⁻³, Gram matrix included"
HEADER = ("what", "ours", "libsvm", "ours / libsvm", "our pairs", "moving pairs", "moving free weights")
TOLERANCE = 1e-3


def rows(n: int = 2000, d: int = 20) -> list[tuple]:
    """Return a row per kernel; both have to end at one dual objective, to the precision of the tolerance."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) / 4 + 0.7 * rng.standard_normal(n) > 0, 1.0, -1.0)
    squares = (X**2).sum(axis=1)
    kernels = {
        "linear": lambda: X @ X.T,
        "Gaussian": lambda: np.exp(-0.05 * (squares[:, None] + squares - 2 * X @ X.T)),
    }
    models = {
        "linear": SVC(kernel="linear", tol=TOLERANCE),
        "Gaussian": SVC(kernel="rbf", gamma=0.05, tol=TOLERANCE),
    }
    return [row(name, kernels[name], models[name], X, y) for name in kernels]


def row(name: str, kernel, model: SVC, X: np.ndarray, y: np.ndarray) -> tuple:
    """One comparison as text, with the share of our time in each of the two kinds of step."""
    K = kernel()
    alpha = np.zeros(len(y))
    model.fit(X, y)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    found = smo_fast(K, y, 1.0, TOLERANCE)
    ends = dual_objective(K, y, found.alpha), dual_objective(K, y, alpha)
    if abs(ends[0] - ends[1]) > TOLERANCE * abs(ends[1]):
        raise AssertionError(f"ours ended at {ends[0]}, theirs at {ends[1]}")
    (timed,) = against(
        lambda: smo_fast(kernel(), y, 1.0, TOLERANCE), {name: lambda: model.fit(X, y)}, repeats=15
    )
    profile = cProfile.Profile()
    profile.runcall(smo_fast, K, y, 1.0, TOLERANCE)
    stats = pstats.Stats(profile)
    seconds = {key[2]: value[3] for key, value in stats.stats.items()}  # type: ignore[attr-defined]
    share = [f"{seconds.get(part, 0.0) / stats.total_tt:.0%}" for part in ("_move_pairs", "_move_free")]  # type: ignore[attr-defined]
    return (
        name,
        f"{timed.ours:.3f} s",
        f"{timed.theirs:.3f} s",
        f"{timed.ours / timed.theirs:.2f}",
        f"{found.steps:,}",
        *share,
    )
