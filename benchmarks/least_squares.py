"""`least_squares` beside numpy and scikit-learn on 100,000 rows and 100 columns, in one run."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression

from benchmarks._timing import Row, against
from chapters_src.models.least_squares import least_squares_by_blocks as least_squares

TITLE = "`least_squares` against numpy and scikit-learn, 100,000 rows and 100 columns"


def rows(n: int = 100_000, d: int = 100) -> list[Row]:
    """Return the comparisons; all contestants have to agree."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    others = {
        "numpy.linalg.lstsq": lambda: np.linalg.lstsq(X, y, rcond=None)[0],
        "sklearn LinearRegression": lambda: LinearRegression(fit_intercept=False).fit(X, y).coef_,
    }
    for name, run in others.items():
        np.testing.assert_allclose(least_squares(X, y), run(), rtol=1e-9, err_msg=name)
    return against(lambda: least_squares(X, y), others)
