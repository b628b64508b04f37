"""`least_squares` beside numpy and scikit-learn on 100,000 rows and 100 columns, in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LinearRegression

from chapters_src.models.least_squares import least_squares

TITLE = "`least_squares` against numpy and scikit-learn, 100,000 rows and 100 columns"


class Row(NamedTuple):
    """One comparison; a ratio above 1 means that ours is quicker."""

    name: str
    ours_seconds: float
    theirs_seconds: float
    ratio: float


def rows(n: int = 100_000, d: int = 100, repeats: int = 9) -> list[Row]:
    """Median times of interleaved repeats, so that whatever else the machine does hits all alike."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    contestants: dict[str, Callable[[], np.ndarray]] = {
        "ours": lambda: least_squares(X, y),
        "numpy.linalg.lstsq": lambda: np.linalg.lstsq(X, y, rcond=None)[0],
        "sklearn LinearRegression": lambda: LinearRegression(fit_intercept=False).fit(X, y).coef_,
    }
    answers = {name: run() for name, run in contestants.items()}  # warms up, too
    for name, answer in answers.items():
        np.testing.assert_allclose(answers["ours"], answer, rtol=1e-9, err_msg=name)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    median = {name: statistics.median(times) for name, times in seconds.items()}
    ours = median.pop("ours")
    return [Row(f"against {name}", ours, theirs, theirs / ours) for name, theirs in median.items()]


def main() -> None:
    """Print the comparison."""
    for row in rows():
        print(f"{row.name:40} {row.ours_seconds:.3f} s  {row.theirs_seconds:.3f} s  ratio {row.ratio:.2f}")


if __name__ == "__main__":
    main()
