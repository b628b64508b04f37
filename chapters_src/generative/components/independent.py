"""Independent components: from whitened data, the rotation whose columns are least Gaussian."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.components.principal import pca, whitened

__all__ = ["ICA", "fit_ica", "unmixed"]


class ICA(NamedTuple):
    """How to unmix, ŝ = Wᵀ(x − x̄), whether the search came to rest, and after how many steps."""

    mean: Float[ndarray, "d"]
    W: Float[ndarray, "d M"]
    converged: bool
    steps: int

    @property
    def d(self) -> int:
        """How many columns the data have."""
        return len(self.mean)


def nearest_rotation(W: Float[ndarray, "M M"]) -> Float[ndarray, "M M"]:
    """The matrix with perpendicular unit columns that is nearest to W."""
    left, _, right = np.linalg.svd(W)
    return left @ right


@checked(
    M=within(1, lambda given: min(given["X"].shape)),
    steps=at_least(1),
    tolerance=above(0),
)
def fit_ica(
    X: Float[ndarray, "n d"],
    rng: np.random.Generator,
    M: int | None = None,
    steps: int = 200,
    tolerance: float = 1e-8,
) -> ICA:
    """FastICA with all directions at once: a step for each column of W, then back to a rotation.

    w ← E[z̃ tanh(wᵀz̃)] − E[tanh′(wᵀz̃)] w   {eq}`eq-components-fastica`

    Order and sign of the columns depend on the start: the data do not say what they are.
    """
    model = pca(X, M)
    Z = whitened(model, X)
    W, turned, step = nearest_rotation(rng.normal(size=(model.M, model.M))), np.inf, 0
    while turned > tolerance and step < steps:
        h = np.tanh(Z @ W)
        new = nearest_rotation(Z.T @ h / len(Z) - W * np.mean(1 - h**2, axis=0))
        turned = 1 - np.abs(np.sum(W * new, axis=0)).min()  # 0 if no column turned; signs may flip
        W, step = new, step + 1
    return ICA(model.mean, model.U / np.sqrt(model.variances) @ W, bool(turned <= tolerance), step)


@checked
def unmixed(model: ICA, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n M"]:
    """The estimated sources, a column each, with mean 0 and variance 1 on the fitted data."""
    return (X - model.mean) @ model.W
