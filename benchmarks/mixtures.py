"""Our EM beside scikit-learn's `GaussianMixture`: same start, same number of iterations, same answer."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.mixture import GaussianMixture

from benchmarks._timing import Row, against
from chapters_src.generative.mixtures import fit_em, start_mixture

TITLE = "EM for a Gaussian mixture, 100,000 points, 10 iterations from the same start"


def rows(n: int = 100_000, steps: int = 10) -> list[Row]:
    """Return one comparison for each shape; both have to end at the same mixture."""
    return [_row(n, d, K, steps) for d, K in ((2, 3), (8, 5))]


def _row(n: int, d: int, K: int, steps: int) -> Row:
    rng = np.random.default_rng(0)
    centres = 3 * rng.standard_normal((K, d))
    X = centres[rng.integers(K, size=n)] + rng.standard_normal((n, d))
    start = start_mixture(X, K, rng)

    def ours() -> np.ndarray:
        return fit_em(start, X, steps=steps, tolerance=0.0).theta.means

    def theirs() -> np.ndarray:
        model = GaussianMixture(
            K,
            tol=0.0,
            max_iter=steps,
            weights_init=start.weights,
            means_init=start.means,
            precisions_init=np.linalg.inv(start.covariances),
            init_params="random_from_data",  # so that no k-means is charged to them
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X).means_

    if not np.allclose(ours(), theirs(), rtol=0, atol=1e-6):
        raise AssertionError("the two do not end at the same means")
    [row] = against(ours, {"sklearn GaussianMixture": theirs}, repeats=7)
    return row._replace(what=f"{row.what}, d = {d}, K = {K}")
